from torch import Tensor, nn

class MultiHeadAttention(nn.Module):
    r"""Allows the model to jointly attend to information from different representation subspaces.

    The heads are folded into the batch dimension, so that :class:`Attention` sees three dimensions.
    """

    __constants__ = ["embed_dim", "num_heads", "head_dim"]

    def __init__(
        self, d_model: int, num_heads: int, mask_future: bool = False, device=None, dtype=None
    ) -> None:
        if num_heads <= 0 or d_model % num_heads != 0:
            raise ValueError(f"d_model ({d_model}) must be divisible by num_heads ({num_heads})")
        factory_kwargs = {"device": device, "dtype": dtype}
        super().__init__()
        self.embed_dim = d_model
        self.num_heads = num_heads
        self.head_dim = d_model // num_heads

        self.q_proj = nn.Linear(d_model, d_model, bias=False, **factory_kwargs)
        self.k_proj = nn.Linear(d_model, d_model, bias=False, **factory_kwargs)
        self.v_proj = nn.Linear(d_model, d_model, bias=False, **factory_kwargs)
        self.out_proj = nn.Linear(d_model, d_model, bias=False, **factory_kwargs)
        self.attention = Attention(mask_future=mask_future)

        self._reset_parameters()

    def _reset_parameters(self) -> None:
        for proj in (self.q_proj, self.k_proj, self.v_proj, self.out_proj):
            nn.init.xavier_uniform_(proj.weight)

    def _fold(self, x: Tensor) -> Tensor:
        bsz, length, _ = x.shape
        x = x.reshape(bsz, length, self.num_heads, self.head_dim).transpose(1, 2)
        return x.reshape(bsz * self.num_heads, length, self.head_dim)

    def forward(
        self, query: Tensor, key: Tensor, value: Tensor, attention_mask: Tensor | None = None
    ) -> Tensor:
        bsz, tgt_len, embed_dim = query.shape
        q = self._fold(self.q_proj(query))
        k = self._fold(self.k_proj(key))
        v = self._fold(self.v_proj(value))
        if attention_mask is not None:
            # (N, S) -> (N * num_heads, S)
            attention_mask = attention_mask.repeat_interleave(self.num_heads, dim=0)
        attn_output = self.attention(q, k, v, attention_mask)
        attn_output = attn_output.reshape(bsz, self.num_heads, tgt_len, self.head_dim)
        attn_output = attn_output.transpose(1, 2).reshape(bsz, tgt_len, embed_dim)
        return self.out_proj(attn_output)
