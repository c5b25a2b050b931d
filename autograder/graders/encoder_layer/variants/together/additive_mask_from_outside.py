# %% attention
import math

import torch
from torch import nn


def as_bias(mask):
    """A float is a bias already; anything else says what may be attended."""
    if mask.is_floating_point():
        return mask
    return torch.zeros(mask.shape).masked_fill(mask == 0, float("-inf"))


class Attention(nn.Module):
    def __init__(self, mask_future=False):
        super().__init__()
        self.mask_future = mask_future

    def forward(self, query, key, value, attention_mask=None):
        scores = torch.matmul(query, key.transpose(-2, -1)) / math.sqrt(query.shape[-1])
        if attention_mask is not None:
            bias = as_bias(attention_mask)
            if bias.dim() == 2:
                bias = bias.view(-1, *[1] * (scores.dim() - 2), bias.shape[1])
            scores = scores + bias
        if self.mask_future:
            scores = scores + as_bias(torch.ones(scores.shape[-2:]).tril().long())
        return torch.matmul(scores.softmax(-1), value)


# %% multi_head_attention
from torch import nn


class MultiHeadAttention(nn.Module):
    def __init__(self, d_model, num_heads, mask_future=False):
        super().__init__()
        if d_model % num_heads != 0:
            raise ValueError("d_model % num_heads != 0")
        self.num_heads = num_heads
        self.query_transform = nn.Linear(d_model, d_model, bias=False)
        self.key_transform = nn.Linear(d_model, d_model, bias=False)
        self.value_transform = nn.Linear(d_model, d_model, bias=False)
        self.output_transform = nn.Linear(d_model, d_model, bias=False)
        self.attention = Attention(mask_future)

    def forward(self, query, key, value, attention_mask=None):
        bias = None
        if attention_mask is not None:
            bias = as_bias(attention_mask)[:, None, None, :]
        x = self.query_transform(query), self.key_transform(key), self.value_transform(value)
        heads = [y.unflatten(-1, (self.num_heads, -1)).transpose(1, 2) for y in x]
        return self.output_transform(self.attention(*heads, bias).transpose(1, 2).flatten(2))
