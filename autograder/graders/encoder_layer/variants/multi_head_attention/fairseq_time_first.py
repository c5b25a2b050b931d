import math
from torch import Tensor, nn

class MultiHeadAttention(nn.Module):
    def __init__(self, d_model: int, num_heads: int, mask_future: bool = False):
        super().__init__()
        self.embed_dim = d_model
        self.num_heads = num_heads
        self.head_dim = d_model // num_heads
        if self.head_dim * num_heads != self.embed_dim:
            raise ValueError("embed_dim must be divisible by num_heads")
        self.k_proj = nn.Linear(d_model, d_model, bias=False)
        self.v_proj = nn.Linear(d_model, d_model, bias=False)
        self.q_proj = nn.Linear(d_model, d_model, bias=False)
        self.out_proj = nn.Linear(d_model, d_model, bias=False)
        self.attention = Attention(mask_future)
        self.reset_parameters()

    def reset_parameters(self):
        for proj in (self.k_proj, self.v_proj, self.q_proj):
            nn.init.xavier_uniform_(proj.weight, gain=1 / math.sqrt(2))
        nn.init.xavier_uniform_(self.out_proj.weight)

    def _shape(self, x, bsz):
        # T x B x C -> (B * H) x T x D
        return x.contiguous().view(-1, bsz * self.num_heads, self.head_dim).transpose(0, 1)

    def forward(
        self, query: Tensor, key: Tensor, value: Tensor, attention_mask: Tensor | None = None
    ) -> Tensor:
        # B x T x C -> T x B x C
        query, key, value = query.transpose(0, 1), key.transpose(0, 1), value.transpose(0, 1)
        tgt_len, bsz, embed_dim = query.size()

        q = self._shape(self.q_proj(query), bsz)
        k = self._shape(self.k_proj(key), bsz)
        v = self._shape(self.v_proj(value), bsz)

        if attention_mask is not None:  # heads sit in the batch: one row of the mask for each
            attention_mask = attention_mask.repeat_interleave(self.num_heads, dim=0)
        attn = self.attention(q, k, v, attention_mask)

        attn = attn.transpose(0, 1).contiguous().view(tgt_len, bsz, embed_dim)
        return self.out_proj(attn).transpose(0, 1)
