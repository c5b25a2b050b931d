from collections import OrderedDict

from torch import nn


class PositionWiseFeedForward(nn.Sequential):
    def __init__(self, d_model, d_ff, dropout=0.0):
        members = OrderedDict()
        members["linear1"] = nn.Linear(d_model, d_ff)
        members["relu"] = nn.ReLU()
        members["dropout"] = nn.Dropout(dropout)
        members["linear2"] = nn.Linear(d_ff, d_model)
        super().__init__(members)
