import math

import torch
import torch.nn as nn
from torch.nn import functional as F


class Attention(nn.Module):
    def __init__(self, mask_future=False, dropout=0.0, block_size=1024):
        super().__init__()
        self.attn_dropout = nn.Dropout(dropout)
        self.mask_future = mask_future
        self.register_buffer("tril", torch.tril(torch.ones(block_size, block_size)))

    def forward(self, query, key, value, attention_mask=None):
        T, S = query.size(-2), key.size(-2)
        att = (query @ key.transpose(-2, -1)) * (1.0 / math.sqrt(key.size(-1)))
        if self.mask_future:
            att = att.masked_fill(self.tril[:T, :S] == 0, float("-inf"))
        if attention_mask is not None:
            pad = attention_mask.reshape(attention_mask.size(0), *[1] * (att.dim() - 2), S)
            att = att.masked_fill(pad == 0, float("-inf"))
        att = self.attn_dropout(F.softmax(att, dim=-1))
        return att @ value
