"""Solve for a number in a student's code that the catalogue does not list.

A way of a mistake may leave its number open (`{{~ 2 0.25}}`): it may be any positive number. The
distance of such a mutant's answers from the student's is a function of that number. A grid of
magnitudes brackets the number, and the secant method over all numbers in the answers finds it. It
explains the check only if the mutant's answers are then those of the student, and with other
numbers are not.

Example: a student divides the scores by 5.5. On the grid 1e-6, 1e-5, ..., 1e5, the answers with 10
are nearest. Golden-section search between 1 and 100 comes near, and the secant method finds 5.5:
with it the answers are the student's, and with 2.75 and with 11 they are not.
"""

import math
from collections.abc import Sequence
from functools import cached_property

import torch

from autograder.engine.examiner.checks import CheckRun
from autograder.engine.examiner.comparing import TOLERANCE
from autograder.engine.examiner.recording import TensorSample
from autograder.mistakes.chance import comparable, parts_of
from autograder.mistakes.mutants import Mutant, Trace
from autograder.mistakes.replay import Replay
from autograder.mistakes.traces import Traces

GRID = tuple(10.0**power for power in range(-6, 6))
ENDS = 0.0, 1e12  # a term or a factor with these is another mistake: there is none, or nothing else
SECTIONS, SECANTS = 6, 10  # how often a search is narrowed, and then aimed: some 30 numbers in all
GOLDEN = (math.sqrt(5) - 1) / 2
STEEP = 1e3  # times as far: exponentials
NEAR = 0.97  # of the distance from the grid: to the lines between its numbers
CLEARLY = 10.0  # tolerances by which an answer departs from the right one
LEAST = 4  # numbers that do so: fewer could be met by chance


def fits(traces: Traces, mutant: Mutant, checks: Sequence[CheckRun]) -> bool:
    """Whether each of these failed checks can be explained by `mutant`, in which a number is open:
    with some number it gives the student's answers and the same outcome of the check, and with
    other numbers it does not. The number may be another one for each check.

    The number found for one check is tried first for the next one. `traces`: the mutants' answers
    so far, and the time limit.
    """
    number: float | None = None
    for check in checks:
        number = _NumberFit(traces, mutant, check).number(number)
        if number is None:
            return False
    return True


class _NumberFit:
    """One failed check, and a mutant with an open number that may explain it."""

    def __init__(self, traces: Traces, mutant: Mutant, check: CheckRun):
        assert check.recording is not None
        self.traces, self.mutant, self.check = traces, mutant, check
        self.recording = check.recording
        self.known = self.recording.answers
        self.tried: dict[float, Trace] = {}

    def number(self, guess: float | None = None) -> float | None:
        """Return the number with which the mutant gives the student's answers, and with other
        numbers does not; None if there is none.

        `guess`: a number that explained another check, and is tried first.
        """
        if not self._departs:
            return None
        if guess is not None and self._explains(guess):
            return guess
        number = self._solve()
        return number if number is not None and self._explains(number) else None

    @cached_property
    def _departs(self) -> bool:
        """Whether the student's answers have the same form as the solution's and clearly differ
        from them: at least LEAST numbers differ by more than CLEARLY tolerances.
        """
        solved = self.traces.solved(self.check)[: len(self.known)]
        differences = self._differences(solved)
        if differences is None:
            return False
        return int((differences.abs() > CLEARLY).sum()) >= LEAST

    def _explains(self, number: float) -> bool:
        """Whether the mutant gives the student's answers with this number, but not with half of it,
        its double, or the extremes ENDS.
        """
        others = (*ENDS, number / 2, number * 2)
        return self._repeats(number) and not any(map(self._repeats, others))

    def _repeats(self, number: float) -> bool:
        """Whether the mutant with this number gives all of the student's answers, and the same
        outcome of the check.
        """
        trace = self._trace(number)
        return trace.answers == self.known and trace.outcome == self.recording.outcome

    def _solve(self) -> float | None:
        """Return a number with which the mutant gives the student's answers; None if none is found."""
        best = min(GRID, key=self._distance)
        if self._repeats(best):
            return best
        if not self._may_be_near(best):
            return None
        last, number = sorted(self._nearby(best), key=self._distance, reverse=True)
        for _ in range(SECANTS):
            if self._repeats(number):
                return number
            following = self._secant(last, number)
            if following in self.tried or not best / 10 < following < best * 10:
                return None
            last, number = number, following
        return None

    def _may_be_near(self, best: float) -> bool:
        """Whether the number may lie near `best`, the nearest number of the grid: whether the
        student's answers lie near the line from the answers with `best` to those with a neighbour
        on the grid.

        Most mistakes are other ones. Then only the numbers of the grid are asked, once for all
        students.
        """
        place = GRID.index(best)
        here = self._differences(self._trace(best).answers)
        for other in GRID[max(place - 1, 0) : place + 2]:
            there = self._differences(self._trace(other).answers)
            if here is not None and there is not None and other != best:
                way = there - here
                share = (-(here @ way) / (way @ way)).clamp(0, 1)
                steep = there.norm() > STEEP * here.norm()  # such a way is no line
                if steep or (here + share * way).norm() < NEAR * here.norm():
                    return True
        return False

    def _nearby(self, best: float) -> tuple[float, float]:
        """Return the two numbers at which golden-section search for the smallest distance, between
        `best` / 10 and `best` * 10, ends.
        """
        low, high = best / 10, best * 10
        one, other = low * 100 ** (1 - GOLDEN), low * 100**GOLDEN
        for _ in range(SECTIONS):
            if self._distance(one) < self._distance(other):
                high, other = other, one
                one = low * (high / low) ** (1 - GOLDEN)
            else:
                low, one = one, other
                other = low * (high / low) ** GOLDEN
        return one, other

    def _secant(self, last: float, number: float) -> float:
        """Return the number at which the secant through the answers with `last` and with `number`
        comes closest to the student's.

        NaN if both answers are equal, or one has another form than the student's.
        """
        one, other = (self._differences(self._trace(x).answers) for x in (last, number))
        if one is None or other is None:
            return math.nan
        slope = (other - one) / (number - last)
        return number - (other @ slope / (slope @ slope)).item()

    def _distance(self, number: float) -> float:
        differences = self._differences(self._trace(number).answers)
        return math.inf if differences is None else differences.norm().item()

    def _differences(self, given: Sequence[object]) -> torch.Tensor | None:
        """Return the differences of all numbers in `given`, a mutant's answers, from those in the
        student's, in units of the tolerance.

        None if an answer has another form than the student's, or a difference is not finite.
        """
        if len(given) < len(self.known) or not all(map(comparable, given, self.known)):
            return None
        far = [torch.zeros(0, dtype=torch.float64)]
        for one, known in zip(map(parts_of, given), map(parts_of, self.known), strict=False):
            for mine, theirs in zip(one, known, strict=True):
                if isinstance(mine, TensorSample) and isinstance(theirs, TensorSample):
                    values, target = mine.values.double(), theirs.values.double()
                    far.append((values - target) / (TOLERANCE + TOLERANCE * target.abs()))
        differences = torch.cat(far)
        return differences if bool(differences.isfinite().all()) else None

    def _trace(self, number: float) -> Trace:
        """Return the complete trace of the mutant with this number. Traces with the numbers in GRID
        and ENDS are cached for all students.
        """
        if number not in self.tried:
            self.tried[number] = trace = self._remembered(number)
            if not trace.complete:
                code = self.traces.mutants.with_number(
                    self.mutant, number, self.recording.stand_ins
                )
                replay = Replay(code, self.recording, self.traces.budget)
                trace.outcome = replay.to_the_end(self.check)
                trace.answers, trace.complete = replay.answers, True
        return self.tried[number]

    def _remembered(self, number: float) -> Trace:
        if number not in (*GRID, *ENDS):
            return Trace()
        question = self.check.id, self.recording.double, self.recording.question()
        return self.traces.mutants.trace((self.mutant.cell, number, *question))
