"""Objects on the candidate's side that a question hands over: a layer, or a function that is played."""

from collections.abc import Sequence
from dataclasses import dataclass


class Handle:
    """Stands for an object of the candidate's process."""

    handle: int


@dataclass(frozen=True)
class PlayedFunction(Handle):
    """A function that the student's code may call; the examiner computes what it returns."""

    handle: int


def with_places(args: Sequence[object]) -> tuple[list[object], list[list]]:
    """The arguments with None where objects of the candidate's are, and [place, number] of each, or
    [place, [number, ...]] of a list of them.
    """
    numbers = [_numbers(arg) for arg in args]
    places = [[place, one] for place, one in enumerate(numbers) if one is not None]
    return [arg if one is None else None for arg, one in zip(args, numbers, strict=True)], places


def _numbers(arg: object) -> int | list[int] | None:
    """The number of an object, or those of a list of objects; None for any other argument."""
    if isinstance(arg, Handle):
        return arg.handle
    items = arg if isinstance(arg, list) else []
    found = [item.handle for item in items if isinstance(item, Handle)]
    return found if found and len(found) == len(items) else None
