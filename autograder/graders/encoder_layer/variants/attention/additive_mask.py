import math

import torch
from torch import Tensor, nn


def to_bias(mask: Tensor) -> Tensor:
    """0 where allowed, a very negative number elsewhere."""
    return (1.0 - mask.float()) * -1e9


class Attention(nn.Module):
    def __init__(self, mask_future: bool = False):
        super().__init__()
        self.mask_future = mask_future

    def forward(self, query, key, value, attention_mask=None):
        scores = torch.matmul(query, key.transpose(-1, -2)) * (1 / math.sqrt(key.shape[-1]))
        if attention_mask is not None:
            bias = to_bias(attention_mask)
            scores = scores + (bias[:, None, :] if scores.ndim == 3 else bias[:, None, None, :])
        if self.mask_future:
            scores = scores + to_bias(torch.tril(torch.ones(scores.shape[-2:])))
        return torch.matmul(nn.functional.softmax(scores, dim=-1), value)
