"""`.look-alikes.json` beside the verdicts of an assignment: what `look-alikes` found, for other programs."""

from typing import Annotated

from msgspec import Meta, Struct

from autograder.engine.verdict.verdict import StudentId

NAME = ".look-alikes.json"  # hidden: what is without a dot beside it is about one student

Share = Annotated[float, Meta(ge=0, le=1)]
PageName = Annotated[str, Meta(pattern=r"^[A-Za-z0-9][A-Za-z0-9_.-]*\.html$", max_length=100)]


class AlikeExercise(Struct, frozen=True):
    """How much of one exercise two have in common."""

    id: str
    share: Share


class AlikePair(Struct, frozen=True):
    """Two students: how alike they are, how alike honest pairs are, and what to look at.

    The shares are those of all exercises together; where these do not stand out, those of the exercise
    that does most.
    """

    students: tuple[StudentId, StudentId]
    share: Share
    by_chance: Share
    exercises: list[AlikeExercise] = []
    signs: list[str] = []


class LookAlikes(Struct, frozen=True, tag_field="schema", tag=1):
    """All of one assignment, most alike first. `pages`: the page's name, if it is in this file's folder."""

    assignment: str
    identical: list[list[StudentId]] = []
    pairs: list[AlikePair] = []
    pages: PageName | None = None
