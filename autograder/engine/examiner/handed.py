"""References to objects of the candidate's process, which a question passes as arguments."""

from collections.abc import Sequence
from dataclasses import dataclass


class Handle:
    """A reference to an object in the candidate's process, by its number."""

    handle: int


@dataclass(frozen=True)
class PlayedFunction(Handle):
    """A reference to a function that the student's code may call; the examiner computes its result."""

    handle: int


def with_places(args: Sequence[object]) -> tuple[list[object], list[list]]:
    """Return the arguments with None in place of each object of the candidate's, and the places of
    these objects.

    A place is [index, object number], or [index, [object numbers]] for a list of objects.
    """
    numbers = [_numbers(arg) for arg in args]
    places = [[place, one] for place, one in enumerate(numbers) if one is not None]
    return [arg if one is None else None for arg, one in zip(args, numbers, strict=True)], places


def _numbers(arg: object) -> int | list[int] | None:
    """Return the number of an object of the candidate's, or the numbers in a list of such objects;
    None for any other argument.
    """
    if isinstance(arg, Handle):
        return arg.handle
    items = arg if isinstance(arg, list) else []
    found = [item.handle for item in items if isinstance(item, Handle)]
    return found if found and len(found) == len(items) else None
