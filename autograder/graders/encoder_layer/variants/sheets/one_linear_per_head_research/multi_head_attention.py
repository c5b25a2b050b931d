from dataclasses import dataclass


@dataclass(frozen=True)
class MHAConfig:
    d_model: int
    n_heads: int

    def __post_init__(self):
        if self.d_model % self.n_heads:
            raise ValueError(f"{self.d_model=} not divisible by {self.n_heads=}")

    @property
    def d_head(self):
        return self.d_model // self.n_heads


def per_head(c: MHAConfig):
    return nn.ModuleList([nn.Linear(c.d_model, c.d_head, bias=False) for _ in range(c.n_heads)])


class MultiHeadAttention(nn.Module):
    def __init__(self, d_model: int, num_heads: int, mask_future: bool = False):
        super().__init__()
        self.cfg = c = MHAConfig(d_model, num_heads)
        self.to_q, self.to_k, self.to_v = per_head(c), per_head(c), per_head(c)
        self.proj = nn.Linear(d_model, d_model, bias=False)
        self.attention = Attention(mask_future)

    def forward(self, query, key, value, attention_mask=None):
        heads = [
            self.attention(q(query), k(key), v(value), attention_mask)
            for q, k, v in zip(self.to_q, self.to_k, self.to_v)
        ]
        return self.proj(torch.cat(heads, -1))
