"""The search for the known mistake that gives a student's answers.

The questions of a failed check are put again, to the solution with a mistake in it, from the same
random numbers. A mistake explains the check if every answer and the end are the same: so nothing is
named that would not have answered so, and what no mistake explains is left to the tutor's question.
"""

import time
from collections.abc import Iterable, Sequence
from functools import cache

from autograder.engine.assignment import Assignment
from autograder.engine.diagnosis.mutants import Catalogue, Mutant, catalogue_of
from autograder.engine.diagnosis.replay import Replay
from autograder.engine.examiner.checks import CheckRun
from autograder.engine.examiner.recording import Measured, Recording, alike, comparable
from autograder.engine.examiner.session import undisturbed
from autograder.engine.mistake import Mistake

EXPLAINABLE = frozenset(  # kinds of failure
    {"wrong", "raised", "refused", "unsendable", "no_module", "no_function", "no_value"}
)


def diagnose(assignment: Assignment, checks: Sequence[CheckRun]) -> list[Mistake]:
    """Return the mistakes in one exercise, and note in each check which ones explain it."""
    failed = [check for check in checks if check.kind in EXPLAINABLE and check.recordings]
    if not failed:
        return []
    with undisturbed():
        _Diagnosis(catalogue_of(assignment), checks, failed).run()
    found = [mistake for check in failed for mistake in check.mistakes]
    return list(dict.fromkeys(found))


class _Diagnosis:
    """The search, from the simplest explanation on: one mistake, two, one for each check."""

    def __init__(self, catalogue: Catalogue, checks: Sequence[CheckRun], failed: list[CheckRun]):
        self.catalogue = catalogue
        self.failed = sorted(failed, key=catalogue.cost)
        self.passed = [check for check in checks if check.passed]
        self.explains = cache(self._explains)

    def run(self) -> None:
        failures = {check.name for check in self.failed}
        singles = self.catalogue.singles.get(self.failed[0].exercise, [])
        singles = [mutant for mutant in singles if mutant.must_fail <= failures]
        found = (
            self._explaining_all(singles, strict=True)
            or self._explaining_all(singles, strict=False)
            or self._explaining_all(self._pairs(singles), strict=False)
        )
        for check in self.failed:
            mutants = found or self._explaining_one(singles, check)
            named = [mistake for mutant in mutants for mistake in mutant.mistakes]
            check.mistakes = list(dict.fromkeys(named))

    def _explaining_all(self, mutants: Iterable[Mutant], strict: bool) -> list[Mutant]:
        """The mutants that explain every failed check; of several, those that explain most passed ones."""
        found = [
            mutant
            for mutant in mutants
            if all(self.explains(mutant, check, strict=strict) for check in self.failed)
            and self._is_supported(mutant, strict)
        ]
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
        return self.catalogue.pairs(partly or usual, singles if partly else usual)

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
        where = mutant.cell, check.id, recording.case, recording.double, strict
        settled = self.catalogue.settled[where]
        answers = self.catalogue.answers((*where, recording.question()))
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
        return Replay(candidate, recording, strict)


def _departure(given: Sequence[object], known: Sequence[object], tolerated: set[int]) -> int | None:
    """The place of the first answer that is another; None where none is, so far as was asked."""
    places = (place for place, answer in enumerate(given) if known[place : place + 1] != [answer])
    return next((place for place in places if place not in tolerated), None)
