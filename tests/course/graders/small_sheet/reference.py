"""What a correct solution computes.

Zhang and Sennrich, "Root Mean Square Layer Normalization" (2019), equation 4.
"""

import torch
from torch import Tensor, nn


class RMSNorm(nn.Module):
    """x / sqrt(mean(x^2) + eps) * weight, over the last axis. x: (..., features), returned alike."""

    def __init__(self, features: int, eps: float = 1e-6):
        super().__init__()
        self.weight = nn.Parameter(torch.ones(features))
        self.eps = eps

    def forward(self, x: Tensor) -> Tensor:
        return x * (x.square().mean(-1, keepdim=True) + self.eps).rsqrt() * self.weight


def softmax(scores: Tensor) -> Tensor:
    """exp(scores) / sum(exp(scores)) over the last axis. scores: (..., n), returned alike."""
    return scores.softmax(-1)
