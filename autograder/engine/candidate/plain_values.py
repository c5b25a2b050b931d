"""Convert the answer of a student's function, or the value of a variable, to plain values and
tensors.
"""

import enum

import numpy as np
import torch

from autograder.engine.candidate.faults import Unanswerable
from autograder.engine.candidate.frames import KEYS

MAX_DEPTH = 20  # of lists and dicts in each other
MAX_BITS = 1024  # of an integer; a float has no larger one


def plain_value(value: object, depth: int = 0) -> object:
    """Return the value as None, bool, int, float, str, tensor, or a list, tuple or dict of these.

    Numbers and arrays of NumPy become Python's numbers and tensors, `...` (not filled in yet)
    becomes None, an enum member its value, and an instance of a subclass gets its plain base type.
    `depth`: the number of lists and dicts around the value. Raise `Unanswerable` for other types,
    and beyond MAX_DEPTH.
    """
    if depth > MAX_DEPTH:
        raise Unanswerable("no_value", "too deep")
    if isinstance(value, enum.Enum):
        value = value.value
    if isinstance(value, np.generic):
        value = value.item()
    if isinstance(value, np.ndarray):
        return _tensor(value)
    if value is None or value is ...:
        return None
    if isinstance(value, torch.Tensor):
        return value
    if isinstance(value, str):
        return _text(value)
    if isinstance(value, int) and not isinstance(value, bool):
        return _integer(int(value))
    for kind in (bool, float):
        if isinstance(value, kind):
            return kind(value)
    if isinstance(value, tuple | list):
        items = [plain_value(item, depth + 1) for item in value]
        return tuple(items) if isinstance(value, tuple) else items
    if isinstance(value, dict):
        return {_key(key): plain_value(item, depth + 1) for key, item in value.items()}
    raise Unanswerable("no_value", type(value).__name__)


def _integer(value: int) -> int:
    if value.bit_length() > MAX_BITS:  # Python refuses to write down much longer ones
        raise Unanswerable("no_value", "a number too large")
    return value


def _text(value: str) -> str:
    text = str(value)
    try:
        text.encode()  # raises for half a surrogate pair, which no frame can hold
    except UnicodeEncodeError as error:
        raise Unanswerable("no_value", "half a character") from error
    return text


def _tensor(array: np.ndarray) -> torch.Tensor:
    try:
        return torch.from_numpy(np.ascontiguousarray(array))
    except TypeError as error:  # an array of objects or texts
        raise Unanswerable("no_value", str(array.dtype)) from error


def _key(key: object) -> object:
    key = plain_value(key)
    if type(key) not in KEYS:
        raise Unanswerable("no_value", f"a key that is a {type(key).__name__}")
    return key
