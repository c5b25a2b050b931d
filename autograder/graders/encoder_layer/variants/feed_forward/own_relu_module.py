import torch
from torch import nn


class ReLU(nn.Module):
    def forward(self, x):
        return torch.clamp(x, min=0)


class PositionWiseFeedForward(nn.Sequential):
    def __init__(self, d_model, d_ff):
        super().__init__()
        self.linear1 = nn.Linear(d_model, d_ff)
        self.relu = ReLU()
        self.linear2 = nn.Linear(d_ff, d_model)
