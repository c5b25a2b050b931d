"""Objects on the candidate's side that a question hands over: a layer, or a function that is played."""

from collections.abc import Sequence
from dataclasses import dataclass


class Handle:
    """Stands for an object of the candidate's process."""

    handle: int


@dataclass(frozen=True)
class Played(Handle):
    """A function that the student's code may call; the examiner computes what it returns."""

    handle: int


def with_places(args: Sequence[object]) -> tuple[list[object], list[list[int]]]:
    """The arguments with None where an object of the candidate's is, and [place, number] of each."""
    places = [[place, arg.handle] for place, arg in enumerate(args) if isinstance(arg, Handle)]
    return [None if isinstance(arg, Handle) else arg for arg in args], places
