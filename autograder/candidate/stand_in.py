"""Stand-ins: modules that know no answer and take the place of a student's own part."""

import contextlib
import copy
import inspect
import itertools
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import torch
from torch import nn

Calls = tuple[inspect.Signature, ...]
numbers = itertools.count()


@dataclass(frozen=True)
class Role:
    """A part that is played: its name, and the arguments that the statement gives it."""

    name: str
    constructor: list[str]
    forward: list[str]
    scene: int = 0  # which of the examiner's casts plays it


class Played(torch.autograd.Function):
    """The examiner computes a part's answer, and on the way back its gradients."""

    @staticmethod
    def forward(ctx, stand_in: "StandIn", *handed):
        ctx.question = stand_in, list(handed)
        return type(stand_in).ask(*ctx.question, None)

    @staticmethod
    def backward(ctx, upstream):
        return None, *type(ctx.question[0]).ask(*ctx.question, upstream)


class StandIn(nn.Module):
    """Returns a given tensor, passes its input on, or asks the examiner, who plays the part."""

    role: Role
    constructor: Calls
    handing: Calls  # of `forward`
    ask: Callable
    passes = False
    returns: torch.Tensor | None = None

    def __init__(self, *args, **kwargs):
        super().__init__()
        self.number = next(numbers)
        built = bind(self.constructor, args, kwargs, defaults=False)  # those are the part's own
        self.built = {name: plain(value) for name, value in built.items()}

    def forward(self, *args, **kwargs):
        if self.returns is not None:
            return self.returns
        if self.passes:
            return [*args, *kwargs.values()][0]
        handed = bind(self.handing, (self, *args), kwargs)
        _, *values = handed.values()
        return Played.apply(self, *values)

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
        self.calls: dict[str, tuple[Any, Calls, Calls]] = {}  # of what is hidden, once looked up

    def make(
        self, role: Role, real: Any, passes: bool, returns: torch.Tensor | None
    ) -> type[StandIn]:
        if role.name not in self.calls or self.calls[role.name][0] is not real:
            handing = signatures(getattr(real, "forward", None), ["self", *role.forward])
            self.calls[role.name] = real, signatures(real, role.constructor), handing
        _, constructor, handing = self.calls[role.name]
        facts = {
            "role": role,
            "constructor": constructor,
            "handing": handing,
            "passes": passes,
            "returns": returns,
            "ask": staticmethod(self.ask),
        }
        return type(role.name, (StandIn,), facts)

    def hide(self, role: Role, passes: bool, returns: torch.Tensor | None) -> None:
        real = self.hidden.setdefault(role.name, self.names.get(role.name))
        self.names[role.name] = self.make(role, real, passes, returns)

    def restore(self) -> None:
        for name, real in self.hidden.items():
            if real is None:
                self.names.pop(name, None)
            else:
                self.names[name] = real
        self.hidden.clear()


def signatures(real: Any, statement: list[str]) -> Calls:
    """How the student's own part is called, if it says so, and how the statement's is."""
    kind = inspect.Parameter.POSITIONAL_OR_KEYWORD
    said = inspect.Signature([inspect.Parameter(name, kind, default=None) for name in statement])
    try:
        return inspect.signature(real), said
    except (TypeError, ValueError):
        return (said,)


def bind(calls: Calls, args: tuple, kwargs: dict, defaults: bool = True) -> dict[str, object]:
    """Return the arguments in order, by the student's names for them or else by the statement's.

    Those that were left out have their default, or are left out here, too. Raises `TypeError`, as
    the real part would, where they fit neither signature.
    """
    *own, said = calls
    for signature in own:
        with contextlib.suppress(TypeError):
            return _arguments(signature, args, kwargs, defaults)
    return _arguments(said, args, kwargs, defaults)


def _arguments(
    signature: inspect.Signature, args: tuple, kwargs: dict, defaults: bool
) -> dict[str, object]:
    bound = signature.bind(*args, **kwargs)
    if defaults:
        bound.apply_defaults()
    named: dict[str, object] = {}
    for name, value in bound.arguments.items():
        kind = signature.parameters[name].kind
        if kind is inspect.Parameter.VAR_POSITIONAL:
            named |= {f"{name}{i}": item for i, item in enumerate(value)}
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
