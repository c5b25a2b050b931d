import torch
from torch import Tensor, nn


class Attention(nn.Module):
    """All leading dimensions are folded into one, and unfolded at the end."""

    def __init__(self, mask_future: bool = False):
        super().__init__()
        self.mask_future = mask_future

    def forward(self, query: Tensor, key: Tensor, value: Tensor, attention_mask: Tensor | None = None):
        lead = query.shape[:-2]
        q, k, v = (x.reshape(-1, *x.shape[-2:]) for x in (query, key, value))
        hidden = torch.zeros(len(q), q.size(1), k.size(1), dtype=torch.bool)
        if attention_mask is not None:
            repeats = len(q) // attention_mask.size(0)
            hidden |= (attention_mask == 0).repeat_interleave(repeats, dim=0).unsqueeze(1)
        if self.mask_future:
            hidden |= torch.ones_like(hidden).triu(1)
        bias = torch.zeros(hidden.shape, dtype=q.dtype).masked_fill_(hidden, float("-inf"))
        scores = torch.baddbmm(bias, q, k.transpose(1, 2), alpha=q.size(-1) ** -0.5)
        return torch.bmm(torch.softmax(scores, -1), v).reshape(*lead, *query.shape[-2:-1], -1)
