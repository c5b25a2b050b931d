import torch
from torch import nn


class Attention(nn.Module):
    """log(1) = 0 and log(0) = -inf: the logarithm of a mask can be added to the scores."""

    def __init__(self, mask_future=False):
        super().__init__()
        self.mask_future = mask_future

    def forward(self, query, key, value, attention_mask=None):
        scores = torch.matmul(query, key.swapaxes(-1, -2))
        scores /= query.size(-1) ** 0.5
        if attention_mask is not None:
            index = (slice(None),) + (None,) * (scores.ndim - 2)
            scores += attention_mask.to(scores.dtype).log()[index]
        if self.mask_future:
            scores += torch.ones_like(scores).tril_().log_()
        return scores.softmax(-1).matmul(value)
