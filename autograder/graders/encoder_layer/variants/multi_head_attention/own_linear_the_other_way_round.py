import math

import torch
from torch import nn


class Dense(nn.Module):
    """y = x W, with W of shape (inputs, outputs)."""

    def __init__(self, inputs, outputs):
        super().__init__()
        self.weight = nn.Parameter(torch.randn(inputs, outputs) / math.sqrt(inputs))

    def forward(self, x):
        return torch.einsum("...i,io->...o", x, self.weight)


class MultiHeadAttention(nn.Module):
    def __init__(self, d_model, num_heads, mask_future=False):
        super().__init__()
        if d_model % num_heads != 0:
            raise ValueError("num_heads does not divide d_model")
        self.num_heads = num_heads
        self.query, self.key, self.value, self.out = (Dense(d_model, d_model) for _ in range(4))
        self.attention = Attention(mask_future)

    def forward(self, query, key, value, attention_mask=None):
        split = [
            x.unflatten(-1, (self.num_heads, -1)).transpose(1, 2)
            for x in (self.query(query), self.key(key), self.value(value))
        ]
        heads = self.attention(*split, attention_mask)
        return self.out(heads.transpose(1, 2).flatten(2))
