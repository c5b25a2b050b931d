import torch
from torch import nn


class MultiHeadAttention(nn.Module):
    def __init__(self, d_model: int, num_heads: int, mask_future: bool = False):
        super().__init__()
        if d_model % num_heads != 0:
            raise ValueError("d_model must be a multiple of num_heads")
        self.num_heads, self.d_k = num_heads, d_model // num_heads
        self.query_transform = nn.Linear(d_model, d_model, bias=False)
        self.key_transform = nn.Linear(d_model, d_model, bias=False)
        self.value_transform = nn.Linear(d_model, d_model, bias=False)
        self.output_transform = nn.Linear(d_model, d_model, bias=False)
        self.attention = Attention(mask_future)

    def forward(self, query, key, value, attention_mask=None):
        q, k, v = self.query_transform(query), self.key_transform(key), self.value_transform(value)
        heads = []
        for h in range(self.num_heads):
            s = slice(h * self.d_k, (h + 1) * self.d_k)
            heads.append(self.attention(q[..., s], k[..., s], v[..., s], attention_mask))
        return self.output_transform(torch.cat(heads, dim=-1))
