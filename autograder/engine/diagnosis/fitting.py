"""Solves for a number in a student's code that the catalogue does not list.

A way of a mistake may leave its number open (`{{~ 2 0.25}}`): any positive one. How far such a mutant's
answers are from the student's is a function of that number. A grid of magnitudes brackets it, and the
secant through all numbers of the answers finds it. It explains the check only if the answers are then
the same, and only if no other number would do.

A student divides the scores by 5.5. Of the grid 1e-6, 1e-5, ..., 1e5 the answers with 10 are nearest;
golden sections between 1 and 100 come near, and the secant from there to 5.5: the answers are the student's,
and with 2.75 and with 11 they are not.
"""

import math
from collections.abc import Sequence
from functools import cached_property

import torch

from autograder.engine.diagnosis.chance import comparable, parts_of
from autograder.engine.diagnosis.mutants import Mutant, Trace
from autograder.engine.diagnosis.replay import Replay
from autograder.engine.diagnosis.traces import Traces
from autograder.engine.examiner.checks import CheckRun
from autograder.engine.examiner.comparing import TOLERANCE
from autograder.engine.examiner.recording import TensorSample

GRID = tuple(10.0**power for power in range(-6, 6))
ENDS = 0.0, 1e12  # a term or a factor with these is another mistake: there is none, or nothing else
SECTIONS, SECANTS = 6, 10  # how often a search is narrowed, and then aimed: some 30 numbers in all
GOLDEN = (math.sqrt(5) - 1) / 2
STEEP = 1e3  # times as far: exponentials
NEAR = 0.97  # of the distance from the grid: to the lines between its numbers
CLEARLY = 10.0  # tolerances by which an answer departs from the right one
LEAST = 4  # numbers that do so: fewer could be met by chance


def fits(traces: Traces, mutant: Mutant, checks: Sequence[CheckRun]) -> bool:
    """Whether there is a number for each of these failed checks; where one explains several, it is one."""
    number: float | None = None
    for check in checks:
        number = _NumberFit(traces, mutant, check).number(number)
        if number is None:
            return False
    return True


class _NumberFit:
    """One failed check, put to a mutant whose number is open."""

    def __init__(self, traces: Traces, mutant: Mutant, check: CheckRun):
        assert check.recording is not None
        self.traces, self.mutant, self.check = traces, mutant, check
        self.recording = check.recording
        self.known = self.recording.answers
        self.tried: dict[float, Trace] = {}

    def number(self, guess: float | None = None) -> float | None:
        """Return the number with which the mutant gives the student's answers; None for none.

        `guess` explained another check: where one number explains both, it is that one.
        """
        if not self._departs:
            return None
        if guess is not None and self._explains(guess):
            return guess
        number = self._solve()
        return number if number is not None and self._explains(number) else None

    @cached_property
    def _departs(self) -> bool:
        """Whether the student's answers have the form of the right ones, and clearly are others."""
        solved = self.traces.solved(self.check)[: len(self.known)]
        differences = self._differences(solved)
        if differences is None:
            return False
        return int((differences.abs() > CLEARLY).sum()) >= LEAST

    def _explains(self, number: float) -> bool:
        """Whether the answers are the student's with this number alone.

        They are others with its double and its half, and at both ends of all numbers.
        """
        others = (*ENDS, number / 2, number * 2)
        return self._repeats(number) and not any(map(self._repeats, others))

    def _repeats(self, number: float) -> bool:
        """Whether all answers are the student's, and the check ends in the same way."""
        trace = self._trace(number)
        return trace.answers == self.known and trace.outcome == self.recording.outcome

    def _solve(self) -> float | None:
        """Return the number with which the answers are the student's; None for none."""
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
        """Whether the student's answers lie beside the way from the best of the grid to its neighbours.

        Most mistakes lead elsewhere: then nothing has to be asked but the grid, once for all students.
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
        """Two numbers around the least distance, less than a decade from `best`: by golden sections."""
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
        """Where the line through both differences comes closest to zero; NaN if it is level."""
        one, other = (self._differences(self._trace(x).answers) for x in (last, number))
        if one is None or other is None:
            return math.nan
        slope = (other - one) / (number - last)
        return number - (other @ slope / (slope @ slope)).item()

    def _distance(self, number: float) -> float:
        differences = self._differences(self._trace(number).answers)
        return math.inf if differences is None else differences.norm().item()

    def _differences(self, given: Sequence[object]) -> torch.Tensor | None:
        """All differences from the student's numbers, in tolerances; None if an answer is of another form."""
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
        """What the mutant answers with this number in it; on the grid, for all students."""
        if number not in self.tried:
            self.tried[number] = trace = self._remembered(number)
            if not trace.complete:
                code = self.traces.mutants.with_number(
                    self.mutant, number, self.recording.with_stand_ins
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
