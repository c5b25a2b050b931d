import math

import torch
from torch import nn


class Attention(nn.Module):
    def __init__(self, mask_future=False):
        super().__init__()
        self.mask_future = mask_future

    def forward(self, query, key, value, attention_mask=None):
        scores = torch.bmm(query, key.transpose(1, 2)) / math.sqrt(query.shape[2])
        if attention_mask is not None:
            scores = scores.masked_fill(attention_mask[:, None, :] == 0, -torch.inf)
        if self.mask_future:
            hidden = torch.ones(scores.shape[1:], dtype=torch.bool).triu(diagonal=1)
            scores = scores.masked_fill(hidden, -torch.inf)
        return torch.bmm(scores.softmax(2), value)
