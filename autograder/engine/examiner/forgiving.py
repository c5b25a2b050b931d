"""Compare a value with the expected value as leniently as a person who marks it.

Type, case, spaces, hyphens, underscores, a decimal comma and the spelling of a key do not matter,
nor does one unit of the last required digit. Values come from a student's code and may be anything.

    agrees("0,67", 2 / 3, digits=2)                      True
    agrees(1, True, digits=3)                            True
    agrees({"Batch-Norm": "ROWS"}, {"batch norm": "rows"}, digits=3)    True
    agrees([0.5, 0.6], [0.5, 0.67], digits=2)            False: 0.6 is farther than 0.01 away
"""

import math
from collections.abc import Mapping
from dataclasses import dataclass

import torch

TRUTHS = {
    **dict.fromkeys(("true", "t", "yes", "y", "1"), True),
    **dict.fromkeys(("false", "f", "no", "n", "0"), False),
}
UNCOUNTED = str.maketrans("", "", " \t\n_-")  # in texts and keys
MAX_TEXT = 200  # characters of a text that is compared
MAX_ITEMS = 1_000  # of a list


def agrees(answer: object, expected: object, digits: int, as_decimals: bool = False) -> bool:
    """Whether a student's value agrees with `expected`.

    `expected` is a number, text, boolean or tensor, or a list or dict of these. Numbers are
    compared to `digits` significant digits or decimals, whichever is coarser; with `as_decimals`,
    to decimals. Further keys of a student's dict do not count. A list of more than MAX_ITEMS items,
    or a tensor of more numbers, never agrees.
    """
    compared = digits, as_decimals
    match expected:
        case torch.Tensor():
            return expected.numel() <= MAX_ITEMS and agrees(answer, expected.tolist(), *compared)
        case bool():
            return _truth(answer) is expected
        case int() | float():
            number, expected_number = _number(answer), _number(expected)
            if number is None or expected_number is None:
                return False
            return abs(number - expected_number) <= _allowed(expected_number, *compared)
        case str():
            return isinstance(answer, str) and folded(answer) == folded(expected)
        case list() | tuple():
            items = _items(answer)
            return len(items) == len(expected) and all(
                agrees(item, expected_item, *compared)
                for item, expected_item in zip(items, expected, strict=True)
            )
        case dict():
            return isinstance(answer, Mapping) and all(
                agrees(entry(answer, key), expected_value, *compared)
                for key, expected_value in expected.items()
            )
    return answer is expected


@dataclass(frozen=True, eq=False)
class LenientValue:
    """A student's value. Two are equal if `agrees` holds for their values."""

    value: object
    digits: int
    as_decimals: bool = False

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, LenientValue):
            return False
        return agrees(self.value, other.value, self.digits, self.as_decimals)


def entry(values: Mapping, key: object) -> object:
    """Return the value of `key`, or of the only key that differs just in case, spaces, hyphens or
    underscores.

    Return None if no key matches, or several do.
    """
    return next((values[name] for name in _meant(values, key)), None)


def has_entry(values: Mapping, key: object) -> bool:
    """Whether `entry` finds `key` in `values`."""
    return bool(_meant(values, key))


def _meant(values: Mapping, key: object) -> list[object]:
    """Return the only key of `values` that matches `key`, in a list, or [] if it is not unique."""
    if key in values:
        return [key]
    folded_key = folded(str(key))
    alike = [name for name in values if folded(str(name)) == folded_key]
    return alike if len(alike) == 1 else []


def folded(text: str) -> str:
    """Return a text in lower case, without spaces, hyphens and underscores, cut at MAX_TEXT
    characters.
    """
    return text[:MAX_TEXT].translate(UNCOUNTED).casefold()


def _allowed(expected: float, digits: int, as_decimals: bool) -> float:
    # one unit of the last digit, because rounding the wrong way is not a mistake
    integer_digits = 0 if as_decimals or not expected else math.floor(math.log10(abs(expected))) + 1
    return 10.0 ** (max(integer_digits, 0) - digits) * (1 + 1e-9)


def _number(answer: object) -> float | None:
    """Return a number, a text or a tensor of a single element as a finite float, else None."""
    if isinstance(answer, torch.Tensor):
        answer = answer.item() if answer.numel() == 1 else None
    if isinstance(answer, str):
        answer = _read_number(answer)
    if isinstance(answer, bool) or not isinstance(answer, int | float):
        return None
    try:
        return float(answer) if math.isfinite(answer) else None
    except OverflowError:
        return None


def _read_number(text: str) -> float | None:
    try:
        return float(text[:MAX_TEXT].strip().replace(",", "."))
    except ValueError:
        return None


def _truth(answer: object) -> bool | None:
    match answer:
        case bool():
            return answer
        case int() | str():
            return TRUTHS.get(folded(str(answer)))
        case torch.Tensor() if answer.numel() == 1:
            return _truth(answer.item())
    return None


def _items(answer: object) -> list:
    """Return the items of a list, tuple or tensor, or [] for anything else or too many items."""
    if isinstance(answer, torch.Tensor):
        answer = answer.tolist() if answer.dim() > 0 and answer.numel() <= MAX_ITEMS else []
    return [*answer] if isinstance(answer, list | tuple) and len(answer) <= MAX_ITEMS else []
