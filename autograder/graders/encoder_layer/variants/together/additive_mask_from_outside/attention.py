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
