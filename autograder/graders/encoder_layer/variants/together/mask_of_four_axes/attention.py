import math

import torch
from torch import nn


class Attention(nn.Module):
    def __init__(self, mask_future=False):
        super().__init__()
        self.mask_future = mask_future

    def forward(self, query, key, value, attention_mask=None):
        scores = query @ key.transpose(-2, -1) / math.sqrt(query.size(-1))
        if attention_mask is not None:
            if attention_mask.dim() == 2:  # else it fits already
                attention_mask = attention_mask.view(-1, *[1] * (scores.dim() - 2), scores.size(-1))
            scores = scores.masked_fill(attention_mask == 0, -math.inf)
        if self.mask_future:
            scores = scores.masked_fill(torch.ones(scores.shape[-2:]).triu(1) == 1, -math.inf)
        return scores.softmax(dim=-1) @ value
