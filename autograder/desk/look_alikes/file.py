"""The format of `.look-alikes.json`, the result of `look-alikes` for other programs. It lies beside
an assignment's verdicts.
"""

from pathlib import Path
from typing import Annotated

from msgspec import DecodeError, Meta, Struct, json

from autograder.engine import AutograderError, files, verdicts

NAME = ".look-alikes.json"  # hidden, because visible files there are about a single student
MAX_BYTES = 64 << 20

Share = Annotated[float, Meta(ge=0, le=1)]
PageName = Annotated[str, Meta(pattern=r"^[A-Za-z0-9][A-Za-z0-9_.-]*\.html$", max_length=100)]


class AlikeExercise(Struct, frozen=True):
    """How much two students have in common in an exercise."""

    id: str
    share: Share


class AlikePair(Struct, frozen=True):
    """Two students with a similar submission. `share` and `by_chance` are about all exercises
    together if the pair stands out there, else about the exercise in which it stands out most.
    """

    students: tuple[verdicts.StudentId, verdicts.StudentId]
    share: Share  # in common
    by_chance: Share  # share that honest pairs reach
    exercises: list[AlikeExercise] = []
    signs: list[str] = []  # sentences on points to look at


class LookAlikes(Struct, frozen=True, tag_field="schema", tag=1):
    """The result of comparing an assignment's submissions, the most similar pairs first."""

    assignment: str
    identical: list[list[verdicts.StudentId]] = []
    pairs: list[AlikePair] = []
    pages: PageName | None = None  # name of the page for people, if it is in the same folder


def read_look_alikes(folder: Path) -> LookAlikes | None:
    """Return the result in an assignment's folder, None if `look-alikes` was not run. Raises
    `AutograderError` if the file is damaged or of another assignment.
    """
    path = folder / NAME
    try:
        look_alikes = json.decode(files.read_regular(path, MAX_BYTES, folder), type=LookAlikes)
    except FileNotFoundError:
        return None
    except (OSError, DecodeError, UnicodeDecodeError, RecursionError) as error:
        raise AutograderError(
            f"`{path}` cannot be read: run `python -m autograder look-alikes` again."
        ) from error
    if look_alikes.assignment != folder.resolve().name:
        raise AutograderError(
            f"`{path}` is of `{look_alikes.assignment}`: put it where it belongs."
        )
    return look_alikes
