import torch
from torch import nn


class Attention(nn.Module):
    """Masked keys are taken out after the exponential, then the rest is normalised."""

    def __init__(self, mask_future=False):
        super().__init__()
        self.mask_future = mask_future

    def forward(self, query, key, value, attention_mask=None):
        scores = query @ key.transpose(-2, -1) / query.shape[-1] ** 0.5
        visible = torch.ones_like(scores)
        if attention_mask is not None:
            for _ in range(scores.dim() - 2):
                attention_mask = attention_mask.unsqueeze(1)
            visible = visible * attention_mask
        if self.mask_future:
            visible = visible.tril()
        weights = (scores - scores.amax(-1, keepdim=True)).exp() * visible
        return (weights / weights.sum(-1, keepdim=True)) @ value
