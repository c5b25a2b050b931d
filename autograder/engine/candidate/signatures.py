"""Bind a part's arguments to the names of the student's signature, or else the statement's.

def __init__(self, width, causal=False)      the student's, of a part built as Attention(8, causal=True)
bind(..., (8,), {"causal": True})            {"width": 8, "causal": True}
"""

import contextlib
import inspect
from typing import Any

Signatures = tuple[inspect.Signature, ...]


def with_self(signature: inspect.Signature) -> inspect.Signature:
    """Return the signature with `self` as an additional first parameter."""
    first = inspect.Parameter("self", inspect.Parameter.POSITIONAL_ONLY)
    return signature.replace(parameters=[first, *signature.parameters.values()])


def signatures(real: Any, statement: list[str]) -> Signatures:
    """Return the signature of the student's part `real`, if it has any, and then the statement's.

    `statement`: the names of the arguments in the statement.
    """
    kind = inspect.Parameter.POSITIONAL_OR_KEYWORD
    stated = inspect.Signature([inspect.Parameter(name, kind, default=None) for name in statement])
    try:
        return inspect.signature(real), stated
    except (TypeError, ValueError):
        return (stated,)


def bind(own_and_stated: Signatures, args: tuple, kwargs: dict, defaults: bool = True) -> dict:
    """Return the arguments by name, from the first of the signatures `own_and_stated` that fits.

    Omitted arguments get their default or, without `defaults`, are left out. Raise `TypeError` if
    the arguments fit no signature.
    """
    *student_signatures, stated = own_and_stated
    for signature in student_signatures:
        with contextlib.suppress(TypeError):
            return _arguments(signature, args, kwargs, defaults)
    return _arguments(stated, args, kwargs, defaults)


def _arguments(
    signature: inspect.Signature, args: tuple, kwargs: dict, defaults: bool
) -> dict[str, object]:
    bound = signature.bind(*args, **kwargs)
    if defaults:
        bound.apply_defaults()
    by_name: dict[str, object] = {}
    for name, value in bound.arguments.items():
        kind = signature.parameters[name].kind
        if kind is inspect.Parameter.VAR_POSITIONAL:
            by_name |= {f"{name}{i}": item for i, item in enumerate(value)}
        elif kind is inspect.Parameter.VAR_KEYWORD:
            by_name |= value
        else:
            by_name[name] = value
    return by_name


def plain(value: object) -> object:
    """Return a plain value unchanged, and other values as the text of their type.

    The items of lists, tuples and dicts are converted, and a tuple becomes a list.
    """
    if isinstance(value, (list, tuple)):
        return [plain(item) for item in value]
    if isinstance(value, dict):
        return {str(name): plain(item) for name, item in value.items()}
    return value if value is None or type(value) in (bool, int, float, str) else str(type(value))
