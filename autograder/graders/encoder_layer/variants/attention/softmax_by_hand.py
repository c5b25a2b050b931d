import torch
import torch.nn as nn


def my_softmax(x, dim):
    e = torch.exp(x - x.max(dim=dim, keepdim=True).values)
    return e / e.sum(dim=dim, keepdim=True)


class Attention(nn.Module):
    def __init__(self, mask_future: bool = False):
        super().__init__()
        self.mask_future = mask_future

    def forward(self, query, key, value, attention_mask=None):
        d_k = query.size(-1)
        s = query.matmul(key.mT).div(d_k**0.5)
        lowest = torch.finfo(s.dtype).min
        if attention_mask is not None:
            shape = [s.size(0)] + [1] * (s.dim() - 2) + [s.size(-1)]
            s = torch.where(attention_mask.reshape(shape) > 0, s, lowest)
        if self.mask_future:
            i = torch.arange(s.size(-2))[:, None]
            j = torch.arange(s.size(-1))[None, :]
            s = torch.where(j <= i, s, lowest)
        return my_softmax(s, dim=-1) @ value
