# %% add_module
from torch.nn import Linear, ReLU, Sequential


class PositionWiseFeedForward(Sequential):
    def __init__(self, d_model, d_ff):
        super(PositionWiseFeedForward, self).__init__()
        for name, module in {
            "linear1": Linear(d_model, d_ff),
            "relu": ReLU(),
            "linear2": Linear(d_ff, d_model),
        }.items():
            self.add_module(name, module)


# %% append_with_dropout_between
import torch.nn as nn


class PositionWiseFeedForward(nn.Sequential):
    """Linear, ReLU, (dropout,) Linear. Nothing is dropped unless somebody asks for it."""

    def __init__(self, d_model: int, d_ff: int, p: float = 0.0):
        super().__init__()
        self.append(nn.Linear(d_model, d_ff))
        self.append(nn.ReLU())
        self.append(nn.Dropout(p))
        self.append(nn.Linear(d_ff, d_model))
        for module in self:
            if isinstance(module, nn.Linear):
                nn.init.xavier_uniform_(module.weight)
                nn.init.zeros_(module.bias)


# %% class_with_sequential_inside
from torch import nn


class PositionWiseFeedForward(nn.Module):
    def __init__(self, d_model, d_ff, dropout=0.0):
        super().__init__()
        self.net = nn.Sequential(
            nn.Linear(d_model, d_ff),
            nn.ReLU(),
            nn.Dropout(dropout),
            nn.Linear(d_ff, d_model),
            nn.Dropout(dropout),
        )

    def forward(self, x):
        return self.net(x)


# %% factory_function
from torch import nn


def PositionWiseFeedForward(d_model: int, d_ff: int) -> nn.Sequential:
    ffn = nn.Sequential()
    ffn.add_module("linear1", nn.Linear(d_model, d_ff))
    ffn.add_module("relu", nn.ReLU())
    ffn.add_module("linear2", nn.Linear(d_ff, d_model))
    return ffn


# %% lambda_factory
import torch.nn as nn

PositionWiseFeedForward = lambda d_model, d_ff: nn.Sequential(
    nn.Linear(d_model, d_ff), nn.ReLU(), nn.Linear(d_ff, d_model)
)


# %% members_named_twice
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


# %% nested_sequentials
from torch import Tensor, nn


def linear_relu(d_in: int, d_out: int) -> nn.Sequential:
    return nn.Sequential(nn.Linear(d_in, d_out), nn.ReLU())


class PositionWiseFeedForward(nn.Sequential):
    def __init__(self, d_model: int, d_ff: int):
        super().__init__()
        self.expand = linear_relu(d_model, d_ff)
        self.contract = nn.Linear(d_ff, d_model)

    def forward(self, x: Tensor) -> Tensor:
        hidden = self.expand(x)
        return self.contract(hidden)


# %% ordered_dict
from collections import OrderedDict

from torch import nn


class PositionWiseFeedForward(nn.Sequential):
    def __init__(self, d_model, d_ff):
        super().__init__(
            OrderedDict(
                [
                    ("linear1", nn.Linear(d_model, d_ff)),
                    ("relu", nn.ReLU()),
                    ("linear2", nn.Linear(d_ff, d_model)),
                ]
            )
        )


# %% own_names_and_a_sequential_of_them
import torch.nn as nn


class PositionWiseFeedForward(nn.Module):
    def __init__(self, d_model, d_ff):
        super().__init__()
        self.w_1 = nn.Linear(d_model, d_ff)
        self.w_2 = nn.Linear(d_ff, d_model)
        self.layers = nn.Sequential(self.w_1, nn.ReLU(), self.w_2)

    def forward(self, x):
        return self.layers(x)


# %% own_relu_module
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


# %% relu_of_another_class
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


# %% unnamed_layers
import torch.nn as nn


class PositionWiseFeedForward(nn.Sequential):
    def __init__(self, d_in: int, d_hidden: int) -> None:
        layers = [nn.Linear(d_in, d_hidden), nn.ReLU(inplace=True), nn.Linear(d_hidden, d_in)]
        super().__init__(*layers)
