import math

import torch
import torch.nn.functional as F
from torch import nn


class Attention(nn.Module):
    def __init__(self, mask_future=False):
        super().__init__()
        self.mask_future = mask_future

    def forward(self, query, key, value, attention_mask=None):
        scores = (query @ key.transpose(-2, -1)).float() / math.sqrt(query.size(-1))
        if attention_mask is not None:
            mask = attention_mask.view(-1, *[1] * (scores.dim() - 2), key.size(-2))
            scores = scores.masked_fill(~mask.bool(), float("-inf"))
        if self.mask_future:
            causal = torch.ones(query.size(-2), key.size(-2)).triu(1) == 1
            scores = scores.masked_fill(causal, float("-inf"))
        weights = F.softmax(scores, dim=-1, dtype=torch.float32).type_as(value)
        return weights @ value
