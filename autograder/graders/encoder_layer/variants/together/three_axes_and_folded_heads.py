# %% attention
import math

import torch
import torch.nn.functional as F
from torch import Tensor, nn


class Attention(nn.Module):
    """Three axes are enough: a head is one more sentence of the batch."""

    def __init__(self, mask_future: bool = False):
        super().__init__()
        self.mask_future = mask_future

    def forward(self, query: Tensor, key: Tensor, value: Tensor, attention_mask: Tensor | None = None):
        if query.dim() == 4:
            heads = query.size(1)
            folded = [one.flatten(0, 1) for one in (query, key, value)]
            if attention_mask is not None:
                attention_mask = attention_mask.repeat_interleave(heads, 0)
            return self(*folded, attention_mask).unflatten(0, (-1, heads))
        _, query_len, d_k = query.shape
        scores = torch.bmm(query, key.transpose(1, 2)) / math.sqrt(d_k)
        if attention_mask is not None:
            scores = scores.masked_fill(attention_mask.unsqueeze(1) == 0, -1e9)
        if self.mask_future:
            scores = scores.masked_fill(torch.ones(query_len, key.shape[1]).triu(1).bool(), -1e9)
        return torch.bmm(F.softmax(scores, dim=2), value)


# %% multi_head_attention
import torch.nn as nn


class MultiHeadAttention(nn.Module):
    def __init__(self, d_model, num_heads, mask_future=False):
        super().__init__()
        if d_model % num_heads != 0:
            raise ValueError("num_heads does not divide d_model")
        self.h, self.d_k = num_heads, d_model // num_heads
        self.query_transform = nn.Linear(d_model, d_model, bias=False)
        self.key_transform = nn.Linear(d_model, d_model, bias=False)
        self.value_transform = nn.Linear(d_model, d_model, bias=False)
        self.output_transform = nn.Linear(d_model, d_model, bias=False)
        self.attention = Attention(mask_future)

    def forward(self, query, key, value, attention_mask=None):
        b, h, s, t, e = query.size(0), self.h, query.size(1), key.size(1), self.d_k
        queries = self.query_transform(query).view(b, s, h, e).transpose(1, 2).reshape(b * h, s, e)
        keys = self.key_transform(key).view(b, t, h, e).transpose(1, 2).reshape(b * h, t, e)
        values = self.value_transform(value).view(b, t, h, e).transpose(1, 2).reshape(b * h, t, e)
        if attention_mask is not None:
            attention_mask = attention_mask[:, None].expand(b, h, t).reshape(b * h, t)
        out = self.attention(queries, keys, values, attention_mask)
        return self.output_transform(out.view(b, h, s, e).transpose(1, 2).reshape(b, s, h * e))
