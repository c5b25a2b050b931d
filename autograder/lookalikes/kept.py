"""What was found, as a file for other programs: `.look-alikes.json` beside the verdicts."""

import json
from pathlib import Path
from typing import Annotated

import msgspec
from msgspec import Meta, Struct

from autograder.files import replacing
from autograder.lookalikes.compare import AlikePair, Comparison
from autograder.lookalikes.signs import signs

NAME = ".look-alikes.json"  # hidden: what is without a dot beside it is about one student
DIGITS = 3  # of a share

Share = Annotated[float, Meta(ge=0, le=1)]


class KeptShare(Struct, frozen=True):
    """How alike a pair is in one exercise."""

    id: str
    share: Share


class KeptPair(Struct, frozen=True):
    """One pair: how alike it is, how alike honest pairs are, and what to look at.

    The shares are those of all exercises together; where these do not stand out, those of the exercise
    that does most.
    """

    students: tuple[str, str]
    share: Share
    by_chance: Share
    exercises: list[KeptShare]
    signs: list[str]


class KeptLookAlikes(Struct, frozen=True, tag_field="schema", tag=1):
    """The look-alikes of one assignment. `pages`: the page's name, if it is in this file's folder."""

    assignment: str
    identical: list[list[str]]
    pairs: list[KeptPair]
    pages: str | None


def write_look_alikes(path: Path, assignment: str, found: Comparison, page: str | None) -> None:
    """Write what was found; it takes the place of an earlier one. Raises `OSError`."""
    kept = KeptLookAlikes(
        assignment=assignment,
        identical=found.identical,
        pairs=[_pair(pair, found) for pair in found.pairs],
        pages=page,
    )
    with replacing(path) as file:
        json.dump(msgspec.to_builtins(kept), file, indent=1)
        file.write("\n")


def _pair(pair: AlikePair, found: Comparison) -> KeptPair:
    return KeptPair(
        students=pair.students,
        share=round(pair.most.share, DIGITS),
        by_chance=round(pair.most.by_chance, DIGITS),
        exercises=[KeptShare(one.id, round(one.share, DIGITS)) for one in pair.exercises],
        signs=signs(pair, found),
    )
