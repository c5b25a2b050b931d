import torch
from torch import nn


class CutOffNegative(nn.Module):
    def forward(self, x):
        return torch.maximum(x, torch.zeros_like(x))


class PositionWiseFeedForward(nn.Sequential):
    def __init__(self, d_model, d_ff):
        super().__init__()
        self.linear1 = nn.Linear(d_model, d_ff)
        self.relu = CutOffNegative()
        self.linear2 = nn.Linear(d_ff, d_model)
