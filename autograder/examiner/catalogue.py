"""The known mistakes of an assignment, made: code that can be asked what a student was asked."""

import contextlib
from collections import OrderedDict, defaultdict
from collections.abc import Iterator, Sequence
from functools import cache, cached_property, lru_cache
from itertools import product
from types import CodeType
from typing import Any, NamedTuple

from autograder.assignment import Assignment
from autograder.examiner.proxy import Candidate
from autograder.examiner.rehearsal import Rehearsal, run_cells
from autograder.merging import Overlap, merge
from autograder.mistake import Mistake, mistakes

REMEMBERED = 5_000  # answers of suspects; most are one tensor of at most a thousand numbers


class Suspect(NamedTuple):
    """What a student may have made: one mistake, or two at once, and the cell with them in it."""

    mistakes: tuple[Mistake, ...]
    cell: str
    usual: bool = True  # made in the usual way
    parts: tuple["Suspect", ...] = ()  # each mistake alone

    @property
    def must_fail(self) -> set[str]:
        """The checks that cannot be passed with these mistakes."""
        return {f"test_{check}" for mistake in self.mistakes for check in mistake.caught_by}


class Catalogue:
    """Makes suspects, and asks them. Cells are run once; only one with a mistake runs for each."""

    def __init__(self, assignment: Assignment):
        self.assignment = assignment
        self.made: dict[str, Rehearsal] = {}  # by the source of the cell that differs
        self.settled: dict[tuple, set[int]] = defaultdict(set)  # places where chance has no part
        self._heard: OrderedDict[tuple, list[object]] = (
            OrderedDict()
        )  # up to where a suspect departed

    @cached_property
    def solved(self) -> dict[str, Any]:
        """What the solution's cells define."""
        cells = self.assignment.solved_cells()
        return run_cells([_compiled(source) for source in cells.values()])

    @cached_property
    def singles(self) -> dict[str, list[Suspect]]:
        """Each way of each mistake, by exercise."""
        found: dict[str, list[Suspect]] = {}
        for mistake in mistakes(self.assignment):
            solution = self.assignment.solutions[mistake.exercise]
            for way in range(len(mistake.ways)):
                suspect = Suspect((mistake,), mistake.make(solution, way), usual=way == 0)
                found.setdefault(mistake.exercise, []).append(suspect)
        return found

    def candidate(self, suspect: Suspect, plays: bool, seed: int = 0) -> Candidate:
        """The suspect's code, to be asked; for `plays` and `seed` see `Rehearsal.prepare_for`."""
        rehearsal, known = self.made.get(suspect.cell), self.assignment.known
        if rehearsal is None:
            rehearsal = Rehearsal(run_cells([_compiled(suspect.cell)], self.solved))
            if len(suspect.mistakes) == 1:  # of pairs there are too many to keep
                self.made[suspect.cell] = rehearsal
        rehearsal.prepare_for(plays, seed)
        return Candidate(rehearsal, known.ALIASES, known.STATEMENT)

    def remembered(self, question: tuple) -> list[object]:
        """What a suspect once answered to a question, as far as it was heard."""
        if question in self._heard:
            self._heard.move_to_end(question)
        return self._heard.get(question, [])

    def remember(self, question: tuple, heard: list[object]) -> None:
        """Keep it for the next student, and no more than there is room for."""
        self._heard[question] = heard
        if len(self._heard) > REMEMBERED:
            self._heard.popitem(last=False)

    def pairs(self, some: Sequence[Suspect], others: Sequence[Suspect]) -> Iterator[Suspect]:
        """Two mistakes at once, where they change different pieces of the cell."""
        for one, other in product(some, others):
            if one.mistakes != other.mistakes:
                both = one.mistakes + other.mistakes
                solution = self.assignment.solutions[both[0].exercise]
                with contextlib.suppress(Overlap, SyntaxError):
                    cell = merge(solution, one.cell, other.cell)
                    _compiled(cell)
                    yield Suspect(both, cell, parts=(one, other))


@lru_cache(maxsize=2_000)
def _compiled(cell: str) -> CodeType:
    return compile(cell, "<a cell of the solution>", "exec")


@cache
def catalogue_of(assignment: Assignment) -> Catalogue:
    return Catalogue(assignment)
