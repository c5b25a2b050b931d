"""Which mistake it was: whose answers are those of a known mistaken solution?

The questions of a failed check are put again, to the solution with a mistake in it, from the same
random numbers. A mistake explains the check if every answer and the end are the same: so nothing is
named that would not have answered so, and what no mistake explains is left to the tutor's question.
"""

import time
from collections.abc import Iterable, Sequence
from functools import cache

from autograder.assignment import Assignment
from autograder.examiner.asking import Repeating, told
from autograder.examiner.catalogue import Catalogue, Suspect, catalogue_of
from autograder.examiner.session import Check, undisturbed
from autograder.examiner.transcript import Measured, Scene, alike, comparable
from autograder.mistake import Mistake

TOLD = frozenset({"wrong", "raised", "refused", "unsendable", "no_module"})  # failures that tell


def diagnose(assignment: Assignment, checks: Sequence[Check]) -> list[Mistake]:
    """Return the mistakes in one exercise, and note in each check which ones explain it."""
    failed = [check for check in checks if check.kind in TOLD and check.scenes]
    if not failed:
        return []
    with undisturbed():
        _Diagnosis(catalogue_of(assignment), checks, failed).run()
    found = [mistake for check in failed for mistake in check.mistakes]
    return list(dict.fromkeys(found))


class _Diagnosis:
    """The search, from the simplest explanation on: one mistake, two, one for each check."""

    def __init__(self, catalogue: Catalogue, checks: Sequence[Check], failed: list[Check]):
        self.catalogue = catalogue
        self.failed = sorted(failed, key=catalogue.price)
        self.passed = [check for check in checks if check.passed]
        self.explains = cache(self._explains)

    def run(self) -> None:
        failures = {check.id for check in self.failed}
        singles = self.catalogue.singles.get(self.failed[0].exercise, [])
        singles = [suspect for suspect in singles if suspect.must_fail <= failures]
        found = (
            self._whole(singles, strict=True)
            or self._whole(singles, strict=False)
            or self._whole(self._pairs(singles), strict=False)
        )
        for check in self.failed:
            suspects = found or self._beyond_doubt(singles, check)
            named = [mistake for suspect in suspects for mistake in suspect.mistakes]
            check.mistakes = list(dict.fromkeys(named))

    def _whole(self, suspects: Iterable[Suspect], strict: bool) -> list[Suspect]:
        """Those that explain all that failed, and of these, those that tell most of what was passed."""
        found = [
            suspect
            for suspect in suspects
            if all(self.explains(suspect, check, strict=strict) for check in self.failed)
            and self._is_supported(suspect, strict)
        ]
        if len({suspect.mistakes for suspect in found}) < 2:
            return found
        counts = [
            sum(self.explains(s, check, strict=strict) for check in self.passed) for s in found
        ]
        return [s for s, count in zip(found, counts, strict=True) if count == max(counts)]

    def _is_supported(self, suspect: Suspect, strict: bool) -> bool:
        """Whether no chance is needed for what failed, or else everything that was passed is told, too.

        A part with weights of its own that nobody loads answers anything: that alone proves nothing.
        """
        plainly = (self.explains(suspect, c, chance=False, strict=strict) for c in self.failed)
        return all(plainly) or all(self.explains(suspect, c, strict=strict) for c in self.passed)

    def _pairs(self, singles: list[Suspect]) -> Iterable[Suspect]:
        """Two at once: one that explains a part of it with any other, else the usual ways of all."""
        if not any(scene.tells() for check in self.failed for scene in check.scenes):
            return ()
        partly = [s for s in singles if any(self._is_told(s, check) for check in self.failed)]
        usual = [suspect for suspect in singles if suspect.usual]
        return self.catalogue.pairs(partly or usual, singles if partly else usual)

    def _beyond_doubt(self, suspects: list[Suspect], check: Check) -> list[Suspect]:
        """Those that explain one check where nothing explains all: of one mistake, or none."""
        found = [suspect for suspect in suspects if self._is_told(suspect, check)]
        return found if len({suspect.mistakes for suspect in found}) == 1 else []

    def _is_told(self, suspect: Suspect, check: Check) -> bool:
        """Whether a check that is there to catch the suspect is explained, by answers and no chance."""
        tells = check.id in suspect.must_fail and any(scene.tells() for scene in check.scenes)
        return tells and self.explains(suspect, check, chance=False)

    def _explains(
        self, suspect: Suspect, check: Check, chance: bool = True, strict: bool = False
    ) -> bool:
        """Whether the suspect, asked the same, answers the same, in one of the claim's cases.

        Answers that it would not give twice have to be alike; without `chance` it may have none. Two
        mistakes and chance together would explain anything: then one of them has to do so alone.
        `strict`ly, parts that are played have to get the same, too.
        """
        chance &= not suspect.parts
        begin = time.perf_counter()
        explained = any(
            self._repeats(suspect, check, scene, chance, strict) for scene in check.scenes
        ) or any(self.explains(part, check) for part in suspect.parts)
        self.catalogue.pay(check, time.perf_counter() - begin, explained)
        return explained

    def _repeats(
        self, suspect: Suspect, check: Check, scene: Scene, chance: bool, strict: bool
    ) -> bool:
        plays = scene.played or not scene.hidden
        where = suspect.cell, check.id, scene.case, scene.double, strict
        settled, question = self.catalogue.settled[where], (*where, plays, scene.question())
        answers = self.catalogue.answers(question)
        known, tolerated = told(scene, strict), set[int]()
        while True:
            place = _departure(answers.heard, known, tolerated)
            if place is None and not answers.complete:
                asking = self._asking(suspect, scene, strict)
                asking.tolerated = frozenset(tolerated)
                answers.outcome = asking.repeat(check.function)
                answers.heard, place = asking.heard, asking.departs
                answers.complete = place is None
            if place is None:
                return len(answers.heard) == len(known) and answers.outcome == scene.outcome
            if not chance or place >= len(known) or place in settled:
                return False
            mine = answers.heard[place]
            if not comparable(mine, known[place]):
                return False
            if place not in answers.again:
                asking = self._asking(suspect, scene, strict, seed=1)
                answers.again[place] = asking.listen(check.function, place)
            again = answers.again[place]
            if again == mine and not isinstance(mine, Measured):
                settled.add(place)
            if again == mine or not alike(mine, again, known[place]):
                return False
            tolerated.add(place)

    def _asking(self, suspect: Suspect, scene: Scene, strict: bool, seed: int = 0) -> Repeating:
        plays = scene.played or not scene.hidden
        return Repeating(self.catalogue.candidate(suspect, plays, seed), scene, strict)


def _departure(heard: Sequence[object], known: Sequence[object], tolerated: set[int]) -> int | None:
    """The place of the first answer that is another; None where none is, so far as was heard."""
    places = (place for place, thing in enumerate(heard) if known[place : place + 1] != [thing])
    return next((place for place in places if place not in tolerated), None)
