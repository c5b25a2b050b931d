"""Record the calls of a student's code: calls of stand-ins, and of torch's own norms."""

import math
from typing import NamedTuple

import torch
from torch import Tensor, nn
from torch.overrides import TorchFunctionMode


class Call(NamedTuple):
    """One call of a stand-in, with its inputs and its answer."""

    part: nn.Module
    words: list[Tensor]  # inputs of (batch, seq, d_model)
    masks: list[Tensor]  # all other inputs
    answer: Tensor


def fixed_map(features: int) -> Tensor:
    """Return the matrix by which a stand-in multiplies, (features, features).

    It is random, but the same each time.
    """
    generator = torch.Generator().manual_seed(features)
    return torch.randn(features, features, generator=generator) / math.sqrt(features)


class ReadyMadeNorms(TorchFunctionMode):
    """A context manager that records calls of torch's own norms within its block."""

    KNOWN = "layer_norm", "rms_norm", "group_norm", "instance_norm", "batch_norm"

    def __init__(self) -> None:
        super().__init__()
        self.called: dict[str, None] = {}  # names, each once, in the order of the first calls

    def __torch_function__(self, function, types, arguments=(), keywords=None):
        name = getattr(function, "__name__", "").removeprefix("native_")
        if name in self.KNOWN:
            self.called[f"`{name}`"] = None
        return function(*arguments, **(keywords or {}))
