"""Search for the known mistake that explains a student's answers.

The questions of a failed check are put again to mutants, from the same random state. A mistake
explains the check if every answer and the outcome are the same. So no mistake is named that would
have answered otherwise; what no mistake explains gets only the check's own message.

    failed: A, B      1. one mistake that explains A and B
                      2. two: one that explains A and another B, or both in one mutant
                      3. for A alone, and for B alone, the one mistake that explains it

The first step that finds one mistake, or one pair, ends the search; several that cannot be told
apart by the passed checks end it without a name.
"""

import math
from collections.abc import Iterable, Sequence

from autograder.engine.courses.assignment import Assignment
from autograder.engine.examiner.checks import CheckRun, Explanation
from autograder.engine.examiner.recording import numbers_in
from autograder.engine.examiner.session import undisturbed
from autograder.mistakes.budget import CpuBudget
from autograder.mistakes.mutants import Mutant, Mutants, mutants_of
from autograder.mistakes.pairs import PairSearch
from autograder.mistakes.traces import Traces

EXPLAINABLE = frozenset(  # kinds of failure
    "wrong raised refused unsendable returns_nothing no_module no_function no_value".split()
)


def is_explainable(check: CheckRun) -> bool:
    """Whether the search looks for a mistake that explains this check: it was recorded, and failed
    by a wrong answer or an exception, not because an answer is missing or the candidate was lost.
    """
    return check.kind in EXPLAINABLE and check.recording is not None


def diagnose(
    assignment: Assignment,
    checks: Sequence[CheckRun],
    seconds: float = math.inf,
) -> list[Explanation]:
    """Search for the known mistakes in one exercise; return them, and set in each failed check
    those that explain it. `checks`: all checks of the exercise. Raise `OutOfTime` after `seconds`
    of CPU time; mistakes that were found for single checks until then stay set in these.
    """
    failed = [check for check in checks if is_explainable(check)]
    if not failed:
        return []
    with undisturbed():
        _Diagnosis(mutants_of(assignment), checks, failed, CpuBudget(seconds)).run()
    found = [mistake for check in failed for mistake in check.mistakes]
    return list(dict.fromkeys(found))


class _Diagnosis:
    """The search in one exercise, from the simplest explanation on: one mistake, two mistakes, a
    mistake for each check.

    `checks`: all checks of the exercise; `failed`: those to explain.
    """

    def __init__(
        self,
        mutants: Mutants,
        checks: Sequence[CheckRun],
        failed: list[CheckRun],
        budget: CpuBudget,
    ):
        self.mutants = mutants
        self.traces = Traces(mutants, budget)
        self.explains = self.traces.explains
        self.failed = sorted(failed, key=_size)  # small questions first
        self.passed = sorted((check for check in checks if check.passed), key=_size)

    def run(self) -> None:
        """Search for the mistakes, and set in each failed check those that explain it. Set none if
        several mistakes each explain all failed checks and cannot be told apart. Raise `OutOfTime`
        if the time is used up.
        """
        failures = {check.name for check in self.failed}
        singles = self.mutants.singles.get(self.failed[0].exercise, [])
        singles = [mutant for mutant in singles if mutant.must_fail <= failures]
        found = self._single(singles)
        if _count_mistakes(found) > 1:
            return  # which of them it was cannot be told from its answers
        if not found:
            pairs = PairSearch(self.mutants, self.traces, self.failed, self.passed)
            found = pairs.find(singles)
        explained = [found or self._explaining_one(singles, check) for check in self.failed]
        for check, mutants in zip(self.failed, explained, strict=True):  # none, if time runs out
            named = [mistake for mutant in mutants for mistake in mutant.mistakes]
            check.mistakes = list(dict.fromkeys(named))

    def _single(self, singles: list[Mutant]) -> list[Mutant]:
        """Return those of the mutants `singles` that explain every failed check; mutants that need
        chance to do so only if there are no others.
        """
        for chance in (False, True):
            if found := self._most(self._explaining_all(singles, chance)):
                return found
        return []

    def _explaining_all(self, mutants: list[Mutant], chance: bool) -> list[Mutant]:
        """Return the mutants that explain every failed check. With `chance`, answers may differ by
        chance, but the passed checks have to be explained as well.

        The reason: a part whose weights are never loaded may answer anything, so the failed checks
        alone would prove nothing.
        """
        also = self.passed if chance else []
        return [
            mutant
            for mutant in mutants
            if all(
                self.explains(mutant, check, chance)
                for check in (*self._telling_first(mutant), *also)
            )
        ]

    def _telling_first(self, mutant: Mutant) -> list[CheckRun]:
        """Return the failed checks, beginning with those that this mutant is known to fail."""
        return sorted(self.failed, key=lambda check: check.name not in mutant.must_fail)

    def _most(self, found: list[Mutant]) -> list[Mutant]:
        """Return those of the mutants `found` that explain the largest number of passed checks; all
        of them if they are of a single mistake.
        """
        if _count_mistakes(found) < 2:
            return found
        counts = [sum(self.explains(s, check, True) for check in self.passed) for s in found]
        return [s for s, count in zip(found, counts, strict=True) if count == max(counts)]

    def _explaining_one(self, mutants: list[Mutant], check: CheckRun) -> list[Mutant]:
        """Return the mutants that explain this failed check alone; an empty list if they are of
        several mistakes.

        Only mutants that are known to fail the check count, and only if it failed by an answer.
        Mutants that explain it without chance come first; one that needs chance has to explain the
        passed checks as well, and most of the failed ones: a layer with random weights answers a
        single check like anything else.
        """
        if not check.failed_by_an_answer:
            return []
        caught = [mutant for mutant in mutants if check.name in mutant.must_fail]
        found = [mutant for mutant in caught if self.explains(mutant, check)] or [
            mutant for mutant in caught if self._explains_most_by_chance(mutant, check)
        ]
        return found if _count_mistakes(found) == 1 else []

    def _explains_most_by_chance(self, mutant: Mutant, check: CheckRun) -> bool:
        """Whether the mutant explains this failed check, the passed ones and most of the failed
        ones, if answers may differ by chance.
        """
        if not all(self.explains(mutant, other, True) for other in (check, *self.passed)):
            return False
        return 2 * sum(self.explains(mutant, other, True) for other in self.failed) > len(
            self.failed
        )


def _count_mistakes(mutants: Iterable[Mutant]) -> int:
    """Return how many different mistakes, or pairs of mistakes, these mutants have; several may
    make the same one in different ways.
    """
    return len({mutant.mistakes for mutant in mutants})


def _size(check: CheckRun) -> int:
    """Return how many numbers were recorded of a check: a replay takes time in proportion to it."""
    return sum(map(numbers_in, check.recording.answers)) if check.recording else 0
