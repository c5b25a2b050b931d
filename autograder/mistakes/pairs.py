"""Search for two mistakes in one exercise, where no single one explains every failed check.

failed checks          A     B     C
`unscaled`             yes   no    no     each explains what the other does not:
`mask_ignored`         no    yes   yes    the pair is found, and need not be made

`unscaled`             yes   no    no     neither explains B and C: the solution is changed
`mask_ignored`         no    no    no     by both mistakes, asked, and explains A, B and C
"""

from collections.abc import Iterable, Iterator, Sequence
from itertools import islice, product

from autograder.engine.examiner.checks import CheckRun
from autograder.mistakes.chance import parts_of
from autograder.mistakes.mistake import Mistake
from autograder.mistakes.mutants import Mutant, Mutants
from autograder.mistakes.traces import Traces

Pair = tuple[Mutant, Mutant]
MANY = 5  # checks, beside which a single one says little
MAX_PAIRS = 80  # of mistakes that are made together and asked: each takes some milliseconds


class PairSearch:
    """Searches for two mistakes in one exercise: first for two that together explain every failed
    check, then for a mutant with both mistakes.

    `failed` and `passed`: the checks of the exercise.
    """

    def __init__(
        self, mutants: Mutants, traces: Traces, failed: list[CheckRun], passed: list[CheckRun]
    ):
        self.mutants, self.traces = mutants, traces
        self.explains = traces.explains
        self.failed, self.passed = failed, passed

    def find(self, singles: list[Mutant]) -> list[Mutant]:
        """Return the mutants of two mistakes that together explain every failed check; `singles`
        are the mutants with one mistake to choose from.

        Return an empty list if there is no such pair, or several that cannot be told apart. Return
        only one of the two mutants if the other may fit by chance, see `_beyond_chance`.
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
        """Yield the pairs in which one mutant explains every failed check that the other one does
        not; a mutant with both mistakes is not made.

        `partly`: mutants that explain a failed check; `singles`: all with one mistake.
        """
        for one in partly:
            rest = [c for c in self.failed if not self._explains_as_a_part(one, c)]
            there = {check.name for check in rest}
            for other in singles:
                differs = one.mistakes != other.mistakes and not there.isdisjoint(other.must_fail)
                covers = differs and all(self._explains_as_a_part(other, c) for c in rest)
                if covers and self._are_needed(one, other):
                    yield one, other

    def _answering(self, pairs: Iterable[Pair]) -> list[Pair]:
        """Return those of the pairs that explain every failed check, see `_explain_together`. For
        this, a mutant with both mistakes is made of each pair that may do so, in order, of at most
        MAX_PAIRS.
        """
        possible = (pair for pair in pairs if self._may_explain_together(*pair))
        made = ((pair, self.mutants.pair(*pair)) for pair in possible)
        some = islice(((pair, both) for pair, both in made if both), MAX_PAIRS)
        return [pair for pair, both in some if self._explain_together(both)]

    def _explains_plainly(self, mutant: Mutant, check: CheckRun) -> bool:
        """Whether the mutant explains the check without chance. The check must be one that the
        mistake is known to fail, and must have failed by an answer.
        """
        caught = check.name in mutant.must_fail
        return caught and check.failed_by_an_answer and self.explains(mutant, check)

    def _explained(self, mutant: Mutant) -> int:
        """Return how many failed checks the mutant explains by itself."""
        return sum(self._explains_as_a_part(mutant, check) for check in self.failed)

    def _may_explain_together(self, one: Mutant, other: Mutant) -> bool:
        """Whether a mutant with the mistakes of `one` and `other` may explain every failed check,
        as far as the traces of each alone show.
        """
        return all(
            self.traces.may_repeat(one, other, check)
            or self._explains_as_a_part(one, check)
            or self._explains_as_a_part(other, check)
            for check in self.failed
        ) and self._are_needed(one, other)

    def _explain_together(self, both: Mutant) -> bool:
        """Whether each failed check is explained by `both`, a mutant with two mistakes, or by one
        of its mistakes alone.

        Chance is only allowed for one mistake alone: two mistakes and chance would explain any
        answer.
        """
        alone = {
            check: any(self.explains(part, check, True) for part in both.parts)
            for check in self.failed
        }
        telling = sorted(self.failed, key=lambda check: alone[check])
        return all(self.explains(both, check) or alone[check] for check in telling)

    def _most_of_pairs(self, found: list[Pair]) -> list[Pair]:
        """Return those of the first MAX_PAIRS pairs for which a mutant with both mistakes explains
        the largest number of passed checks.
        """
        made = [(pair, self.mutants.pair(*pair)) for pair in found[:MAX_PAIRS]]
        counts = [
            sum(self.explains(both, check, True) for check in self.passed) if both else -1
            for _, both in made
        ]
        return [pair for (pair, _), count in zip(made, counts, strict=True) if count == max(counts)]

    def _beyond_chance(self, pair: Pair) -> list[Mutant]:
        """Return both mutants of a pair, or only one if the other may fit by chance.

        That is so if no answer differs from the solution's in a number, one mutant explains at
        least MANY checks, and the other at most one: of a few words, each may be right by chance.
        """
        counts = [self._explained(mutant) for mutant in pair]
        words = not any(map(self._departs_in_numbers, self.failed))
        if words and min(counts) <= 1 and max(counts) >= MANY:
            return [pair[counts.index(max(counts))]]
        return list(pair)

    def _departs_in_numbers(self, check: CheckRun) -> bool:
        """Whether numbers among the student's answers differ from the solution's, and not only
        words.
        """
        known = check.recording.answers if check.recording else []
        answers = zip(known, self.traces.solved(check), strict=False)
        return any(parts_of(one) != parts_of(right) for one, right in answers)

    def _are_needed(self, one: Mutant, other: Mutant) -> bool:
        return self._is_needed(one, other) and self._is_needed(other, one)

    def _is_needed(self, one: Mutant, other: Mutant) -> bool:
        """Whether `one` is needed beside `other`: whether a failed check that `one` is known to
        fail is not explained by `other` alone.
        """
        return any(
            check.name in one.must_fail
            and not self._explains_as_a_part(other, check)
            and (check.failed_by_an_answer or self.explains(one, check))
            for check in self.failed
        )

    def _explains_as_a_part(self, mutant: Mutant, check: CheckRun) -> bool:
        """Whether the mutant explains the check. Chance is only allowed if the mistake is known to
        fail this check.
        """
        return self.explains(mutant, check, check.name in mutant.must_fail)


def _pairs(some: Sequence[Mutant], others: Sequence[Mutant]) -> Iterator[Pair]:
    """Yield pairs of a mutant in `some` and one in `others` with different mistakes; no two cells
    are paired twice.
    """
    seen = set[frozenset[str]]()
    for one, other in product(some, others):
        cells = frozenset((one.cell, other.cell))
        if one.mistakes != other.mistakes and cells not in seen:
            seen.add(cells)
            yield one, other


def _mistakes_of(pairs: Iterable[Pair]) -> set[frozenset[Mistake]]:
    return {frozenset((*one.mistakes, *other.mistakes)) for one, other in pairs}
