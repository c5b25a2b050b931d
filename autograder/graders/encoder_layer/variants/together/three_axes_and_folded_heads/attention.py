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
        _, query_len, d_k = query.shape
        scores = torch.bmm(query, key.transpose(1, 2)) / math.sqrt(d_k)
        if attention_mask is not None:
            scores = scores.masked_fill(attention_mask.unsqueeze(1) == 0, -1e9)
        if self.mask_future:
            scores = scores.masked_fill(torch.ones(query_len, key.shape[1]).triu(1).bool(), -1e9)
        return torch.bmm(F.softmax(scores, dim=2), value)
