"""Pairs of submissions that look alike, as `look-alikes` has written them. For staff alone."""

from pathlib import Path
from typing import Annotated

import msgspec
from msgspec import Meta, Struct

from autograder.engine.verdict import StudentId
from autograder.files import read_regular

FILE = ".look-alikes.json"
MAX_BYTES = 64 << 20

Share = Annotated[float, Meta(ge=0, le=1)]
PageName = Annotated[str, Meta(pattern=r"^[A-Za-z0-9][A-Za-z0-9_.-]*\.html$", max_length=100)]


class LookAlikesError(Exception):
    """There are look-alikes, but they cannot be read; the message says why and what to do."""


class AlikeExercise(Struct, frozen=True):
    """How much of one exercise two have in common."""

    id: str
    share: Share


class AlikePair(Struct, frozen=True):
    """Two students, what share of their code they have in common, and what honest pairs reach."""

    students: Annotated[list[StudentId], Meta(min_length=2, max_length=2)]
    share: Share
    by_chance: Share
    exercises: list[AlikeExercise] = []
    signs: list[str] = []


class LookAlikes(Struct, frozen=True, tag_field="schema", tag=1):
    """All of one assignment, most alike first."""

    assignment: str
    identical: list[list[StudentId]] = []
    pairs: list[AlikePair] = []
    pages: PageName | None = None  # where they are seen side by side


def read_look_alikes(folder: Path) -> LookAlikes | None:
    """Return the look-alikes in an assignment's folder of results; None where nobody looked for any.

    Raises `LookAlikesError`.
    """
    path = folder / FILE
    try:
        found = msgspec.json.decode(read_regular(path, MAX_BYTES, folder), type=LookAlikes)
    except FileNotFoundError:
        return None
    except (OSError, msgspec.DecodeError, UnicodeDecodeError, RecursionError) as error:
        raise LookAlikesError(
            f"`{path}` cannot be read: run `python -m autograder look-alikes` again."
        ) from error
    if found.assignment != folder.resolve().name:
        raise LookAlikesError(f"`{path}` is of `{found.assignment}`: put it where it belongs.")
    return found
