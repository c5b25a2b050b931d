"""Mutants: the solution with known mistakes in it, which can be asked what a student was asked."""

from collections import OrderedDict
from dataclasses import dataclass, field
from functools import cache, cached_property, lru_cache
from types import CodeType
from typing import Any

from autograder.engine.catalogue.blocks import NUMBER
from autograder.engine.course.assignment import Assignment
from autograder.engine.course.mistake import Mistake, merge, mistakes
from autograder.engine.diagnosis.in_process import InProcessCandidate, run_cells
from autograder.engine.examiner.proxy import Candidate

REMEMBERED = 12_000  # answers of mutants; most are one tensor of at most a thousand numbers


@dataclass(frozen=True, eq=False)
class Mutant:
    """One mistake or two, and the source of the cell that has them."""

    mistakes: tuple[Mistake, ...]
    cell: str
    usual: bool = True  # made in the usual way
    parts: tuple["Mutant", ...] = ()  # each mistake alone

    @property
    def must_fail(self) -> set[str]:
        """The names of the checks that fail with these mistakes."""
        return {f"test_{check}" for mistake in self.mistakes for check in mistake.caught_by}


@dataclass
class Trace:
    """A mutant's answers to the questions of one recording, up to the last one that was put so far."""

    answers: list[object] = field(default_factory=list)
    complete: bool = False
    outcome: object = None  # how it ended, if it is complete
    again: list[object] = field(default_factory=list)  # from other random numbers
    all_again: bool = False  # to the end
    draws: list[list[object]] = field(default_factory=list)  # all answers, from yet others
    certain: set[int] = field(default_factory=set)  # places where chance has no part


class Mutants:
    """Makes mutants, and caches them and their traces.

    The solution's cells are run once; for each mutant, only the cell with the mistake is run.
    """

    def __init__(self, assignment: Assignment):
        self.assignment = assignment
        self.made: dict[str, InProcessCandidate] = {}  # by the source of the cell that differs
        self._traces: OrderedDict[tuple, Trace] = OrderedDict()

    @cached_property
    def solved(self) -> dict[str, Any]:
        """The names that the solution's cells define, with their values."""
        cells = self.assignment.solved_cells()
        return run_cells([_compiled(source) for source in cells.values()])

    @cached_property
    def singles(self) -> dict[str, list[Mutant]]:
        """A mutant for each way of each mistake, by exercise."""
        found: dict[str, list[Mutant]] = {}
        for mistake in mistakes(self.assignment):
            for way, cell in enumerate(mistake.cells):
                mutant = Mutant((mistake,), cell, usual=way == 0)
                found.setdefault(mistake.exercise, []).append(mutant)
        return found

    @cached_property
    def fits(self) -> dict[str, list[Mutant]]:
        """A mutant for each way of a mistake that leaves a number open, by exercise."""
        found: dict[str, list[Mutant]] = {}
        for mistake in mistakes(self.assignment):
            some = [Mutant((mistake,), cell) for cell in mistake.fits]
            found.setdefault(mistake.exercise, []).extend(some)
        return found

    @cached_property
    def unchanged(self) -> dict[str, Mutant]:
        """The solution of each exercise as a mutant without mistakes."""
        return {name: Mutant((), cell) for name, cell in self.assignment.solutions.items()}

    def candidate(self, mutant: Mutant, with_stand_ins: bool, seed: int = 0) -> Candidate:
        """Return a proxy of the mutant's code; for the arguments see
        `InProcessCandidate.prepare_for`.
        """
        code = self.made.get(mutant.cell)
        if code is None:
            code = InProcessCandidate(run_cells([_compiled(mutant.cell)], self.solved))
            if not mutant.parts:  # of pairs there are too many to keep
                self.made[mutant.cell] = code
        return self._candidate(code, with_stand_ins, seed)

    def with_number(self, mutant: Mutant, number: float, with_stand_ins: bool) -> Candidate:
        """Return a proxy of the code of a mutant with an open number, which gets this value."""
        names = self.solved | {NUMBER: number}
        code = InProcessCandidate(run_cells([_compiled(mutant.cell)], names))
        return self._candidate(code, with_stand_ins)

    def _candidate(
        self, code: InProcessCandidate, with_stand_ins: bool, seed: int = 0
    ) -> Candidate:
        code.prepare_for(with_stand_ins, seed)
        return Candidate(code, self.assignment.aliases, self.assignment.signature)

    def trace(self, question: tuple) -> Trace:
        """Return the cached trace of a mutant for these questions, or an empty one to be filled.

        The least recently used traces are dropped.
        """
        if question not in self._traces:
            self._traces[question] = Trace()
            if len(self._traces) > REMEMBERED:
                self._traces.popitem(last=False)
        self._traces.move_to_end(question)
        return self._traces[question]

    def pair(self, one: Mutant, other: Mutant) -> Mutant | None:
        """Return a mutant with both mistakes; None if they change the same piece of the cell."""
        cell = _merged(self.assignment.solutions[one.mistakes[0].exercise], one.cell, other.cell)
        return Mutant(one.mistakes + other.mistakes, cell, parts=(one, other)) if cell else None


@lru_cache(maxsize=5_000)
def _merged(solution: str, one: str, other: str) -> str | None:
    """Return the cell with both changes; None if they overlap or the result is no valid Python."""
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
    """Return the mutants of an assignment. Cached."""
    return Mutants(assignment)
