"""Record which functions and operators of torch a call uses, whatever names the code has for them.

A function mode of torch sees functions that are called from Python. A dispatch mode sees the
operators that are executed below. Neither is enough alone: `torch.rms_norm` has no operator of its
own on a CPU, and compiled code calls no Python function. A hook sees the modules that run, also
those that are not registered in the layer that calls them.
"""

import contextlib
import itertools
import threading
from collections.abc import Callable, Iterable, Iterator
from typing import Any

import torch
from torch import nn
from torch.nn.modules.module import register_module_forward_pre_hook
from torch.overrides import TorchFunctionMode
from torch.utils._python_dispatch import TorchDispatchMode

from autograder.engine.candidate.tensors import floats, with_gradient

MAX_NAMES = 1_000
MAX_MODULES = 5_000  # of a layer


class CallNames:
    """Collects the names of functions or operators that are called."""

    def __init__(self) -> None:
        super().__init__()
        self.names: set[str] = set()

    def add(self, called: Callable) -> None:
        """Add the name of a function, method or operator, without the overload: `rms_norm` for
        `rms_norm.default`.
        """
        self.names.add(getattr(called, "__name__", "").partition(".")[0])


class Functions(CallNames, TorchFunctionMode):
    """Within this mode of torch, collects the names of functions that are called from Python."""

    def __torch_function__(self, function, types, args=(), kwargs=None):
        self.add(function)
        return function(*args, **(kwargs or {}))


class Operators(CallNames, TorchDispatchMode):
    """Within this mode of torch, collects the names of operators that torch executes."""

    @classmethod
    def _should_skip_dynamo(cls) -> bool:
        # excluding this mode from `torch.compile` would import `torch._dynamo`, which takes 0.8 s
        return False

    def __torch_dispatch__(self, operator, types, args=(), kwargs=None):
        self.add(operator)
        return operator(*args, **(kwargs or {}))


@contextlib.contextmanager
def _noting_modules(kinds: set[type]) -> Iterator[None]:
    """Within this block, add the class of each module that this thread runs to `kinds`."""
    this_thread = threading.get_ident()

    def note(module: nn.Module, _: object) -> None:
        if threading.get_ident() == this_thread:
            kinds.add(type(module))

    hook = register_module_forward_pre_hook(note)
    try:
        yield
    finally:
        hook.remove()


def library_calls(called: Callable, args: list) -> list[str]:
    """Call a module or function with `args` and run the backward pass. Return the sorted names of
    torch's functions, operators and module classes that this uses, at most MAX_NAMES.

    Modules that are registered in a module count as used. Exceptions are suppressed, and the result
    then holds the names until the exception.
    """
    functions, operators = Functions(), Operators()
    kinds = set(map(type, _parts(called))) if isinstance(called, nn.Module) else set()
    args = [with_gradient(arg) for arg in args]
    answer: Any = None
    with torch.enable_grad():
        with contextlib.suppress(Exception), _noting_modules(kinds), functions, operators:
            answer = called(*args)
        answers = answer if isinstance(answer, tuple | list) else [answer]
        ends = tuple(end for end in answers if floats(end) and end.requires_grad)
        upstream = tuple(map(torch.ones_like, ends))
        # not `torch.autograd.backward`: a function mode does not see calls below a function
        run = torch.autograd.graph._engine_run_backward
        with contextlib.suppress(Exception), functions:
            run(ends, upstream, False, False, (), allow_unreachable=True, accumulate_grad=True)
    return sorted(functions.names | operators.names | _torch_classes(kinds))[:MAX_NAMES]


def _parts(module: nn.Module) -> Iterator[nn.Module]:
    yield from itertools.islice(module.modules(), MAX_MODULES)


def _torch_classes(kinds: Iterable[type]) -> set[str]:
    classes = {base for kind in kinds for base in kind.__mro__}
    return {kind.__name__ for kind in classes if kind.__module__.startswith("torch.")}
