import torch
from torch import Tensor, nn

import numpy as np


class Attention(nn.Module):
    def __init__(self, mask_future: bool = False):
        super().__init__()
        self.mask_future = mask_future

    def forward(
        self, query: Tensor, key: Tensor, value: Tensor, attention_mask: Tensor | None = None
    ) -> Tensor:
        n, m = query.shape[-2], key.shape[-2]
        scores = query @ key.swapaxes(-1, -2) / np.sqrt(query.shape[-1])
        visible = np.ones((n, m), dtype=bool)
        if self.mask_future:
            visible = np.tril(visible)
        visible = torch.from_numpy(visible).to(scores.device)
        if attention_mask is not None:
            axes = (slice(None),) + (None,) * (scores.ndim - 2)
            visible = visible & (attention_mask != 0)[axes]
        # softmax by hand; the peak is that of the visible scores only
        peak = torch.where(visible, scores, -np.inf).amax(axis=-1, keepdims=True).detach()
        e = torch.exp((scores - peak).clip(max=0)) * visible
        weights = e / e.sum(axis=-1, keepdims=True)
        return weights @ value
