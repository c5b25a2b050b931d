from dataclasses import dataclass

import torch
from torch import nn


@dataclass(frozen=True)
class HeadConfig:
    d_model: int
    num_heads: int
    mask_future: bool = False

    def __post_init__(self):
        if self.d_model % self.num_heads != 0:
            raise ValueError(f"{self.num_heads} heads do not fit into {self.d_model} features")

    @property
    def d_k(self) -> int:
        return self.d_model // self.num_heads


class MultiHeadAttention(nn.Module):
    def __init__(self, d_model: int, num_heads: int, mask_future: bool = False):
        super().__init__()
        self.config = HeadConfig(d_model, num_heads, mask_future)

        def projection() -> nn.Linear:
            return nn.Linear(d_model, d_model, bias=False)

        self.k_proj, self.v_proj, self.q_proj = projection(), projection(), projection()
        self.out_proj = projection()
        self.attention = Attention(self.config.mask_future)

    def forward(self, query, key, value, attention_mask=None):
        shape = (self.config.num_heads, self.config.d_k)
        q = self.q_proj(query).view(*query.shape[:2], *shape).transpose(1, 2)
        k = self.k_proj(key).view(*key.shape[:2], *shape).transpose(1, 2)
        v = self.v_proj(value).view(*value.shape[:2], *shape).transpose(1, 2)
        out: torch.Tensor = self.attention(q, k, v, attention_mask)
        return self.out_proj(out.transpose(1, 2).reshape(query.shape))
