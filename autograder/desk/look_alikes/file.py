"""The format of `.look-alikes.json`, in which `look-alikes` writes what it found for other
programs, and how it is read; it lies beside an assignment's verdicts.
"""

from pathlib import Path
from typing import Annotated

from msgspec import DecodeError, Meta, Struct, json

from autograder.engine import AutograderError, files, verdicts

NAME = ".look-alikes.json"  # hidden: what is without a dot beside it is about one student
MAX_BYTES = 64 << 20

Share = Annotated[float, Meta(ge=0, le=1)]
PageName = Annotated[str, Meta(pattern=r"^[A-Za-z0-9][A-Za-z0-9_.-]*\.html$", max_length=100)]


class AlikeExercise(Struct, frozen=True):
    """How much two students have in common in one exercise."""

    id: str
    share: Share


class AlikePair(Struct, frozen=True):
    """Two students: how much they have in common (`share`), how much honest pairs have
    (`by_chance`), and sentences on what to look at (`signs`).

    Both numbers are those of all exercises together if the pair stands out there, else those of the
    exercise in which it stands out most.
    """

    students: tuple[verdicts.StudentId, verdicts.StudentId]
    share: Share
    by_chance: Share
    exercises: list[AlikeExercise] = []
    signs: list[str] = []


class LookAlikes(Struct, frozen=True, tag_field="schema", tag=1):
    """All that was found in one assignment; `pairs` has the most alike first. `pages` is the name
    of the page for people, if it lies in this file's folder.
    """

    assignment: str
    identical: list[list[verdicts.StudentId]] = []
    pairs: list[AlikePair] = []
    pages: PageName | None = None


def read_look_alikes(folder: Path) -> LookAlikes | None:
    """Read what `look-alikes` wrote into an assignment's folder of results; return None if it was
    not run.

    Raises `AutograderError` if the file is damaged, or is of another assignment.
    """
    path = folder / NAME
    try:
        found = json.decode(files.read_regular(path, MAX_BYTES, folder), type=LookAlikes)
    except FileNotFoundError:
        return None
    except (OSError, DecodeError, UnicodeDecodeError, RecursionError) as error:
        raise AutograderError(
            f"`{path}` cannot be read: run `python -m autograder look-alikes` again."
        ) from error
    if found.assignment != folder.resolve().name:
        raise AutograderError(f"`{path}` is of `{found.assignment}`: put it where it belongs.")
    return found
