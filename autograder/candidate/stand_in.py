"""Stand-ins: modules that know no answer and take the place of a student's own part."""

import copy
import inspect
import itertools
from collections.abc import Callable
from typing import Any

import torch
from torch import nn

numbers = itertools.count()


class Played(torch.autograd.Function):
    """The examiner computes a part's answer, and on the way back its gradients."""

    @staticmethod
    def forward(ctx, stand_in: "StandIn", names: list[str], *values):
        ctx.question = stand_in, names, list(values)
        return type(stand_in).ask(*ctx.question, None)

    @staticmethod
    def backward(ctx, upstream):
        return None, None, *type(ctx.question[0]).ask(*ctx.question, upstream)


class StandIn(nn.Module):
    """Returns a given tensor, passes its input on, or asks the examiner, who plays the part."""

    role = ""
    real: Any = None  # what the student wrote under this name, if anything
    ask: Callable
    passes = False
    returns: torch.Tensor | None = None

    def __init__(self, *args, **kwargs):
        super().__init__()
        self.number = next(numbers)
        self.built = {name: plain(value) for name, value in bind(self.real, args, kwargs).items()}

    def forward(self, *args, **kwargs):
        if self.returns is not None:
            return self.returns
        handed = bind(getattr(self.real, "forward", None), (self, *args), kwargs)
        names, values = list(handed)[1:], list(handed.values())[1:]  # without self
        if self.passes:
            return values[0]
        return Played.apply(self, names, *values)

    def __deepcopy__(self, memo):
        twin = copy.copy(self)
        twin.number = next(numbers)
        return twin


class Cast:
    """Makes stand-ins, hides a student's definitions behind them, and brings those back."""

    def __init__(self, names: dict[str, object], ask: Callable):
        self.names = names
        self.ask = ask
        self.hidden: dict[str, object] = {}

    def make(self, role: str, real: Any = None, passes: bool = False) -> type[StandIn]:
        facts = {"role": role, "real": staticmethod(real), "passes": passes}
        return type(role, (StandIn,), facts | {"ask": staticmethod(self.ask)})

    def hide(self, roles: list[str], passes: bool) -> None:
        for role in roles:
            self.hidden.setdefault(role, self.names.get(role))
            self.names[role] = self.make(role, self.hidden[role], passes)

    def restore(self) -> None:
        for role, real in self.hidden.items():
            if real is None:
                self.names.pop(role, None)
            else:
                self.names[role] = real
        self.hidden.clear()


def bind(function: Callable | None, args: tuple, kwargs: dict) -> dict[str, object]:
    """Return the arguments by the names that the student gave them, in the order of the signature.

    Arguments that fit no signature are named by their position: "0", "1", ...
    """
    try:
        bound = inspect.signature(function).bind(*args, **kwargs)  # type: ignore[arg-type]
        bound.apply_defaults()
    except (TypeError, ValueError):
        return {str(i): value for i, value in enumerate(args)} | kwargs
    named: dict[str, object] = {}
    for name, value in bound.arguments.items():
        kind = bound.signature.parameters[name].kind
        if kind is inspect.Parameter.VAR_POSITIONAL:
            named |= {f"{len(named) + i}": item for i, item in enumerate(value)}
        elif kind is inspect.Parameter.VAR_KEYWORD:
            named |= value
        else:
            named[name] = value
    return named


def plain(value: object) -> object:
    """Return the value if it is plain, and otherwise what kind of thing it is."""
    if isinstance(value, (list, tuple)):
        return [plain(item) for item in value]
    if isinstance(value, dict):
        return {str(name): plain(item) for name, item in value.items()}
    return value if value is None or type(value) in (bool, int, float, str) else str(type(value))
