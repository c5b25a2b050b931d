import math

import torch
from torch import nn


class Attention(nn.Module):
    def __init__(self, mask_future=False, dropout=0.0):
        super().__init__()
        self.mask_future = mask_future
        self.dropout = nn.Dropout(dropout)

    def forward(self, query, key, value, attention_mask=None):
        scores = query @ key.transpose(-2, -1) / math.sqrt(query.size(-1))
        if attention_mask is not None:
            shape = [-1] + [1] * (scores.dim() - 2) + [key.size(-2)]
            scores = scores.masked_fill(attention_mask.view(shape) == 0, -math.inf)
        if self.mask_future:
            scores = scores.masked_fill(torch.ones(scores.shape[-2:]).tril() == 0, -math.inf)
        return self.dropout(scores.softmax(dim=-1)) @ value
