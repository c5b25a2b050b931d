"""The format of `.look-alikes.json`, in which `look-alikes` writes what it found for other
programs; it lies beside an assignment's verdicts.
"""

from typing import Annotated

from msgspec import Meta, Struct

from autograder.engine.verdict.verdict import StudentId

NAME = ".look-alikes.json"  # hidden: what is without a dot beside it is about one student

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

    students: tuple[StudentId, StudentId]
    share: Share
    by_chance: Share
    exercises: list[AlikeExercise] = []
    signs: list[str] = []


class LookAlikes(Struct, frozen=True, tag_field="schema", tag=1):
    """All that was found in one assignment; `pairs` has the most alike first. `pages` is the name
    of the page for people, if it lies in this file's folder.
    """

    assignment: str
    identical: list[list[StudentId]] = []
    pairs: list[AlikePair] = []
    pages: PageName | None = None
