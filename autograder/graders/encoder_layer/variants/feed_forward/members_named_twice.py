import torch.nn as nn


class PositionWiseFeedForward(nn.Module):
    """The members by name, and once more in the order in which they run."""

    def __init__(self, d_model, d_ff):
        super().__init__()
        self.linear2 = nn.Linear(d_ff, d_model)
        self.linear1 = nn.Linear(d_model, d_ff)
        self.relu = nn.ReLU()
        self.pipeline = nn.Sequential(self.linear1, self.relu, self.linear2)

    def forward(self, x):
        return self.pipeline(x)
