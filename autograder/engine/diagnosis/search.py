"""The search for the known mistake that gives a student's answers.

The questions of a failed check are put again, to the solution with a mistake in it, from the same
random numbers. A mistake explains the check if every answer and the end are the same: so nothing is
named that would not have answered so, and what no mistake explains is left to the tutor's question.
"""

import math
import time
from collections.abc import Iterable, Sequence
from functools import cache
from typing import NamedTuple

from autograder.engine.assignment import Assignment
from autograder.engine.diagnosis.clock import Clock, OutOfTime
from autograder.engine.diagnosis.mutants import Answers, Catalogue, Mutant, catalogue_of
from autograder.engine.diagnosis.replay import Replay
from autograder.engine.examiner.checks import CheckRun
from autograder.engine.examiner.recording import Measured, Recording, alike, comparable
from autograder.engine.examiner.session import undisturbed
from autograder.engine.mistake import Mistake

EXPLAINABLE = frozenset(  # kinds of failure
    "wrong raised refused unsendable returns_nothing no_module no_function no_value".split()
)


def is_explainable(check: CheckRun) -> bool:
    """Whether a mistake is looked for that explains this check."""
    return check.kind in EXPLAINABLE and bool(check.recordings)


def diagnose(
    assignment: Assignment,
    checks: Sequence[CheckRun],
    seconds: float = math.inf,
    deadline: float = math.inf,
) -> list[Mistake]:
    """Return the mistakes in one exercise, and note in each check which ones explain it.

    None where that takes more than so many seconds of CPU, or longer than to the deadline.
    """
    failed = [check for check in checks if is_explainable(check)]
    if not failed:
        return []
    try:
        with undisturbed():
            _Diagnosis(catalogue_of(assignment), checks, failed, Clock(seconds, deadline)).run()
    except OutOfTime:
        return []
    found = [mistake for check in failed for mistake in check.mistakes]
    return list(dict.fromkeys(found))


class Alike(NamedTuple):
    """How many of a mutant's answers, from the first on, are the solution's, and the student's."""

    solutions: float
    students: float


class _Diagnosis:
    """The search, from the simplest explanation on: one mistake, two, one for each check."""

    def __init__(
        self,
        catalogue: Catalogue,
        checks: Sequence[CheckRun],
        failed: list[CheckRun],
        clock: Clock,
    ):
        self.catalogue, self.clock = catalogue, clock
        self.failed = failed
        self.passed = [check for check in checks if check.passed]
        self.explains = cache(self._explains)
        self.departures = cache(self._departures)

    def run(self) -> None:
        failures = {check.name for check in self.failed}
        singles = self.catalogue.singles.get(self.failed[0].exercise, [])
        singles = [mutant for mutant in singles if mutant.must_fail <= failures]
        loosely = self._explaining_all(singles)  # what explains strictly is among them
        found = (
            self._most(self._explaining_all(loosely, strict=True), strict=True)
            or self._most(loosely)
            or self._most(self._explaining_all(self._pairs(singles)))
        )
        explaining = [found or self._explaining_one(singles, check) for check in self.failed]
        for check, mutants in zip(self.failed, explaining, strict=True):
            named = [mistake for mutant in mutants for mistake in mutant.mistakes]
            check.mistakes = list(dict.fromkeys(named))

    def _explaining_all(self, mutants: Iterable[Mutant], strict: bool = False) -> list[Mutant]:
        """The mutants that explain every failed check."""
        return [
            mutant
            for mutant in mutants
            if all(self.explains(mutant, c, strict=strict) for c in self._cheapest_first())
            and self._is_supported(mutant, strict)
        ]

    def _cheapest_first(self) -> list[CheckRun]:
        """The failed checks. What is cheap is known after a few mutants, and after each anew."""
        return sorted(self.failed, key=self.catalogue.cost)

    def _most(self, found: list[Mutant], strict: bool = False) -> list[Mutant]:
        """Of several mistakes, those that explain most of the passed checks."""
        if len({mutant.mistakes for mutant in found}) < 2:
            return found
        counts = [
            sum(self.explains(s, check, strict=strict) for check in self.passed) for s in found
        ]
        return [s for s, count in zip(found, counts, strict=True) if count == max(counts)]

    def _is_supported(self, mutant: Mutant, strict: bool) -> bool:
        """Whether it explains the failed checks without chance, or all the passed ones as well.

        A part whose weights are never loaded answers anything: that alone proves nothing.
        """
        plainly = (self.explains(mutant, c, chance=False, strict=strict) for c in self.failed)
        return all(plainly) or all(self.explains(mutant, c, strict=strict) for c in self.passed)

    def _pairs(self, singles: list[Mutant]) -> Iterable[Mutant]:
        """Two mistakes at once: one that explains a failed check with any other, else the usual ways."""
        if not any(
            recording.failed_by_an_answer()
            for check in self.failed
            for recording in check.recordings
        ):
            return ()
        partly = [
            s for s in singles if any(self._explains_plainly(s, check) for check in self.failed)
        ]
        usual = [mutant for mutant in singles if mutant.usual]
        some, others = (partly, singles) if partly else (usual, usual)
        return self.catalogue.pairs(some, others, self._may_explain_together)

    def _may_explain_together(self, one: Mutant, other: Mutant) -> bool:
        """Whether two mistakes at once may explain every failed check, as far as each alone tells."""
        return all(
            self.explains(one, check)
            or self.explains(other, check)
            or any(self._may_repeat(one, other, check, r) for r in check.recordings)
            for check in self._cheapest_first()
        )

    def _may_repeat(
        self, one: Mutant, other: Mutant, check: CheckRun, recording: Recording
    ) -> bool:
        """Whether both together may give the recorded answers.

        As long as one of them answers like the solution, both answer like the other one.
        """
        mine, theirs = (self.departures(m, check, recording.case) for m in (one, other))
        return mine.students >= theirs.solutions and theirs.students >= mine.solutions

    def _departures(self, mutant: Mutant, check: CheckRun, case: int | None) -> Alike:
        """How far a mutant answers like the solution, and how far like the student."""
        recording = next(one for one in check.recordings if one.case == case)
        self._repeats(mutant, check, recording, chance=False, strict=False)
        answers = self._answers(mutant, check, recording, strict=False)
        solved = self._solved(check, recording, strict=False).given
        return Alike(_alike(answers, solved), _alike(answers, recording.compared(strict=False)))

    def _solved(self, check: CheckRun, recording: Recording, strict: bool) -> Answers:
        """What the solution answers, from two random numbers, to the end."""
        solution = self.catalogue.unchanged[check.exercise]
        answers = self._answers(solution, check, recording, strict)
        if not answers.complete:
            given, again = (
                self._replay(solution, recording, strict, seed).all_answers(check)
                for seed in (0, 1)
            )
            answers.given, answers.again = given, dict(enumerate(again))
            answers.complete = True
        return answers

    def _is_settled(
        self, answer: object, place: int, check: CheckRun, recording: Recording, strict: bool
    ) -> bool:
        """Whether it is what the solution answers whatever its random numbers."""
        solved = self._solved(check, recording, strict)
        twice = [*solved.given[place : place + 1], solved.again.get(place)]
        return twice == [answer, answer] and not isinstance(answer, Measured)

    def _answers(
        self, mutant: Mutant, check: CheckRun, recording: Recording, strict: bool
    ) -> Answers:
        where = _where(mutant, check, recording, strict)
        return self.catalogue.answers((*where, recording.question()))

    def _explaining_one(self, mutants: list[Mutant], check: CheckRun) -> list[Mutant]:
        """Where nothing explains all checks: the mutants that explain this one, if of one mistake."""
        found = [mutant for mutant in mutants if self._explains_plainly(mutant, check)]
        return found if len({mutant.mistakes for mutant in found}) == 1 else []

    def _explains_plainly(self, mutant: Mutant, check: CheckRun) -> bool:
        """Whether it explains, by answers and without chance, a check that is there to catch it."""
        by_answers = any(recording.failed_by_an_answer() for recording in check.recordings)
        caught = check.name in mutant.must_fail
        return by_answers and caught and self.explains(mutant, check, chance=False)

    def _explains(
        self, mutant: Mutant, check: CheckRun, chance: bool = True, strict: bool = False
    ) -> bool:
        """Whether the mutant, asked the same, answers the same, in one of the check's cases.

        Answers that differ from draw to draw only have to be alike; without `chance` none may differ.
        Two mistakes and chance together would explain anything: then one of them has to do so alone.
        If `strict`, stand-ins have to be handed the same, too.
        """
        self.clock.check()
        chance &= not mutant.parts
        begin = time.perf_counter()
        explained = any(
            self._repeats(mutant, check, recording, chance, strict)
            for recording in check.recordings
        ) or any(self.explains(part, check) for part in mutant.parts)
        self.catalogue.add_cost(check, time.perf_counter() - begin, explained)
        return explained

    def _repeats(
        self, mutant: Mutant, check: CheckRun, recording: Recording, chance: bool, strict: bool
    ) -> bool:
        """Whether the mutant gives the recorded answers; see `_explains`."""
        settled = self.catalogue.settled[_where(mutant, check, recording, strict)]
        answers = self._answers(mutant, check, recording, strict)
        known, tolerated = recording.compared(strict), set[int]()
        while True:
            place = _departure(answers.given, known, tolerated)
            if place is None and not answers.complete:
                replay = self._replay(mutant, recording, strict)
                replay.tolerated = frozenset(tolerated)
                answers.outcome = replay.repeat(check)
                answers.given, place = replay.answers, replay.departs
                answers.complete = place is None
            if place is None:
                return len(answers.given) == len(known) and answers.outcome == recording.outcome
            if not chance or place >= len(known) or place in settled:
                return False
            mine = answers.given[place]
            if not comparable(mine, known[place]):
                return False
            if self._is_settled(mine, place, check, recording, strict):
                settled.add(place)
                return False
            if place not in answers.again:
                replay = self._replay(mutant, recording, strict, seed=1)
                answers.again[place] = replay.answer_at(check, place)
            again = answers.again[place]
            if again == mine and not isinstance(mine, Measured):
                settled.add(place)
            if again == mine or not alike(mine, again, known[place]):
                return False
            tolerated.add(place)

    def _replay(self, mutant: Mutant, recording: Recording, strict: bool, seed: int = 0) -> Replay:
        candidate = self.catalogue.candidate(mutant, recording.with_stand_ins, seed)
        return Replay(candidate, recording, strict, self.clock)


def _where(mutant: Mutant, check: CheckRun, recording: Recording, strict: bool) -> tuple:
    return mutant.cell, check.id, recording.case, recording.double, strict


def _alike(answers: Answers, known: Sequence[object]) -> float:
    """How many answers are these, as far as it was asked."""
    place = _departure(answers.given, known, set())
    if place is None:
        return math.inf if answers.complete else len(answers.given)
    return place


def _departure(given: Sequence[object], known: Sequence[object], tolerated: set[int]) -> int | None:
    """The place of the first answer that is another; None where none is, so far as was asked."""
    places = (place for place, answer in enumerate(given) if known[place : place + 1] != [answer])
    return next((place for place in places if place not in tolerated), None)
