"""One recording of a student's answers, and the same questions put to another candidate."""

import torch

from autograder.engine.diagnosis.budget import CpuBudget
from autograder.engine.examiner.attempt import Attempt
from autograder.engine.examiner.checks import CheckRun
from autograder.engine.examiner.proxy import Candidate
from autograder.engine.examiner.recording import (
    MAX_ANSWERS,
    Recording,
    outcome_of,
)


class _Stop(BaseException):
    """Nothing more has to be asked. No check of ours catches this."""


class Replay(Attempt):
    """Repeats a recording with another candidate, from the same random numbers."""

    def __init__(self, candidate: Candidate, recording: Recording, budget: CpuBudget | None = None):
        super().__init__(candidate, recording.double, recording.own_parts, recording.surroundings)
        self.budget = budget or CpuBudget()
        self.random = recording.random
        self.expected = recording.answers
        self.answers: list[object] = []
        self.differs_at: int | None = None  # the place of the first answer that is another
        self.until: int | None = None  # the last place to record, if nothing is to be compared

    def repeat(self, check: CheckRun) -> object:
        """Ask until an answer is another one, or to the end; return how it ended."""
        return outcome_of(self._again(check))

    def to_the_end(self, check: CheckRun) -> object:
        """Ask to the end, whatever was expected; return how it ended."""
        return self.up_to(check, MAX_ANSWERS)

    def up_to(self, check: CheckRun, place: int) -> object:
        """Ask for the answers up to this place, whatever was expected; return how it ended."""
        self.until = place
        return outcome_of(self._again(check))

    def _again(self, check: CheckRun) -> BaseException | None:
        torch.default_generator.set_state(self.random)
        try:
            self.run(lambda: check.call(self))
        except (Exception, _Stop) as error:  # a mistaken layer may break a check of ours, too
            return error
        return None

    def _add(self, answer: object) -> None:
        """Raise `_Stop` unless the student answered the same, or it is not compared; or `OutOfTime`."""
        self.budget.check()
        if not self.recorded or len(self.answers) == MAX_ANSWERS:
            return
        place = len(self.answers)
        self.answers.append(answer)
        if self.until is not None:
            if place == self.until:
                raise _Stop
        elif self.expected[place : place + 1] != [answer]:
            self.differs_at = place
            raise _Stop
