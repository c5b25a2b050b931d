"""Mutants: the solution with known mistakes made in it, to which the questions of a recording can
be put.
"""

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
    """The solution with one known mistake, or with two in the same cell; without mistakes, the
    solution itself.

    `cell`: the source of the cell that has the mistakes; `usual`: whether the mistake is made in
    the usual way; `parts`: of two mistakes, the mutants with each of them alone.
    """

    mistakes: tuple[Mistake, ...]
    cell: str
    usual: bool = True  # made in the usual way
    parts: tuple["Mutant", ...] = ()  # each mistake alone

    @property
    def must_fail(self) -> set[str]:
        """The names of the test functions that fail with these mistakes, as the catalogue says."""
        return set[str]().union(*(mistake.failing_checks for mistake in self.mistakes))


@dataclass
class Trace:
    """A mutant's answers to the questions of one recording, up to the last question that was put so
    far. `complete`: whether all were put; `outcome`: how the check ended, if so (see `outcome_of`);
    `draws`: all answers with other seeds, by seed.
    """

    answers: list[object] = field(default_factory=list)
    complete: bool = False
    outcome: object = None  # how it ended, if it is complete
    draws: dict[int, list[object]] = field(default_factory=dict)  # all answers, by another seed


class Mutants:
    """Makes the mutants of an assignment's solution, and caches them and their traces.

    The solution's cells are run once. For each mutant, only the cell with the mistake is run, on
    their result.
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
        """Mutants with one mistake, by exercise: one for each way of each mistake."""
        found: dict[str, list[Mutant]] = {}
        for mistake in mistakes(self.assignment):
            for way, cell in enumerate(mistake.cells):
                mutant = Mutant((mistake,), cell, usual=way == 0)
                found.setdefault(mistake.exercise, []).append(mutant)
        return found

    @cached_property
    def unchanged(self) -> dict[str, Mutant]:
        """The solution as a mutant without mistakes, by exercise."""
        return {name: Mutant((), cell) for name, cell in self.assignment.solutions.items()}

    def candidate(
        self, mutant: Mutant, stand_ins: frozenset[str] | None, seed: int = 0
    ) -> Candidate:
        """Return a proxy of the mutant's code, prepared with `stand_ins` and `seed` as in
        `InProcessCandidate.prepare_for`.
        """
        code = self.made.get(mutant.cell)
        if code is None:
            code = InProcessCandidate(run_cells([_compiled(mutant.cell)], self.solved))
            if not mutant.parts:  # of pairs there are too many to keep
                self.made[mutant.cell] = code
        code.prepare_for(stand_ins, seed)
        return Candidate(code, self.assignment.aliases, self.assignment.signature)

    def trace(self, question: tuple) -> Trace:
        """Return the cached trace under the key `question`, or an empty one for the caller to fill.

        The key is the mutant's cell with what was asked. The least recently used traces are
        dropped.
        """
        if question not in self._traces:
            self._traces[question] = Trace()
            if len(self._traces) > REMEMBERED:
                self._traces.popitem(last=False)
        self._traces.move_to_end(question)
        return self._traces[question]

    def pair(self, one: Mutant, other: Mutant) -> Mutant | None:
        """Return a mutant with the mistakes of `one` and of `other`; None if they change the same
        piece of the cell.
        """
        cell = _merged(self.assignment.solutions[one.mistakes[0].exercise], one.cell, other.cell)
        return Mutant(one.mistakes + other.mistakes, cell, parts=(one, other)) if cell else None


@lru_cache(maxsize=5_000)
def _merged(solution: str, one: str, other: str) -> str | None:
    """Return the solution with the changes of both cells, `one` and `other`; None if these overlap
    or the result is no valid Python.
    """
    cell = merge(solution, one, other)
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
    """Return the object that makes and caches the mutants of an assignment, the same one for each
    call.
    """
    return Mutants(assignment)
