"""Make mutants: the solution with known mistakes, which can answer a recording's questions."""

from collections import OrderedDict
from dataclasses import dataclass, field
from functools import cache, cached_property, lru_cache
from types import CodeType
from typing import Any

from autograder.engine.courses.assignment import Assignment
from autograder.engine.examiner.in_process import InProcessCandidate, run_cells
from autograder.engine.examiner.proxy import Candidate
from autograder.mistakes.mistake import Mistake, merge, mistakes

REMEMBERED = 12_000  # answers of mutants; most are one tensor of at most a thousand numbers


@dataclass(frozen=True, eq=False)
class Mutant:
    """The solution with one known mistake, or with two in the same cell.

    Without mistakes it is the solution itself.
    """

    mistakes: tuple[Mistake, ...]
    cell: str  # source of the cell that has the mistakes
    usual: bool = True  # made in the usual way
    parts: tuple["Mutant", ...] = ()  # of two mistakes, the mutants with each alone

    @property
    def must_fail(self) -> set[str]:
        """The names of the test functions that must fail with these mistakes, from the catalogue."""
        return set[str]().union(*(mistake.failing_checks for mistake in self.mistakes))


@dataclass
class Trace:
    """A mutant's answers to the questions of a recording, as far as they were put."""

    answers: list[object] = field(default_factory=list)
    complete: bool = False  # all questions were put
    outcome: object = None  # of the check if complete, see `outcome_of`
    draws: dict[int, list[object]] = field(default_factory=dict)  # all answers by seed, except 0


class Mutants:
    """Makes the mutants of an assignment's solution, and caches them and their traces.

    The solution's cells run once. For each mutant, only the cell with the mistake runs, on their
    result.
    """

    def __init__(self, assignment: Assignment):
        self.assignment = assignment
        self.made: dict[str, InProcessCandidate] = {}  # by the source of the cell that differs
        self._traces: OrderedDict[tuple, Trace] = OrderedDict()

    @cached_property
    def solved(self) -> dict[str, Any]:
        """The global names that the solution's cells define, with their values."""
        cells = self.assignment.solved_cells()
        return run_cells([_compiled(source) for source in cells.values()])

    @cached_property
    def singles(self) -> dict[str, list[Mutant]]:
        """Mutants with a single mistake, by exercise. Each way of a mistake has a mutant."""
        by_exercise: dict[str, list[Mutant]] = {}
        for mistake in mistakes(self.assignment):
            for way, cell in enumerate(mistake.cells):
                mutant = Mutant((mistake,), cell, usual=way == 0)
                by_exercise.setdefault(mistake.exercise, []).append(mutant)
        return by_exercise

    @cached_property
    def unchanged(self) -> dict[str, Mutant]:
        """The solution as a mutant without mistakes, by exercise."""
        return {name: Mutant((), cell) for name, cell in self.assignment.solutions.items()}

    def candidate(
        self, mutant: Mutant, stand_ins: frozenset[str] | None, seed: int = 0
    ) -> Candidate:
        """Return a proxy of the mutant's code, prepared by `InProcessCandidate.prepare_for`."""
        code = self.made.get(mutant.cell)
        if code is None:
            code = InProcessCandidate(run_cells([_compiled(mutant.cell)], self.solved))
            if not mutant.parts:  # there are too many pairs to cache them
                self.made[mutant.cell] = code
        code.prepare_for(stand_ins, seed)
        return Candidate(code, self.assignment.aliases, self.assignment.signature)

    def trace(self, question: tuple) -> Trace:
        """Return the cached trace under the key `question`, or an empty trace to be filled.

        The key is the mutant's cell with the recording's question. The least recently used traces
        are dropped.
        """
        if question not in self._traces:
            self._traces[question] = Trace()
            if len(self._traces) > REMEMBERED:
                self._traces.popitem(last=False)
        self._traces.move_to_end(question)
        return self._traces[question]

    def pair(self, first: Mutant, second: Mutant) -> Mutant | None:
        """Return a mutant with both mistakes, or None if they change the same piece of the cell."""
        cell = _merged(
            self.assignment.solutions[first.mistakes[0].exercise], first.cell, second.cell
        )
        return (
            Mutant(first.mistakes + second.mistakes, cell, parts=(first, second)) if cell else None
        )


@lru_cache(maxsize=5_000)
def _merged(solution: str, cell_a: str, cell_b: str) -> str | None:
    """Return the solution with the changes of both cells.

    None if the changes overlap or the result is not valid Python.
    """
    cell = merge(solution, cell_a, cell_b)
    if cell is not None:
        try:
            _compiled(cell)
        except SyntaxError:
            return None
    return cell


@lru_cache(maxsize=2_000)
def _compiled(cell: str) -> CodeType:
    return compile(cell, "<a cell of the solution>", "exec")


@cache
def mutants_of(assignment: Assignment) -> Mutants:
    """Return the cached `Mutants` of an assignment."""
    return Mutants(assignment)
