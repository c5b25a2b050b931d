"""Put the questions of a recording to mutants, and compare their traces with it.

    recorded of the student     y1       y2 (masked)    0.83 of 1000 kept   "wrong"
    trace of `unscaled`         y1'      (not asked: the first answer differs)
    trace of `mask_ignored`     y1       y2             0.81 of 1000 kept   "wrong"   -> explains it

Answers are compared within the tolerance, measured numbers within theirs, and random answers with
several draws. A mutant's answers depend on the questions alone, and so does every conclusion from
them: not on other submissions, nor on which traces are still cached.
"""

import math
from collections.abc import Iterator, Sequence
from functools import cache
from typing import NamedTuple

from autograder.engine.examiner.checks import CheckRun
from autograder.engine.examiner.recording import MeasuredNumber
from autograder.mistakes.budget import CpuBudget
from autograder.mistakes.chance import (
    DRAWS,
    LIMIT,
    LIMIT_OF_MANY,
    MANY_DRAWS,
    OPEN,
    comparable,
    far_from_draws,
    is_other_draw,
)
from autograder.mistakes.mutants import Mutant, Mutants, Trace
from autograder.mistakes.replay import Replay


class Agreement(NamedTuple):
    """How many of a mutant's first answers equal the solution's, and how many equal the student's.

    See `Traces._agreement`. `students` is infinite if all equal the student's, `solutions` if all
    equal both.
    """

    solutions: float
    students: float


class Traces:
    """Decides which mutants answer like a student, by comparing their traces with the recordings."""

    def __init__(self, mutants: Mutants, budget: CpuBudget):
        self.mutants, self.budget = mutants, budget
        self.explains = cache(self._explains)
        self.agreement = cache(self._agreement)

    def _explains(self, mutant: Mutant, check: CheckRun, chance: bool = False) -> bool:
        """Whether the mutant gives the student's answers to the check, with the same outcome.

        With `chance`, answers that differ between seeds only need to come from the same
        distribution.
        """
        self.budget.check()
        return _Comparison(self, mutant, check).repeats(chance)

    def may_repeat(self, first: Mutant, second: Mutant, check: CheckRun) -> bool:
        """Whether a mutant with both mistakes may give the student's answers to the check.

        As long as one of the two mutants answers like the solution, a mutant with both mistakes
        answers like the other mutant.
        """
        agreement, other_agreement = (self.agreement(mutant, check) for mutant in (first, second))
        return (
            agreement.students >= other_agreement.solutions
            and other_agreement.students >= agreement.solutions
        )

    def solved(self, check: CheckRun) -> list[object]:
        """Return the solution's answers to the questions of a check."""
        return self.solution(check).answers

    def solution(self, check: CheckRun) -> "_Comparison":
        """Return a comparison of a check with the solution, to which all questions have been put."""
        comparison = _Comparison(self, self.mutants.unchanged[check.exercise], check)
        comparison.to_the_end()
        return comparison

    def _agreement(self, mutant: Mutant, check: CheckRun) -> Agreement:
        """Return how many first answers of the mutant equal the solution's, and the student's.

        The former are only counted up to the first answer that differs from the student's.
        """
        comparison = _Comparison(self, mutant, check)
        equal_to_student = comparison.first_difference()
        answers = (
            comparison.answers
            if equal_to_student is None
            else comparison.answers[: equal_to_student + 1]
        )
        equal_to_solution = first_other(answers, self.solved(check))
        if equal_to_student is None:
            return Agreement(math.inf if equal_to_solution is None else equal_to_solution, math.inf)
        return Agreement(
            len(answers) if equal_to_solution is None else equal_to_solution, equal_to_student
        )


class _Comparison:
    """Compares a recording with the trace of a mutant for the same questions.

    A place is an index of `expected`, the student's answers.
    """

    def __init__(self, traces: Traces, mutant: Mutant, check: CheckRun):
        assert check.recording is not None
        self.traces, self.mutant = traces, mutant
        self.check, self.recording = check, check.recording
        self.expected = self.recording.answers
        key = mutant.cell, check.id, self.recording.double
        self.trace: Trace = traces.mutants.trace((*key, self.recording.question()))

    @property
    def answers(self) -> list[object]:
        """The mutant's answers to the questions that were put to it so far."""
        return self.trace.answers

    def repeats(self, chance: bool) -> bool:
        """Whether the mutant gives the recorded answers and outcome.

        With `chance`, answers that differ between seeds only need to come from the same
        distribution.
        """
        place = self.first_difference()
        if place is not None and not (chance and self._is_left_to_chance(place)):
            return False
        self.to_the_end()
        different_places = [*other_places(self.answers, self.expected)]
        return (
            len(self.answers) == len(self.expected)
            and self.trace.outcome == self.recording.outcome
            and all(map(self._is_left_to_chance, different_places))
            and (not different_places or self._is_drawn(different_places))
        )

    def first_difference(self) -> int | None:
        """Return the place of the first answer that differs from the student's, or None.

        Questions are put to the mutant as far as needed.
        """
        place = first_other(self.answers, self.expected)
        if place is None and not self.trace.complete:
            replay = self._replay()
            self.trace.outcome = replay.repeat(self.check)
            self.trace.answers, place = replay.answers, replay.differs_at
            self.trace.complete = place is None
        return place

    def to_the_end(self) -> None:
        """Put all remaining questions to the mutant without comparing, to complete the trace."""
        if not self.trace.complete:
            replay = self._replay()
            self.trace.outcome = replay.to_the_end(self.check)
            self.trace.answers, self.trace.complete = replay.answers, True

    def _is_left_to_chance(self, place: int) -> bool:
        """Whether the mutant's answer differs between seeds, and the student's has the same form."""
        if place >= min(len(self.expected), len(self.answers)):
            return False
        answer = self.answers[place]
        if not comparable(answer, self.expected[place]) or self._is_the_solutions(answer, place):
            return False
        (second_answer,) = self.draw(1)[place : place + 1] or [None]
        return comparable(second_answer, answer) and is_other_draw(second_answer, answer)

    def _is_the_solutions(self, answer: object, place: int) -> bool:
        """Whether the solution gives `answer` at this place with each of the seeds 0 and 1.

        False for a measured number, which may be equal by chance.
        """
        if isinstance(answer, MeasuredNumber):
            return False
        solution = self.traces.solution(self.check)
        both_answers = [*solution.answers[place : place + 1], *solution.draw(1)[place : place + 1]]
        return both_answers == [answer, answer]

    def draw(self, seed: int) -> list[object]:
        """Return all of the mutant's answers with this seed, which must not be 0."""
        if seed not in self.trace.draws:
            replay = self._replay(seed)
            replay.to_the_end(self.check)
            self.trace.draws[seed] = replay.answers
        return self.trace.draws[seed]

    def _is_drawn(self, places: Sequence[int]) -> bool:
        """Whether the student's answers at these places may come from the mutant's distribution.

        If a few draws leave it open, more draws decide.
        """
        distance = self._far_from_draws(places, DRAWS)
        if LIMIT <= distance < OPEN:
            return self._far_from_draws(places, MANY_DRAWS) < LIMIT_OF_MANY
        return distance < LIMIT

    def _far_from_draws(self, places: Sequence[int], count: int) -> float:
        draws = self.trace.answers, *map(self.draw, range(2, 2 + count))
        draws_at_places = [
            [draw[place] if place < len(draw) else None for place in places] for draw in draws
        ]
        return far_from_draws(draws_at_places, [self.expected[place] for place in places])

    def _replay(self, seed: int = 0) -> Replay:
        candidate = self.traces.mutants.candidate(self.mutant, self.recording.stand_ins, seed)
        return Replay(candidate, self.recording, self.traces.budget)


def first_other(answers: Sequence[object], expected: Sequence[object]) -> int | None:
    """Return the index of the first answer that differs from the expected answer, or None."""
    return next(other_places(answers, expected), None)


def other_places(answers: Sequence[object], expected: Sequence[object]) -> Iterator[int]:
    """Yield the indices of all answers that differ from the expected answers."""
    return (
        place for place, answer in enumerate(answers) if expected[place : place + 1] != [answer]
    )
