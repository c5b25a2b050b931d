from torch import nn


def PositionWiseFeedForward(d_model: int, d_ff: int) -> nn.Sequential:
    ffn = nn.Sequential()
    ffn.add_module("linear1", nn.Linear(d_model, d_ff))
    ffn.add_module("relu", nn.ReLU())
    ffn.add_module("linear2", nn.Linear(d_ff, d_model))
    return ffn
