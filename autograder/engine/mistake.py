"""A mistake: a known wrong variant of an exercise's solution, with one sentence for the student.

Mistakes are edits of the solution cell, so that two of them can be made at once (`merge`).
"""

import re
from dataclasses import dataclass
from difflib import SequenceMatcher
from functools import lru_cache
from itertools import pairwise

from autograder.engine.assignment import Assignment, GraderError

TOKEN = re.compile(r"\w+|\s+|.")
Change = tuple[int, int, tuple[str, ...]]  # from token, to token, what stands there instead
Edit = tuple[str, str]  # (piece of the solution cell, what stands there instead)
Way = tuple[Edit, ...]


class DoesNotFit(ValueError):
    """A piece that a mistake replaces is not in the cell."""


@dataclass(frozen=True)
class Mistake:
    """Edits of the solution. The sentence says what happens and where to look, never the solution.

    One mistake may be made in several ways; all of them have this id and sentence.
    """

    id: str
    exercise: str
    sentence: str
    caught_by: tuple[str, ...]  # checks that must fail, without `test_`
    ways: tuple[Way, ...]

    def make(self, cell: str, way: int = 0) -> str:
        """Return the cell with the mistake in it. Raises `DoesNotFit`."""
        for old, new in self.ways[way]:
            if old not in cell:
                raise DoesNotFit(f"{self.id}: {old!r} is not in the cell `{self.exercise}`")
            cell = cell.replace(old, new)
        return cell


class Mistakes:
    """Collects the mistakes of one exercise: `mistakes = Mistakes("my_exercise")`, then a call each."""

    def __init__(self, exercise: str):
        self.exercise = exercise
        self.all: list[Mistake] = []

    def add(self, id: str, sentence: str, caught_by: str, *ways: Edit | Way) -> None:
        """Add a mistake. `caught_by`: test names without `test_`, separated by spaces: at
        least these fail; a way: an edit, or several."""
        checks = tuple(caught_by.split())
        made = tuple(way if isinstance(way[0], tuple) else (way,) for way in ways)
        self.all.append(Mistake(id, self.exercise, sentence, checks, made))  # type: ignore[arg-type]


def mistakes(assignment: Assignment) -> list[Mistake]:
    """The assignment's known mistakes, in the order of its exercises. Raises `GraderError`.

    Those of an exercise are in `mistakes/<exercise>.py`, in the variable `mistakes`.
    """
    found: list[Mistake] = []
    for exercise in assignment.exercises:
        if module := assignment.module(f"mistakes.{exercise.id}"):
            found += module.mistakes.all
    return found


def pairs(assignment: Assignment) -> list[tuple[Mistake, Mistake]]:
    """Mistakes that have to be distinguished when they are made together: TOGETHER in `mistakes/`."""
    known = {f"{mistake.exercise}: {mistake.id}": mistake for mistake in mistakes(assignment)}
    together = getattr(assignment.module("mistakes"), "TOGETHER", ())
    try:
        return [(known[one], known[other]) for one, other in together]
    except KeyError as error:
        raise GraderError(
            f"TOGETHER names the mistake {error}, and there is no such mistake"
        ) from error


class Overlap(ValueError):
    """Both change the same piece."""


def merge(text: str, one: str, other: str) -> str:
    """Return the text with the changes that made `one` and `other` of it. Raises `Overlap`."""
    changes = sorted({*_changes(text, one), *_changes(text, other)})
    for (first, end, _), (begin, _, _) in pairwise(changes):
        if begin < end or begin == first:
            raise Overlap(f"two changes of what stands at token {begin}")
    tokens = TOKEN.findall(text)
    for begin, end, new in reversed(changes):
        tokens[begin:end] = new
    return "".join(tokens)


@lru_cache(maxsize=2_000)
def _changes(text: str, changed: str) -> tuple[Change, ...]:
    old, new = TOKEN.findall(text), TOKEN.findall(changed)
    steps = SequenceMatcher(None, old, new, autojunk=False).get_opcodes()
    return tuple((i, j, tuple(new[k:n])) for kind, i, j, k, n in steps if kind != "equal")
