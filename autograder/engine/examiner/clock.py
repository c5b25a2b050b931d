"""How long one submission may still take: by cell, by request, by exercise, and in all.

Nothing that is slow takes the time of what comes after it:

- what is late once was generously waited for; each time, the next one is waited for half as long;
- cells have half of the total, counted over every candidate that runs them;
- an exercise has its share of what is left, so that a slow one leaves the others theirs.
"""

import math
import time

from autograder.engine.process import Limits

LEAST_SECONDS = 2.0  # that anything may take, however often the submission was late before
CELLS_SHARE = 0.5  # of the total


class Clock:
    """Deadlines of one submission, in `time.monotonic()` seconds.

    It starts with the first candidate: not while the warm parent does.
    """

    def __init__(self, limits: Limits):
        self.limits = limits
        self.for_cells = CELLS_SHARE * limits.total_seconds  # seconds that they may still take
        self.late = 0  # how often something was
        self.end = math.inf  # of all questions; what remains is the diagnosis'
        self.exercise_end = math.inf
        self.exercises_left = 0  # the one under way included, if there is one

    def start(self) -> None:
        """Start; nothing happens where it runs already."""
        if self.end == math.inf:
            self.end = time.monotonic() + self.limits.total_seconds - self.limits.diagnosis_seconds

    @property
    def is_up(self) -> bool:
        """Whether the time of the exercise, or of all of them, is up."""
        return time.monotonic() >= min(self.end, self.exercise_end)

    def begin_exercise(self, left: int) -> None:
        """Give an exercise its share of what is left; `left` counts it and those after it."""
        self.exercises_left = left
        self.exercise_end = math.inf  # until its first question: a candidate may have to start

    def provided_deadline(self) -> float:
        """When a cell of the statement has to be done that runs before any of the student's."""
        return time.monotonic() + self.limits.cell_seconds

    def cell_deadline(self) -> float:
        """When the cell that begins now has to be done."""
        seconds = min(self._patience(self.limits.cell_seconds), max(self.for_cells, self._least))
        return min(time.monotonic() + seconds, self.end)

    def request_deadline(self) -> float:
        """When the request that is put now has to be answered."""
        now = time.monotonic()
        if self.exercise_end == math.inf and self.exercises_left:
            share = (self.end - now) / self.exercises_left
            self.exercise_end = now + min(share, self._patience(self.limits.exercise_seconds))
        within = now + self._patience(self.limits.request_seconds)
        return min(within, self.exercise_end, self.end)

    def add_cells(self, seconds: float) -> None:
        """Count what a run of the cells took: it is not the time of the exercise under way."""
        self.for_cells -= seconds
        self.exercise_end += seconds

    @property
    def diagnosis_end(self) -> float:
        """When the submission's whole time is up."""
        return self.end + self.limits.diagnosis_seconds

    @property
    def _least(self) -> float:
        """Where the total is shorter than usual, this is, too."""
        return min(LEAST_SECONDS, self.limits.total_seconds / 30)

    def _patience(self, seconds: float) -> float:
        return max(seconds / 2**self.late, min(seconds, self._least))
