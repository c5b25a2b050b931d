"""By which names a part gets its arguments: those of the student's own signature, or else the statement's.

def __init__(self, width, causal=False)      the student's, of a part built as Attention(8, causal=True)
bind(..., (8,), {"causal": True})            {"width": 8, "causal": True}
"""

import contextlib
import inspect
from typing import Any

Signatures = tuple[inspect.Signature, ...]


def with_self(signature: inspect.Signature) -> inspect.Signature:
    """The signature of a method: the same behind `self`."""
    own = inspect.Parameter("self", inspect.Parameter.POSITIONAL_ONLY)
    return signature.replace(parameters=[own, *signature.parameters.values()])


def signatures(real: Any, statement: list[str]) -> Signatures:
    """The signature of the student's own part, if it has one, and the statement's."""
    kind = inspect.Parameter.POSITIONAL_OR_KEYWORD
    stated = inspect.Signature([inspect.Parameter(name, kind, default=None) for name in statement])
    try:
        return inspect.signature(real), stated
    except (TypeError, ValueError):
        return (stated,)


def bind(own_and_stated: Signatures, args: tuple, kwargs: dict, defaults: bool = True) -> dict:
    """Return the arguments in order, by the student's names for them or else by the statement's.

    Those that were left out have their default, or are left out here, too. Raises `TypeError`, as
    the real part would, where they fit neither signature.
    """
    *own, stated = own_and_stated
    for signature in own:
        with contextlib.suppress(TypeError):
            return _arguments(signature, args, kwargs, defaults)
    return _arguments(stated, args, kwargs, defaults)


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
