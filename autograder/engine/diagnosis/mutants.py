"""Mutants: the solution with known mistakes in it, as code that can be asked what a student was asked."""

import contextlib
from collections import Counter, OrderedDict, defaultdict
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from functools import cache, cached_property, lru_cache
from itertools import product
from types import CodeType
from typing import Any

from autograder.engine.assignment import Assignment
from autograder.engine.diagnosis.in_process import InProcessCandidate, run_cells
from autograder.engine.examiner.checks import CheckRun
from autograder.engine.examiner.proxy import Candidate
from autograder.engine.mistake import Mistake, Overlap, merge, mistakes

REMEMBERED = 5_000  # answers of mutants; most are one tensor of at most a thousand numbers


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
class Answers:
    """What a mutant answered to one question, as far as it was ever asked."""

    given: list[object] = field(default_factory=list)
    complete: bool = False
    outcome: object = None  # how it ended, if it is complete
    again: dict[int, object] = field(default_factory=dict)  # by place, from other random numbers


class Catalogue:
    """Makes mutants, and asks them. Cells are run once; only one with a mistake runs for each."""

    def __init__(self, assignment: Assignment):
        self.assignment = assignment
        self.made: dict[str, InProcessCandidate] = {}  # by the source of the cell that differs
        self.settled: dict[tuple, set[int]] = defaultdict(set)  # places where chance has no part
        self._seconds: defaultdict[str, float] = defaultdict(float)  # spent, by check,
        self._ruled_out: Counter[str] = Counter()  # and how many mutants that has ruled out
        self._answers: OrderedDict[tuple, Answers] = OrderedDict()

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
            solution = self.assignment.solutions[mistake.exercise]
            for way in range(len(mistake.ways)):
                mutant = Mutant((mistake,), mistake.make(solution, way), usual=way == 0)
                found.setdefault(mistake.exercise, []).append(mutant)
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
        code.prepare_for(with_stand_ins, seed)
        return Candidate(code, self.assignment.aliases, self.assignment.signature)

    def answers(self, question: tuple) -> Answers:
        """What a mutant has answered to a question, to be added to; the oldest are forgotten."""
        if question not in self._answers:
            self._answers[question] = Answers()
            if len(self._answers) > REMEMBERED:
                self._answers.popitem(last=False)
        self._answers.move_to_end(question)
        return self._answers[question]

    def add_cost(self, check: CheckRun, seconds: float, explained: bool) -> None:
        """Add the seconds that it took to find out whether a mutant explains a check."""
        self._seconds[check.id] += seconds
        self._ruled_out[check.id] += not explained

    def cost(self, check: CheckRun) -> float:
        """The seconds that it takes to rule out a mutant by this check: the cheapest is asked first."""
        return self._seconds[check.id] / (1 + self._ruled_out[check.id])

    def pairs(
        self,
        some: Sequence[Mutant],
        others: Sequence[Mutant],
        possible: Callable[[Mutant, Mutant], bool] = lambda one, other: True,
    ) -> Iterator[Mutant]:
        """Two mistakes at once, if possible, where they change different pieces of the cell."""
        seen = set[frozenset[str]]()
        for one, other in product(some, others):
            cells = frozenset((one.cell, other.cell))
            if one.mistakes != other.mistakes and cells not in seen:
                seen.add(cells)
                if not possible(one, other):
                    continue
                both = one.mistakes + other.mistakes
                solution = self.assignment.solutions[both[0].exercise]
                with contextlib.suppress(Overlap, SyntaxError):
                    cell = merge(solution, one.cell, other.cell)
                    _compiled(cell)
                    yield Mutant(both, cell, parts=(one, other))


@lru_cache(maxsize=2_000)
def _compiled(cell: str) -> CodeType:
    return compile(cell, "<a cell of the solution>", "exec")


@cache
def catalogue_of(assignment: Assignment) -> Catalogue:
    return Catalogue(assignment)
