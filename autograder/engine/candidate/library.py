"""Which of torch's functions a call comes down to, whatever the code calls them.

torch says so while it runs: a function mode sees what is called from Python, a dispatch mode the
operators below it. Neither is enough alone: `torch.rms_norm` has no operator of its own on a CPU, and
compiled code calls no function.
"""

import contextlib
from collections.abc import Callable, Iterator

import torch
from torch import nn
from torch.overrides import TorchFunctionMode
from torch.utils._python_dispatch import TorchDispatchMode

from autograder.engine.candidate.observing import torchs_kinds
from autograder.engine.candidate.tensors import with_gradient

MAX_NAMES = 1_000


class Functions(TorchFunctionMode):
    """Notes the names of the functions that are called."""

    def __init__(self, names: set[str]):
        super().__init__()
        self.names = names

    def __torch_function__(self, function, types, args=(), kwargs=None):
        self.names.add(_name(function))
        return function(*args, **(kwargs or {}))


class Operators(TorchDispatchMode):
    """Notes the names of the operators that are carried out."""

    def __init__(self, names: set[str]):
        super().__init__()
        self.names = names

    @classmethod
    def _should_skip_dynamo(cls) -> bool:
        """No: to be kept out of `torch.compile` takes `torch._dynamo`, which is imported in 0.8 s."""
        return False

    def __torch_dispatch__(self, operator, types, args=(), kwargs=None):
        self.names.add(_name(operator))
        return operator(*args, **(kwargs or {}))


def library_calls(called: Callable, args: list) -> list[str]:
    """Return the names of torch's functions and operators that are called by a call and on its way
    back, and of torch's classes of which a module is made.
    """
    names: set[str] = set()
    functions = Functions(names)
    args = [with_gradient(arg) for arg in args]
    with torch.enable_grad():
        with functions, Operators(names):
            answer = called(*args)
        ends = tuple(_ends(answer))
        upstream = tuple(map(torch.ones_like, ends))
        with functions, contextlib.suppress(Exception):  # what no gradient goes through was called
            _way_back(ends, upstream)
    if isinstance(called, nn.Module):
        names |= {kind.__name__ for kind in torchs_kinds(called)}
    return sorted(names)[:MAX_NAMES]


def _name(called: Callable) -> str:
    """`rms_norm` of the function, of the method and of an operator's overload `rms_norm.default`."""
    return getattr(called, "__name__", "").partition(".")[0]


def _way_back(ends: tuple[torch.Tensor, ...], upstream: tuple[torch.Tensor, ...]) -> None:
    """As `torch.autograd.backward`, which is a function itself: what it calls would not be seen."""
    run = torch.autograd.graph._engine_run_backward
    run(ends, upstream, False, False, (), allow_unreachable=True, accumulate_grad=True)


def _ends(answer: object) -> Iterator[torch.Tensor]:
    """The tensors of an answer that gradients come back from."""
    for one in answer if isinstance(answer, tuple | list) else [answer]:
        if isinstance(one, torch.Tensor) and one.requires_grad:
            yield one
