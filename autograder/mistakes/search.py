"""Search for the known mistake that explains a student's answers.

The questions of a failed check are put again to mutants, from the same random state. A mistake
explains the check if every answer and the outcome are the same. So a mistake that would have
answered differently is never named. A check without an explanation gets only its own message.

    failed: A, B      1. one mistake that explains A and B
                      2. two: one that explains A and another B, or both in one mutant
                      3. for A alone, and for B alone, the one mistake that explains it

The first step that finds one mistake, or one pair, ends the search. If several fit and the passed
checks cannot tell them apart, the search ends without a name.
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
    """Whether the search looks for a mistake that explains this check.

    The check must be recorded and have failed by a wrong answer or an exception. Missing answers
    and lost candidates have no explanation.
    """
    return check.kind in EXPLAINABLE and check.recording is not None


def diagnose(
    assignment: Assignment,
    checks: Sequence[CheckRun],
    seconds: float = math.inf,
) -> list[Explanation]:
    """Search for the known mistakes in an exercise. `checks`: all checks of the exercise.

    Return the mistakes, and set in each failed check those that explain it. Raise `OutOfTime` after
    `seconds` of CPU time, without setting any.
    """
    failed = [check for check in checks if is_explainable(check)]
    if not failed:
        return []
    with undisturbed():
        _Diagnosis(mutants_of(assignment), checks, failed, CpuBudget(seconds)).run()
    mistakes = [mistake for check in failed for mistake in check.mistakes]
    return list(dict.fromkeys(mistakes))


class _Diagnosis:
    """The search in an exercise, from the simplest explanation on.

    `checks`: all checks of the exercise. `failed`: the checks to explain.
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
        """Search for the mistakes, and set in each failed check those that explain it.

        Set none if several mistakes each explain all failed checks and cannot be told apart. Raise
        `OutOfTime` if the time is used up.
        """
        failures = {check.name for check in self.failed}
        singles = self.mutants.singles.get(self.failed[0].exercise, [])
        singles = [mutant for mutant in singles if mutant.must_fail <= failures]
        explaining = self._single(singles)
        if _count_mistakes(explaining) > 1:
            return  # the answers do not show which of them it is
        if not explaining:
            pairs = PairSearch(self.mutants, self.traces, self.failed, self.passed)
            explaining = pairs.find(singles)
        explained = [explaining or self._explaining_one(singles, check) for check in self.failed]
        # Set only now, so that no check has mistakes if time runs out.
        for check, mutants in zip(self.failed, explained, strict=True):
            explained_mistakes = [mistake for mutant in mutants for mistake in mutant.mistakes]
            check.mistakes = list(dict.fromkeys(explained_mistakes))

    def _single(self, singles: list[Mutant]) -> list[Mutant]:
        """Return the mutants that explain every failed check.

        Mutants that need chance to do so are only returned if there are no others.
        """
        for chance in (False, True):
            if explaining := self._most(self._explaining_all(singles, chance)):
                return explaining
        return []

    def _explaining_all(self, mutants: list[Mutant], chance: bool) -> list[Mutant]:
        """Return the mutants that explain every failed check.

        With `chance`, answers may differ by chance, but the mutant must also explain the passed
        checks: a part that never loads its weights may answer anything, so the failed checks alone
        would prove nothing.
        """
        also_required = self.passed if chance else []
        return [
            mutant
            for mutant in mutants
            if all(
                self.explains(mutant, check, chance)
                for check in (*self._telling_first(mutant), *also_required)
            )
        ]

    def _telling_first(self, mutant: Mutant) -> list[CheckRun]:
        """Return the failed checks, beginning with those that this mutant is known to fail."""
        return sorted(self.failed, key=lambda check: check.name not in mutant.must_fail)

    def _most(self, mutants: list[Mutant]) -> list[Mutant]:
        """Return the mutants that explain the largest number of passed checks.

        Return all of them if they share a single mistake.
        """
        if _count_mistakes(mutants) < 2:
            return mutants
        counts = [
            sum(self.explains(mutant, check, True) for check in self.passed) for mutant in mutants
        ]
        return [
            mutant for mutant, count in zip(mutants, counts, strict=True) if count == max(counts)
        ]

    def _explaining_one(self, mutants: list[Mutant], check: CheckRun) -> list[Mutant]:
        """Return the mutants that explain this failed check alone, if they share a single mistake.

        Only mutants that are known to fail the check count, and only if it failed by an answer.
        Mutants that explain it without chance come first. A mutant that needs chance must also
        explain the passed checks and most of the failed checks: a layer with random weights answers
        a single check like anything else.
        """
        if not check.failed_by_an_answer:
            return []
        failing_mutants = [mutant for mutant in mutants if check.name in mutant.must_fail]
        explaining = [mutant for mutant in failing_mutants if self.explains(mutant, check)] or [
            mutant for mutant in failing_mutants if self._explains_most_by_chance(mutant, check)
        ]
        return explaining if _count_mistakes(explaining) == 1 else []

    def _explains_most_by_chance(self, mutant: Mutant, check: CheckRun) -> bool:
        """Whether the mutant explains the passed checks and most failed checks, allowing chance."""
        if not all(self.explains(mutant, other, True) for other in (check, *self.passed)):
            return False
        return 2 * sum(self.explains(mutant, other, True) for other in self.failed) > len(
            self.failed
        )


def _count_mistakes(mutants: Iterable[Mutant]) -> int:
    """Return the number of different mistakes, or pairs of mistakes, of these mutants.

    Several mutants may make the same mistake in different ways.
    """
    return len({mutant.mistakes for mutant in mutants})


def _size(check: CheckRun) -> int:
    return sum(map(numbers_in, check.recording.answers)) if check.recording else 0
