"""Numbers and names in sentences."""

from collections.abc import Sequence

NAMED = 12  # in one sentence; of the others only their number is said


def plural(number: int, one: str, many: str = "") -> str:
    """Return a number with its noun: `1 student`, `2 students`."""
    return f"{number} {one if number == 1 else many or one + 's'}"


def name_some(names: Sequence[str]) -> str:
    """Return the first twelve names, and how many more there are."""
    more = len(names) - NAMED
    return ", ".join(names[:NAMED]) + (f" and {more} more" if more > 0 else "")
