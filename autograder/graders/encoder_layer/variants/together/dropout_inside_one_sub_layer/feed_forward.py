from torch import nn


def PositionWiseFeedForward(d_model, d_ff, p=0.0):
    """The dropout of the sub-layer comes last."""
    layers = [nn.Linear(d_model, d_ff), nn.ReLU(), nn.Linear(d_ff, d_model), nn.Dropout(p)]
    return nn.Sequential(*layers)
