"""References to objects of the candidate's process, which a question passes as arguments."""

from collections.abc import Sequence
from dataclasses import dataclass


class Handle:
    """A reference to an object in the candidate's process, by its number."""

    handle: int


@dataclass(frozen=True)
class PlayedFunction(Handle):
    """A reference to a function that the student's code calls and the examiner computes."""

    handle: int


def with_places(args: Sequence[object]) -> tuple[list[object], list[list]]:
    """Return the arguments with None for the candidate's objects, and the places of these objects.

    A place is [index, object number], or [index, [object numbers]] for a list of objects.
    """
    numbers = [_numbers(arg) for arg in args]
    places = [[place, number] for place, number in enumerate(numbers) if number is not None]
    return [
        arg if number is None else None for arg, number in zip(args, numbers, strict=True)
    ], places


def _numbers(arg: object) -> int | list[int] | None:
    """Return the number of a candidate's object, or the numbers in a list of them, else None."""
    if isinstance(arg, Handle):
        return arg.handle
    items = arg if isinstance(arg, list) else []
    handles = [item.handle for item in items if isinstance(item, Handle)]
    return handles if handles and len(handles) == len(items) else None
