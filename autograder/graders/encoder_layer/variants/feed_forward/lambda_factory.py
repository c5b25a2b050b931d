import torch.nn as nn

PositionWiseFeedForward = lambda d_model, d_ff: nn.Sequential(
    nn.Linear(d_model, d_ff), nn.ReLU(), nn.Linear(d_ff, d_model)
)
