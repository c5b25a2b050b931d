"""Bind a part's arguments to names: those of the student's signature, or else the statement's.

def __init__(self, width, causal=False)      the student's, of a part built as Attention(8, causal=True)
bind(..., (8,), {"causal": True})            {"width": 8, "causal": True}
"""

import contextlib
import inspect
from typing import Any

Signatures = tuple[inspect.Signature, ...]


def with_self(signature: inspect.Signature) -> inspect.Signature:
    """Return the signature with a parameter `self` added as the first."""
    own = inspect.Parameter("self", inspect.Parameter.POSITIONAL_ONLY)
    return signature.replace(parameters=[own, *signature.parameters.values()])


def signatures(real: Any, statement: list[str]) -> Signatures:
    """Return the signature of `real`, the student's part, if it has one, and then the statement's.

    `statement`: the names of the arguments in the statement.
    """
    kind = inspect.Parameter.POSITIONAL_OR_KEYWORD
    stated = inspect.Signature([inspect.Parameter(name, kind, default=None) for name in statement])
    try:
        return inspect.signature(real), stated
    except (TypeError, ValueError):
        return (stated,)


def bind(own_and_stated: Signatures, args: tuple, kwargs: dict, defaults: bool = True) -> dict:
    """Return the arguments `args` and `kwargs` by name: by the first of the signatures
    `own_and_stated` that they fit.

    Omitted arguments get their default; without `defaults`, they are left out. Raise `TypeError` if
    the arguments fit no signature.
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
    """Return a plain value unchanged, and anything else as the text of its type. Of lists, tuples
    and dicts, each item is converted; a tuple becomes a list.
    """
    if isinstance(value, (list, tuple)):
        return [plain(item) for item in value]
    if isinstance(value, dict):
        return {str(name): plain(item) for name, item in value.items()}
    return value if value is None or type(value) in (bool, int, float, str) else str(type(value))
