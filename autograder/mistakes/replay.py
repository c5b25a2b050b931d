"""Replay a recording of a student's answers: put the same questions to another candidate.

recorded of the student    y1    y2    y3    "wrong"
another candidate          y1    z2    z3    "wrong"
repeat                     y1    z2                      stops at the first difference: differs_at is 1
to_the_end                 y1    z2    z3    "wrong"     without comparing
"""

import torch

from autograder.engine.examiner.attempt import Attempt
from autograder.engine.examiner.checks import CheckRun
from autograder.engine.examiner.proxy import Candidate
from autograder.engine.examiner.recording import (
    MAX_ANSWERS,
    Recording,
    outcome_of,
)
from autograder.mistakes.budget import CpuBudget


class _Stop(BaseException):
    """Ends a replay early."""

    # A `BaseException`, so that no check catches it.


class Replay(Attempt):
    """Puts the questions of a recording to another candidate, from the same random state.

    `answers`: the answers of this other candidate. `budget`: the limit on time, by default none.
    """

    def __init__(self, candidate: Candidate, recording: Recording, budget: CpuBudget | None = None):
        super().__init__(candidate, recording.double, recording.own_parts, recording.surroundings)
        self.budget = budget or CpuBudget()
        self.random = recording.random
        self.expected = recording.answers
        self.answers: list[object] = []
        self.differs_at: int | None = None  # index of the first answer that differs
        self.compares = True

    def repeat(self, check: CheckRun) -> object:
        """Run the check up to the first answer that differs from the recording, or to the end.

        Return the outcome, see `outcome_of`. `differs_at` is then the index of that answer, or
        None.
        """
        return outcome_of(self._again(check))

    def to_the_end(self, check: CheckRun) -> object:
        """Run the check to the end without comparing answers, and return the outcome."""
        self.compares = False
        return outcome_of(self._again(check))

    def _again(self, check: CheckRun) -> BaseException | None:
        torch.default_generator.set_state(self.random)
        try:
            self.run(lambda: check.call(self))
        except (Exception, _Stop) as error:  # a mutant may also break the check itself
            return error
        return None

    def _add(self, answer: object) -> None:
        """Record an answer. Raise `_Stop` if it differs from the recorded answer."""
        self.budget.check()
        if not self.recorded or len(self.answers) == MAX_ANSWERS:
            return
        i = len(self.answers)
        self.answers.append(answer)
        if self.compares and self.expected[i : i + 1] != [answer]:
            self.differs_at = i
            raise _Stop
