import copy
import math

import torch
import torch.nn as nn


def clones(module, N):
    "Produce N identical layers."
    return nn.ModuleList([copy.deepcopy(module) for _ in range(N)])


def subsequent_mask(rows, cols):
    "Mask out subsequent positions."
    return torch.triu(torch.ones(rows, cols), diagonal=1).type(torch.uint8) == 0


def attention(query, key, value, mask=None):
    "Compute 'Scaled Dot Product Attention'"
    d_k = query.size(-1)
    scores = torch.matmul(query, key.transpose(-2, -1)) / math.sqrt(d_k)
    if mask is not None:
        scores = scores.masked_fill(mask == 0, -1e9)
    p_attn = scores.softmax(dim=-1)
    return torch.matmul(p_attn, value), p_attn


class Attention(nn.Module):
    def __init__(self, mask_future=False):
        super(Attention, self).__init__()
        self.mask_future = mask_future
        self.attn = None

    def forward(self, query, key, value, mask=None):
        if mask is not None:
            while mask.dim() < query.dim():
                mask = mask.unsqueeze(1)
        if self.mask_future:
            future = subsequent_mask(query.size(-2), key.size(-2))
            mask = future if mask is None else (mask != 0) & future
        x, self.attn = attention(query, key, value, mask)
        return x
