"""Mutants: the solution with known mistakes in it, as code that can be asked what a student was asked."""

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
    """What a student may have made: one mistake, or two at once, and the cell with them in it."""

    mistakes: tuple[Mistake, ...]
    cell: str
    usual: bool = True  # made in the usual way
    parts: tuple["Mutant", ...] = ()  # each mistake alone

    @property
    def must_fail(self) -> set[str]:
        """The checks that cannot be passed with these mistakes."""
        return {f"test_{check}" for mistake in self.mistakes for check in mistake.caught_by}


@dataclass
class Trace:
    """What a mutant answered to the questions of one recording, as far as it was ever asked."""

    answers: list[object] = field(default_factory=list)
    complete: bool = False
    outcome: object = None  # how it ended, if it is complete
    again: list[object] = field(default_factory=list)  # from other random numbers
    all_again: bool = False  # to the end
    draws: list[list[object]] = field(default_factory=list)  # all answers, from yet others
    certain: set[int] = field(default_factory=set)  # places where chance has no part


class Mutants:
    """Makes mutants, and asks them. Cells are run once; only one with a mistake runs for each."""

    def __init__(self, assignment: Assignment):
        self.assignment = assignment
        self.made: dict[str, InProcessCandidate] = {}  # by the source of the cell that differs
        self._traces: OrderedDict[tuple, Trace] = OrderedDict()

    @cached_property
    def solved(self) -> dict[str, Any]:
        """What the solution's cells define."""
        cells = self.assignment.solved_cells()
        return run_cells([_compiled(source) for source in cells.values()])

    @cached_property
    def singles(self) -> dict[str, list[Mutant]]:
        """Each way of each mistake, by exercise."""
        found: dict[str, list[Mutant]] = {}
        for mistake in mistakes(self.assignment):
            for way, cell in enumerate(mistake.cells):
                mutant = Mutant((mistake,), cell, usual=way == 0)
                found.setdefault(mistake.exercise, []).append(mutant)
        return found

    @cached_property
    def fits(self) -> dict[str, list[Mutant]]:
        """Each way in which a number is open, by exercise."""
        found: dict[str, list[Mutant]] = {}
        for mistake in mistakes(self.assignment):
            some = [Mutant((mistake,), cell) for cell in mistake.fits]
            found.setdefault(mistake.exercise, []).extend(some)
        return found

    @cached_property
    def unchanged(self) -> dict[str, Mutant]:
        """The solution of each exercise, to be asked as its mutants are."""
        return {name: Mutant((), cell) for name, cell in self.assignment.solutions.items()}

    def candidate(self, mutant: Mutant, with_stand_ins: bool, seed: int = 0) -> Candidate:
        """The mutant's code, to be asked; for the rest see `InProcessCandidate.prepare_for`."""
        code = self.made.get(mutant.cell)
        if code is None:
            code = InProcessCandidate(run_cells([_compiled(mutant.cell)], self.solved))
            if not mutant.parts:  # of pairs there are too many to keep
                self.made[mutant.cell] = code
        return self._candidate(code, with_stand_ins, seed)

    def with_number(self, mutant: Mutant, number: float, with_stand_ins: bool) -> Candidate:
        """The code of a mutant whose number is open, with this one in it."""
        names = self.solved | {NUMBER: number}
        code = InProcessCandidate(run_cells([_compiled(mutant.cell)], names))
        return self._candidate(code, with_stand_ins)

    def _candidate(
        self, code: InProcessCandidate, with_stand_ins: bool, seed: int = 0
    ) -> Candidate:
        code.prepare_for(with_stand_ins, seed)
        return Candidate(code, self.assignment.aliases, self.assignment.signature)

    def trace(self, question: tuple) -> Trace:
        """The trace of a mutant that was asked this, to be added to; the oldest are forgotten."""
        if question not in self._traces:
            self._traces[question] = Trace()
            if len(self._traces) > REMEMBERED:
                self._traces.popitem(last=False)
        self._traces.move_to_end(question)
        return self._traces[question]

    def pair(self, one: Mutant, other: Mutant) -> Mutant | None:
        """Two mistakes at once; None where they change the same piece of the cell."""
        cell = _merged(self.assignment.solutions[one.mistakes[0].exercise], one.cell, other.cell)
        return Mutant(one.mistakes + other.mistakes, cell, parts=(one, other)) if cell else None


@lru_cache(maxsize=5_000)
def _merged(solution: str, one: str, other: str) -> str | None:
    """The cell with both changes; None where there is none that Python could read."""
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
    return Mutants(assignment)
