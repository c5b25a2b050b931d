# %% attention
class Attention(nn.Module):
    r"""Computes scaled dot product attention with an additive bias.

    Args:
        mask_future: If set, query ``i`` attends to the keys ``j <= i`` alone (upper left causal
            bias for non-square scores). Default: ``False``
    """

    __constants__ = ["mask_future"]
    mask_future: bool

    def __init__(self, mask_future: bool = False) -> None:
        super().__init__()
        self.mask_future = mask_future

    def forward(
        self, query: Tensor, key: Tensor, value: Tensor, attention_mask: Tensor | None = None
    ) -> Tensor:
        L, S = query.size(-2), key.size(-2)
        scale_factor = 1 / math.sqrt(query.size(-1))
        attn_bias = torch.zeros(L, S, dtype=query.dtype, device=query.device)
        if self.mask_future:
            temp_mask = torch.ones(L, S, dtype=torch.bool, device=query.device).tril(diagonal=0)
            attn_bias.masked_fill_(temp_mask.logical_not(), float("-inf"))
        if attention_mask is not None:
            key_padding_mask = attention_mask.to(torch.bool).logical_not()
            padding_bias = torch.zeros_like(key_padding_mask, dtype=query.dtype)
            padding_bias = padding_bias.masked_fill_(key_padding_mask, float("-inf"))
            bsz = attention_mask.size(0)
            attn_bias = attn_bias + padding_bias.view(bsz, *((1,) * (query.dim() - 2)), S)

        attn_weight = query @ key.transpose(-2, -1) * scale_factor
        attn_weight = attn_weight + attn_bias
        attn_weight = torch.softmax(attn_weight, dim=-1)
        return attn_weight @ value

    def extra_repr(self) -> str:
        return f"mask_future={self.mask_future}"


# %% encoder
import copy


def _get_clones(module: nn.Module, N: int) -> nn.ModuleList:
    # FIXME: copy.deepcopy() gives every copy the same initial values
    return nn.ModuleList([copy.deepcopy(module) for i in range(N)])


class Encoder(nn.Module):
    r"""Encoder is a stack of N encoder layers on top of an embedding with fixed positions."""

    __constants__ = ["max_len"]
    pe: Tensor

    def __init__(
        self, vocab_size: int, d_model: int, num_heads: int, d_ff: int, num_layers: int,
        dropout: float = 0.1, max_len: int = 512,
    ) -> None:
        super().__init__()
        self.d_model = d_model
        self.max_len = max_len
        self.num_layers = num_layers
        self.embedding = nn.Embedding(vocab_size, d_model)
        self.dropout = nn.Dropout(p=dropout)
        self.layers = _get_clones(EncoderLayer(d_model, num_heads, d_ff, dropout), num_layers)
        self.register_buffer("pe", self._make_pe(max_len, d_model), persistent=False)

    @staticmethod
    def _make_pe(max_len: int, d_model: int) -> Tensor:
        position = torch.arange(max_len, dtype=torch.float).unsqueeze(1)
        inv_freq = torch.pow(10000.0, -torch.arange(0, d_model, 2, dtype=torch.float) / d_model)
        pe = torch.empty(max_len, d_model)
        torch.sin(position * inv_freq, out=pe[:, 0::2])
        torch.cos(position * inv_freq, out=pe[:, 1::2])
        return pe

    def forward(self, tokens: Tensor, attention_mask: Tensor | None = None) -> Tensor:
        seq_len = tokens.size(1)
        if seq_len > self.max_len:
            raise ValueError(f"sequence of {seq_len} tokens is longer than max_len={self.max_len}")
        output = self.dropout(self.embedding(tokens) * math.sqrt(self.d_model) + self.pe[:seq_len])
        for mod in self.layers:
            output = mod(output, attention_mask=attention_mask)
        return output


# %% encoder_layer
class EncoderLayer(nn.Module):
    r"""EncoderLayer is made up of self-attn and feedforward network, post-norm.

    Args:
        d_model: the number of expected features in the input
        num_heads: the number of heads
        d_ff: the dimension of the feedforward network
        dropout: the dropout value (default=0.1)
    """

    def __init__(self, d_model: int, num_heads: int, d_ff: int, dropout: float = 0.1) -> None:
        super().__init__()
        self.self_attention = MultiHeadAttention(d_model, num_heads)
        self.dropout1 = nn.Dropout(dropout)
        self.layer_norm_1 = nn.LayerNorm(d_model, eps=1e-5)
        # Implementation of Feedforward model
        self.feature_transformation = PositionWiseFeedForward(d_model, d_ff)
        self.dropout2 = nn.Dropout(dropout)
        self.layer_norm_2 = nn.LayerNorm(d_model, eps=1e-5)

    def forward(self, x: Tensor, attention_mask: Tensor | None = None) -> Tensor:
        x = self.layer_norm_1(x + self._sa_block(x, attention_mask))
        x = self.layer_norm_2(x + self._ff_block(x))
        return x

    # self-attention block
    def _sa_block(self, x: Tensor, attention_mask: Tensor | None) -> Tensor:
        x = self.self_attention(x, x, x, attention_mask=attention_mask)
        return self.dropout1(x)

    # feed forward block
    def _ff_block(self, x: Tensor) -> Tensor:
        return self.dropout2(self.feature_transformation(x))


# %% feed_forward
class PositionWiseFeedForward(nn.Sequential):
    r"""Applies :math:`\text{FFN}(x) = \max(0, x W_1^T + b_1) W_2^T + b_2` to every position.

    Args:
        d_model: size of each input and output sample
        d_ff: size of the hidden layer

    Shape:
        - Input: :math:`(*, d_{model})`
        - Output: :math:`(*, d_{model})`, same shape as the input
    """

    __constants__ = ["d_model", "d_ff"]
    d_model: int
    d_ff: int

    def __init__(self, d_model: int, d_ff: int, device=None, dtype=None) -> None:
        factory_kwargs = {"device": device, "dtype": dtype}
        super().__init__()
        self.d_model = d_model
        self.d_ff = d_ff
        self.add_module("linear1", nn.Linear(d_model, d_ff, **factory_kwargs))
        self.add_module("relu", nn.ReLU())
        self.add_module("linear2", nn.Linear(d_ff, d_model, **factory_kwargs))

    def extra_repr(self) -> str:
        return f"d_model={self.d_model}, d_ff={self.d_ff}"


# %% multi_head_attention
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
