import torch.nn as nn


class PositionWiseFeedForward(nn.Module):
    def __init__(self, d_model, d_ff):
        super().__init__()
        self.w_1 = nn.Linear(d_model, d_ff)
        self.w_2 = nn.Linear(d_ff, d_model)
        self.layers = nn.Sequential(self.w_1, nn.ReLU(), self.w_2)

    def forward(self, x):
        return self.layers(x)
