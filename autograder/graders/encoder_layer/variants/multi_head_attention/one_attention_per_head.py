import torch
import torch.nn as nn


class MultiHeadAttention(nn.Module):
    def __init__(self, d_model, num_heads, mask_future=False):
        super().__init__()
        if d_model % num_heads != 0:
            raise ValueError("d_model % num_heads")
        self.query_transform = nn.Linear(d_model, d_model, bias=False)
        self.key_transform = nn.Linear(d_model, d_model, bias=False)
        self.value_transform = nn.Linear(d_model, d_model, bias=False)
        self.output_transform = nn.Linear(d_model, d_model, bias=False)
        self.attention = nn.ModuleList([Attention(mask_future) for _ in range(num_heads)])

    def forward(self, query, key, value, attention_mask=None):
        n = len(self.attention)
        queries = self.query_transform(query).chunk(n, dim=-1)
        keys = self.key_transform(key).chunk(n, dim=-1)
        values = self.value_transform(value).tensor_split(n, dim=-1)
        heads = [
            head(q, k, v, attention_mask)
            for head, q, k, v in zip(self.attention, queries, keys, values, strict=True)
        ]
        return self.output_transform(torch.concat(heads, -1))
