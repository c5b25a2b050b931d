import torch
from torch import nn


class MultiHeadAttention(nn.Module):
    def __init__(self, d_model, num_heads, mask_future=False):
        super().__init__()
        if d_model % num_heads != 0:
            raise ValueError("num_heads has to divide d_model")
        self.num_heads = num_heads
        self.query_transform = nn.Linear(d_model, d_model, bias=False)
        self.key_transform = nn.Linear(d_model, d_model, bias=False)
        self.value_transform = nn.Linear(d_model, d_model, bias=False)
        self.output_transform = nn.Linear(d_model, d_model, bias=False)
        self.attention = Attention(mask_future)

    def forward(self, query, key, value, attention_mask=None):
        q = self.query_transform(query).unflatten(-1, (self.num_heads, -1))
        k = self.key_transform(key).unflatten(-1, (self.num_heads, -1))
        v = self.value_transform(value).unflatten(-1, (self.num_heads, -1))
        one_head = torch.vmap(
            lambda q, k, v: self.attention(q, k, v, attention_mask), in_dims=2, out_dims=2
        )
        return self.output_transform(one_head(q, k, v).flatten(2))
