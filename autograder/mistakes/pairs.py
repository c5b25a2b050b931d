"""Search for two mistakes in an exercise, when a single mistake does not explain every failed check.

failed checks          A     B     C
`unscaled`             yes   no    no     together they explain all three:
`mask_ignored`         no    yes   yes    the pair is found without making it

`unscaled`             yes   no    no     neither explains B and C: a mutant with both mistakes
`mask_ignored`         no    no    no     is made and asked, and explains A, B and C
"""

from collections.abc import Iterable, Iterator, Sequence
from itertools import islice, product

from autograder.engine.examiner.checks import CheckRun
from autograder.mistakes.chance import parts_of
from autograder.mistakes.mistake import Mistake
from autograder.mistakes.mutants import Mutant, Mutants
from autograder.mistakes.traces import Traces

Pair = tuple[Mutant, Mutant]
MANY = 5  # checks, compared with which a single check proves little
MAX_PAIRS = 80  # of mistakes that are made together and asked: each takes some milliseconds


class PairSearch:
    """Searches for two mistakes in an exercise.

    It looks first for two mistakes that together explain every failed check, then for a mutant with
    both. `failed` and `passed`: the checks of the exercise.
    """

    def __init__(
        self, mutants: Mutants, traces: Traces, failed: list[CheckRun], passed: list[CheckRun]
    ):
        self.mutants, self.traces = mutants, traces
        self.explains = traces.explains
        self.failed, self.passed = failed, passed

    def find(self, singles: list[Mutant]) -> list[Mutant]:
        """Return the mutants of two mistakes that together explain every failed check.

        `singles`: the mutants with a single mistake to choose from. Return an empty list if there
        is no such pair, or if several cannot be told apart. Return only the first or only the
        second mutant if the other may fit by chance, see `_beyond_chance`.
        """
        if not any(check.failed_by_an_answer for check in self.failed):
            return []
        partly = [
            mutant
            for mutant in singles
            if any(self._explains_plainly(mutant, check) for check in self.failed)
        ]
        found_pairs = list(self._covers(partly, singles))
        if not found_pairs:
            usual = sorted(
                (mutant for mutant in singles if mutant.usual), key=self._explained, reverse=True
            )
            pairs = _pairs(partly, singles) if partly else _pairs(usual, usual)
            found_pairs = self._answering(pairs)
        if len(_mistakes_of(found_pairs)) > 1:
            found_pairs = self._most_of_pairs(found_pairs)
        return self._beyond_chance(found_pairs[0]) if len(_mistakes_of(found_pairs)) == 1 else []

    def _covers(self, partly: list[Mutant], singles: list[Mutant]) -> Iterator[Pair]:
        """Yield the pairs of mutants that together explain every failed check.

        `partly`: mutants that explain a failed check. A mutant with both mistakes is not made.
        """
        for first in partly:
            unexplained = [
                check for check in self.failed if not self._explains_as_a_part(first, check)
            ]
            unexplained_names = {check.name for check in unexplained}
            for second in singles:
                differs = first.mistakes != second.mistakes and not unexplained_names.isdisjoint(
                    second.must_fail
                )
                covers = differs and all(
                    self._explains_as_a_part(second, check) for check in unexplained
                )
                if covers and self._are_needed(first, second):
                    yield first, second

    def _answering(self, pairs: Iterable[Pair]) -> list[Pair]:
        """Return the pairs that explain every failed check, see `_explain_together`.

        At most MAX_PAIRS mutants with both mistakes are made.
        """
        possible = (pair for pair in pairs if self._may_explain_together(*pair))
        mutants = ((pair, self.mutants.pair(*pair)) for pair in possible)
        first_mutants = islice(((pair, mutant) for pair, mutant in mutants if mutant), MAX_PAIRS)
        return [pair for pair, mutant in first_mutants if self._explain_together(mutant)]

    def _explains_plainly(self, mutant: Mutant, check: CheckRun) -> bool:
        """Whether the mutant explains the check without chance.

        The mistake must be known to fail this check, and the check must have failed by an answer.
        """
        caught = check.name in mutant.must_fail
        return caught and check.failed_by_an_answer and self.explains(mutant, check)

    def _explained(self, mutant: Mutant) -> int:
        return sum(self._explains_as_a_part(mutant, check) for check in self.failed)

    def _may_explain_together(self, first: Mutant, second: Mutant) -> bool:
        """Whether both mistakes together may explain every failed check, judging by each trace."""
        return all(
            self.traces.may_repeat(first, second, check)
            or self._explains_as_a_part(first, check)
            or self._explains_as_a_part(second, check)
            for check in self.failed
        ) and self._are_needed(first, second)

    def _explain_together(self, pair_mutant: Mutant) -> bool:
        """Whether each failed check is explained by two mistakes together, or by either alone.

        Chance is only allowed for a mistake alone: two mistakes and chance would explain any
        answer.
        """
        explained_alone = {
            check: any(self.explains(part, check, True) for part in pair_mutant.parts)
            for check in self.failed
        }
        unexplained_first = sorted(self.failed, key=lambda check: explained_alone[check])
        return all(
            self.explains(pair_mutant, check) or explained_alone[check]
            for check in unexplained_first
        )

    def _most_of_pairs(self, pairs: list[Pair]) -> list[Pair]:
        """Return those of the first MAX_PAIRS pairs that explain the most passed checks."""
        mutants = [(pair, self.mutants.pair(*pair)) for pair in pairs[:MAX_PAIRS]]
        counts = [
            sum(self.explains(mutant, check, True) for check in self.passed) if mutant else -1
            for _, mutant in mutants
        ]
        return [
            pair for (pair, _), count in zip(mutants, counts, strict=True) if count == max(counts)
        ]

    def _beyond_chance(self, pair: Pair) -> list[Mutant]:
        """Return both mutants of a pair, or only one mutant if the other may fit by chance.

        The other may fit by chance if no answer differs from the solution's in a number, the mutant
        explains at least MANY checks, and the other at most one. A few words may each be right by
        chance.
        """
        counts = [self._explained(mutant) for mutant in pair]
        differ_only_in_words = not any(map(self._departs_in_numbers, self.failed))
        if differ_only_in_words and min(counts) <= 1 and max(counts) >= MANY:
            return [pair[counts.index(max(counts))]]
        return list(pair)

    def _departs_in_numbers(self, check: CheckRun) -> bool:
        """Whether the student's answers differ from the solution's in numbers, not only in words."""
        students_answers = check.recording.answers if check.recording else []
        answers = zip(students_answers, self.traces.solved(check), strict=False)
        return any(parts_of(answer) != parts_of(solved) for answer, solved in answers)

    def _are_needed(self, first: Mutant, second: Mutant) -> bool:
        return self._is_needed(first, second) and self._is_needed(second, first)

    def _is_needed(self, mutant: Mutant, other: Mutant) -> bool:
        """Whether `other` alone leaves a failed check unexplained that `mutant` is known to fail."""
        return any(
            check.name in mutant.must_fail
            and not self._explains_as_a_part(other, check)
            and (check.failed_by_an_answer or self.explains(mutant, check))
            for check in self.failed
        )

    def _explains_as_a_part(self, mutant: Mutant, check: CheckRun) -> bool:
        """Whether the mutant explains the check.

        Chance is only allowed if the mistake is known to fail this check.
        """
        return self.explains(mutant, check, check.name in mutant.must_fail)


def _pairs(mutants: Sequence[Mutant], partners: Sequence[Mutant]) -> Iterator[Pair]:
    """Yield pairs of mutants with different mistakes. No two cells are paired twice."""
    seen = set[frozenset[str]]()
    for mutant, partner in product(mutants, partners):
        cells = frozenset((mutant.cell, partner.cell))
        if mutant.mistakes != partner.mistakes and cells not in seen:
            seen.add(cells)
            yield mutant, partner


def _mistakes_of(pairs: Iterable[Pair]) -> set[frozenset[Mistake]]:
    return {frozenset((*first.mistakes, *second.mistakes)) for first, second in pairs}
