"""Two mistakes in one exercise, where no single one explains every failed check."""

from collections.abc import Iterable, Iterator, Sequence
from itertools import islice, product

from autograder.engine.course.mistake import Mistake
from autograder.engine.diagnosis.chance import parts_of
from autograder.engine.diagnosis.mutants import Mutant, Mutants
from autograder.engine.diagnosis.traces import Traces
from autograder.engine.examiner.checks import CheckRun

Pair = tuple[Mutant, Mutant]
MANY = 5  # checks, beside which a single one says little
MAX_PAIRS = 80  # of mistakes that are made together and asked: each takes some milliseconds


class PairSearch:
    """The search for a pair: first of two that each explain some checks, then of two made together."""

    def __init__(
        self, mutants: Mutants, traces: Traces, failed: list[CheckRun], passed: list[CheckRun]
    ):
        self.mutants, self.traces = mutants, traces
        self.explains = traces.explains
        self.failed, self.passed = failed, passed

    def find(self, singles: list[Mutant]) -> list[Mutant]:
        """Two mistakes that explain every failed check, where neither of them does so alone.

        Where there are several such, no two can be told from the others: none is found.
        """
        if not any(check.failed_by_an_answer for check in self.failed):
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

    def _answering(self, pairs: Iterable[Pair]) -> list[Pair]:
        """The pairs that explain every failed check when they are made together and asked."""
        possible = (pair for pair in pairs if self._may_explain_together(*pair))
        made = ((pair, self.mutants.pair(*pair)) for pair in possible)
        some = islice(((pair, both) for pair, both in made if both), MAX_PAIRS)
        return [pair for pair, both in some if self._explain_together(both)]

    def _explains_plainly(self, mutant: Mutant, check: CheckRun) -> bool:
        """Whether it explains, by answers and without chance, a check that is there to catch it."""
        caught = check.name in mutant.must_fail
        return caught and check.failed_by_an_answer and self.explains(mutant, check)

    def _explained(self, mutant: Mutant) -> int:
        """How many failed checks it explains by itself."""
        return sum(self._explains_as_a_part(mutant, check) for check in self.failed)

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

    def _most_of_pairs(self, found: list[Pair]) -> list[Pair]:
        """Of several pairs, those that explain most of the passed checks."""
        made = [(pair, self.mutants.pair(*pair)) for pair in found[:MAX_PAIRS]]
        counts = [
            sum(self.explains(both, check, True) for check in self.passed) if both else -1
            for _, both in made
        ]
        return [pair for (pair, _), count in zip(made, counts, strict=True) if count == max(counts)]

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
        known = check.recording.answers if check.recording else []
        answers = zip(known, self.traces.solved(check), strict=False)
        return any(parts_of(one) != parts_of(right) for one, right in answers)

    def _are_needed(self, one: Mutant, other: Mutant) -> bool:
        return self._is_needed(one, other) and self._is_needed(other, one)

    def _is_needed(self, one: Mutant, other: Mutant) -> bool:
        """Whether a check that is there to catch one mistake needs more than the other."""
        return any(
            check.name in one.must_fail
            and not self._explains_as_a_part(other, check)
            and (check.failed_by_an_answer or self.explains(one, check))
            for check in self.failed
        )

    def _explains_as_a_part(self, mutant: Mutant, check: CheckRun) -> bool:
        """Whether it explains a check; by chance, only one that is there to catch it."""
        return self.explains(mutant, check, check.name in mutant.must_fail)


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
