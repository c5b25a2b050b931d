import torch
from torch import nn


class MultiHeadAttention(nn.Module):
    """The statement's four transforms; the output ends with a dropout at the caller's rate."""

    def __init__(self, d_model, num_heads, mask_future=False, dropout=0.0):
        super().__init__()
        if d_model % num_heads:
            raise ValueError("d_model % num_heads")
        self.query_transform = nn.Linear(d_model, d_model, bias=False)
        self.key_transform = nn.Linear(d_model, d_model, bias=False)
        self.value_transform = nn.Linear(d_model, d_model, bias=False)
        self.output_transform = nn.Linear(d_model, d_model, bias=False)
        self.attention = Attention(mask_future)
        self.num_heads, self.dropout = num_heads, nn.Dropout(dropout)

    def forward(self, query, key, value, attention_mask=None):
        q = self.query_transform(query).chunk(self.num_heads, -1)
        k = self.key_transform(key).chunk(self.num_heads, -1)
        v = self.value_transform(value).chunk(self.num_heads, -1)
        heads = [self.attention(*one, attention_mask) for one in zip(q, k, v)]
        return self.dropout(self.output_transform(torch.cat(heads, -1)))
