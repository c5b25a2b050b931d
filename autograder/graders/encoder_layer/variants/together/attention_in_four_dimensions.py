# %% attention
import math

import torch
from torch import nn


class Attention(nn.Module):
    def __init__(self, mask_future=False):
        super().__init__()
        self.mask_future = mask_future

    def forward(self, query, key, value, attention_mask=None):
        if query.dim() == 3:
            return self(query[:, None], key[:, None], value[:, None], attention_mask)[:, 0]
        _, _, _, d_k = query.shape
        scores = torch.einsum("bhqd,bhkd->bhqk", query, key) / math.sqrt(d_k)
        if attention_mask is not None:
            scores = scores.masked_fill(attention_mask[:, None, None, :] == 0, -torch.inf)
        if self.mask_future:
            hidden = torch.ones(scores.shape[2:], dtype=torch.bool).triu(1)
            scores = scores.masked_fill(hidden, -torch.inf)
        return torch.einsum("bhqk,bhkd->bhqd", scores.softmax(3), value)
