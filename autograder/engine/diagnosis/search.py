"""The search for the known mistake that gives a student's answers.

The questions of a failed check are put again, to the solution with a mistake in it, from the same
random numbers. A mistake explains the check if every answer and the end are the same: so nothing is
named that would not have answered so, and what no mistake explains is left to the tutor's question.

    failed: A, B      1. one mistake that explains A and B
                      2. two: one that explains A and another B, or both made together
                      3. one whose number is open, solved for from A, and then right for B, too
                      4. the right answers in another order
                      5. for A alone, and for B alone, the one mistake that explains it

The first step that finds one mistake, or one pair, ends the search; several that cannot be told apart by
the passed checks end it without a name.
"""

import math
from collections.abc import Iterable, Iterator, Sequence
from itertools import islice, product

from autograder.engine.course.assignment import Assignment
from autograder.engine.course.mistake import Mistake
from autograder.engine.diagnosis.chance import parts_of
from autograder.engine.diagnosis.clock import Clock
from autograder.engine.diagnosis.fitting import fits
from autograder.engine.diagnosis.mutants import Catalogue, Mutant, catalogue_of
from autograder.engine.diagnosis.permuting import PERMUTED, are_permuted
from autograder.engine.diagnosis.traces import Traces
from autograder.engine.examiner.checks import CheckRun
from autograder.engine.examiner.recording import compared, numbers_in
from autograder.engine.examiner.session import undisturbed

EXPLAINABLE = frozenset(  # kinds of failure
    "wrong raised refused unsendable returns_nothing no_module no_function no_value".split()
)
Pair = tuple[Mutant, Mutant]
MANY = 5  # checks, beside which a single one says little
MAX_PAIRS = 80  # of mistakes that are made together and asked: each takes some milliseconds


def is_explainable(check: CheckRun) -> bool:
    """Whether a mistake is looked for that explains this check."""
    return check.kind in EXPLAINABLE and check.recording is not None


def diagnose(
    assignment: Assignment,
    checks: Sequence[CheckRun],
    seconds: float = math.inf,
) -> list[Mistake]:
    """Return the mistakes in one exercise, and note in each check which ones explain it.

    Raises `OutOfTime` where that takes more than so many seconds of CPU: then nothing is noted.
    """
    failed = [check for check in checks if is_explainable(check)]
    if not failed:
        return []
    with undisturbed():
        _Diagnosis(catalogue_of(assignment), checks, failed, Clock(seconds)).run()
    found = [mistake for check in failed for mistake in check.mistakes]
    return list(dict.fromkeys(found))


class _Diagnosis:
    """The search, from the simplest explanation on: one mistake, two, one for each check."""

    def __init__(
        self,
        catalogue: Catalogue,
        checks: Sequence[CheckRun],
        failed: list[CheckRun],
        clock: Clock,
    ):
        self.catalogue = catalogue
        self.traces = Traces(catalogue, clock)
        self.explains = self.traces.explains
        self.failed = sorted(failed, key=_size)  # small questions first
        self.passed = sorted((check for check in checks if check.passed), key=_size)

    def run(self) -> None:
        failures = {check.name for check in self.failed}
        singles = self.catalogue.singles.get(self.failed[0].exercise, [])
        singles = [mutant for mutant in singles if mutant.must_fail <= failures]
        found = self._single(singles)
        if _count_mistakes(found) > 1:
            return  # which of them it was cannot be told from its answers
        found = (
            found or self._together(singles) or self._fitted(failures) or self._permuted(singles)
        )
        for check in self.failed:
            explaining = found or self._explaining_one(singles, check)
            named = [mistake for mutant in explaining for mistake in mutant.mistakes]
            check.mistakes = list(dict.fromkeys(named))

    def _single(self, singles: list[Mutant]) -> list[Mutant]:
        """One mistake that explains every failed check; if possible, without chance."""
        for chance in (False, True):
            found = self._explaining_all(singles, chance)
            strictly = self._explaining_all(found, chance, strict=True)
            if best := self._most(strictly, strict=True) or self._most(found):
                return best
        return []

    def _explaining_all(
        self, mutants: list[Mutant], chance: bool, strict: bool = False
    ) -> list[Mutant]:
        """The mutants that explain every failed check.

        A part whose weights are never loaded answers anything: that alone proves nothing. So what
        explains by chance has to explain the passed checks as well.
        """
        also = self.passed if chance else []
        return [
            mutant
            for mutant in mutants
            if all(
                self.explains(mutant, check, chance, strict)
                for check in (*self._telling_first(mutant), *also)
            )
        ]

    def _telling_first(self, mutant: Mutant) -> list[CheckRun]:
        """The failed checks; first those that are there to catch this mistake."""
        return sorted(self.failed, key=lambda check: check.name not in mutant.must_fail)

    def _most(self, found: list[Mutant], strict: bool = False) -> list[Mutant]:
        """Of several mistakes, those that explain most of the passed checks."""
        if _count_mistakes(found) < 2:
            return found
        counts = [
            sum(self.explains(s, check, True, strict) for check in self.passed) for s in found
        ]
        return [s for s, count in zip(found, counts, strict=True) if count == max(counts)]

    def _together(self, singles: list[Mutant]) -> list[Mutant]:
        """Two mistakes that explain every failed check, where neither of them does so alone.

        Where there are several such, no two can be told from the others: none is found.
        """
        if not any(map(_failed_by_an_answer, self.failed)):
            return []
        partly = [
            s for s in singles if any(self._explains_plainly(s, check) for check in self.failed)
        ]
        found = list(self._covers(partly, singles))
        if not found:
            usual = sorted(
                (mutant for mutant in singles if mutant.usual), key=self._explained, reverse=True
            )
            pairs = _pairs(partly, singles) if partly else _pairs(usual, usual)
            found = self._answering(pairs)
        if len(_mistakes_of(found)) > 1:
            found = self._most_of_pairs(found)
        return self._beyond_chance(found[0]) if len(_mistakes_of(found)) == 1 else []

    def _beyond_chance(self, pair: Pair) -> list[Mutant]:
        """Both of a pair; or the one that explains MANY checks, where the other one explains a single word:
        of a few words each is right by chance.
        """
        counts = [self._explained(mutant) for mutant in pair]
        words = not any(map(self._departs_in_numbers, self.failed))
        if words and min(counts) <= 1 and max(counts) >= MANY:
            return [pair[counts.index(max(counts))]]
        return list(pair)

    def _departs_in_numbers(self, check: CheckRun) -> bool:
        """Whether numbers among its answers are others than the solution's, and not words alone."""
        known = compared(check.recording.answers, strict=False) if check.recording else []
        answers = zip(known, self.traces.solved(check), strict=False)
        return any(parts_of(one) != parts_of(right) for one, right in answers)

    def _fitted(self, failures: set[str]) -> list[Mutant]:
        """A mistake whose number is none of those listed, and explains every failed check."""
        if not any(map(_failed_by_an_answer, self.failed)):
            return []
        found = [
            mutant
            for mutant in self.catalogue.fits.get(self.failed[0].exercise, [])
            if mutant.must_fail <= failures
            and fits(self.traces, mutant, self._telling_first(mutant))
        ]
        return found if _count_mistakes(found) == 1 else []

    def _permuted(self, singles: list[Mutant]) -> list[Mutant]:
        """The mistake of another order, if the answers of every failed check are the right ones in one."""
        found = [mutant for mutant in singles if mutant.usual and mutant.mistakes[0].id == PERMUTED]
        permuted = found and all(
            are_permuted(compared(check.recording.answers, strict=False), self.traces.solved(check))
            for check in self.failed
            if check.recording
        )
        return found if permuted else []

    def _explained(self, mutant: Mutant) -> int:
        """How many failed checks it explains by itself."""
        return sum(self._explains_as_a_part(mutant, check) for check in self.failed)

    def _covers(self, partly: list[Mutant], singles: list[Mutant]) -> Iterator[Pair]:
        """Yield pairs of which one explains what the other does not: they need not be asked together."""
        for one in partly:
            rest = [c for c in self.failed if not self._explains_as_a_part(one, c)]
            there = {check.name for check in rest}
            for other in singles:
                differs = one.mistakes != other.mistakes and not there.isdisjoint(other.must_fail)
                covers = differs and all(self._explains_as_a_part(other, c) for c in rest)
                if covers and self._are_needed(one, other):
                    yield one, other

    def _most_of_pairs(self, found: list[Pair]) -> list[Pair]:
        """Of several pairs, those that explain most of the passed checks."""
        made = [(pair, self.catalogue.pair(*pair)) for pair in found[:MAX_PAIRS]]
        counts = [
            sum(self.explains(both, check, True) for check in self.passed) if both else -1
            for _, both in made
        ]
        return [pair for (pair, _), count in zip(made, counts, strict=True) if count == max(counts)]

    def _is_needed(self, one: Mutant, other: Mutant) -> bool:
        """Whether a check that is there to catch one mistake needs more than the other."""
        return any(
            check.name in one.must_fail
            and not self._explains_as_a_part(other, check)
            and (_failed_by_an_answer(check) or self.explains(one, check))
            for check in self.failed
        )

    def _explains_as_a_part(self, mutant: Mutant, check: CheckRun) -> bool:
        """Whether it explains a check; by chance, only one that is there to catch it."""
        return self.explains(mutant, check, check.name in mutant.must_fail)

    def _are_needed(self, one: Mutant, other: Mutant) -> bool:
        return self._is_needed(one, other) and self._is_needed(other, one)

    def _answering(self, pairs: Iterable[Pair]) -> list[Pair]:
        """The pairs that explain every failed check when they are made together and asked."""
        possible = (pair for pair in pairs if self._may_explain_together(*pair))
        made = ((pair, self.catalogue.pair(*pair)) for pair in possible)
        some = islice(((pair, both) for pair, both in made if both), MAX_PAIRS)
        return [pair for pair, both in some if self._explain_together(both)]

    def _may_explain_together(self, one: Mutant, other: Mutant) -> bool:
        """Whether two mistakes at once may explain every failed check, as far as each alone tells."""
        return all(
            self.traces.may_repeat(one, other, check)
            or self._explains_as_a_part(one, check)
            or self._explains_as_a_part(other, check)
            for check in self.failed
        ) and self._are_needed(one, other)

    def _explain_together(self, both: Mutant) -> bool:
        """Whether each failed check is explained by both mistakes, or by one of them alone.

        Two mistakes and chance together would explain anything: then one of them has to do so alone.
        """
        alone = {
            check: any(self.explains(part, check, True) for part in both.parts)
            for check in self.failed
        }
        telling = sorted(self.failed, key=lambda check: alone[check])
        return all(self.explains(both, check) or alone[check] for check in telling)

    def _explaining_one(self, mutants: list[Mutant], check: CheckRun) -> list[Mutant]:
        """Where nothing explains all checks: the mutants that explain this one, if of one mistake.

        It is one that this check is there to catch, by answers; if possible, without chance, and
        otherwise one that explains the passed checks as well.
        """
        if not _failed_by_an_answer(check):
            return []
        caught = [mutant for mutant in mutants if check.name in mutant.must_fail]
        found = [mutant for mutant in caught if self.explains(mutant, check)] or [
            mutant
            for mutant in caught
            if all(self.explains(mutant, one, True) for one in (check, *self.passed))
        ]
        return found if _count_mistakes(found) == 1 else []

    def _explains_plainly(self, mutant: Mutant, check: CheckRun) -> bool:
        """Whether it explains, by answers and without chance, a check that is there to catch it."""
        caught = check.name in mutant.must_fail
        return caught and _failed_by_an_answer(check) and self.explains(mutant, check)


def _pairs(some: Sequence[Mutant], others: Sequence[Mutant]) -> Iterator[Pair]:
    """Two mistakes at once, each two cells once."""
    seen = set[frozenset[str]]()
    for one, other in product(some, others):
        cells = frozenset((one.cell, other.cell))
        if one.mistakes != other.mistakes and cells not in seen:
            seen.add(cells)
            yield one, other


def _mistakes_of(pairs: Iterable[Pair]) -> set[frozenset[Mistake]]:
    return {frozenset((*one.mistakes, *other.mistakes)) for one, other in pairs}


def _count_mistakes(mutants: Iterable[Mutant]) -> int:
    """How many mistakes, or pairs of them, these are; each may be made in several ways."""
    return len({mutant.mistakes for mutant in mutants})


def _failed_by_an_answer(check: CheckRun) -> bool:
    return check.recording is not None and check.recording.failed_by_an_answer()


def _size(check: CheckRun) -> int:
    """How much was recorded of a check: it takes as long to ask it once more."""
    return sum(map(numbers_in, check.recording.answers)) if check.recording else 0
