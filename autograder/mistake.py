"""A mistake: a known wrong variant of an exercise's solution, with one sentence for the student."""

import importlib
from dataclasses import dataclass
from types import ModuleType

from autograder.assignment import Assignment

Edit = tuple[str, str]  # (piece of the solution cell, what stands there instead)
Way = tuple[Edit, ...]


class DoesNotFit(ValueError):
    """A piece that a mistake replaces is not in the cell."""


@dataclass(frozen=True)
class Mistake:
    """Edits of the solution. The sentence says what happens and where to look, never the solution.

    A mistake is a law that is broken, not a number: it may be made in several ways, and whichever
    way a student took, it is this mistake.
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


class Chapter:
    """Collects the mistakes of one exercise, so that a catalogue reads as a call a mistake."""

    def __init__(self, exercise: str):
        self.exercise = exercise
        self.mistakes: list[Mistake] = []

    def add(self, id: str, sentence: str, caught_by: str, *ways: Edit | Way) -> None:
        """Add a mistake. `caught_by`: names of checks, with spaces; a way: an edit, or several."""
        checks = tuple(caught_by.split())
        made = tuple(way if isinstance(way[0], tuple) else (way,) for way in ways)
        self.mistakes.append(Mistake(id, self.exercise, sentence, checks, made))  # type: ignore[arg-type]


def mistakes(assignment: Assignment) -> list[Mistake]:
    """The assignment's catalogue, in the order of its exercises."""
    return list(_catalogue(assignment).MISTAKES)


def pairs(assignment: Assignment) -> list[tuple[Mistake, Mistake]]:
    """Mistakes that the catalogue wants to be told apart when they are made together."""
    known = {f"{mistake.exercise}: {mistake.id}": mistake for mistake in mistakes(assignment)}
    return [(known[one], known[other]) for one, other in _catalogue(assignment).TOGETHER]


def _catalogue(assignment: Assignment) -> ModuleType:
    return importlib.import_module(f"autograder.graders.{assignment.graders.name}.mistakes")
