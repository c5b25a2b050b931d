import numpy as np
import torch
import torch.nn as nn


def subsequent_mask(rows, columns):
    """1 on and below the diagonal."""
    return torch.from_numpy(1 - np.triu(np.ones((rows, columns)), k=1).astype("uint8"))


class Attention(nn.Module):
    def __init__(self, mask_future: bool = False):
        super().__init__()
        self.mask_future = mask_future
        self.softmax = nn.Softmax(dim=-1)
        self.weights = None  # of the last call, for pictures

    def forward(self, query, key, value, attention_mask=None):
        scores = query @ key.transpose(-2, -1) / np.sqrt(query.size(-1))
        mask = torch.ones(scores.shape, dtype=torch.bool)
        if attention_mask is not None:
            padding = attention_mask.bool()[:, None, :]
            if scores.dim() == 4:
                padding = padding[:, None].repeat(1, scores.size(1), scores.size(2), 1)
            mask = mask & padding
        if self.mask_future:
            mask = mask & subsequent_mask(scores.size(-2), scores.size(-1)).bool()
        self.weights = self.softmax(scores.masked_fill(~mask, float("-inf")))
        return self.weights @ value
