"""The time limits of a submission: for each request, for all cells, for each exercise, in total.

Only the student's time counts (see `Usage`), neither other load on the machine nor the time in
which the examiner computes a played function. All cells together, in every candidate that runs
them, have their own limit, and so has each exercise. So slow code does not shorten the time of
later code.
"""

from collections.abc import Callable

from autograder.engine.candidate.channel import Deadline, forever, within
from autograder.engine.limits.process import SLOWDOWN, CandidateProcess, Limits, SandboxError

LEAST_SECONDS = 2.0  # for a cell, however long earlier cells took
LEAST_WAIT = 0.01  # seconds between two looks at the used time
OVERLOADED = (
    "this machine has too much else to do: a submission waited for a processor for longer than it "
    "may run. Grade again when there is less to do"
)


class Allowance:
    """A deadline after `seconds` of a student's time (see `Usage`) in this process.

    As a context manager, it starts on entry, and calls `count` with the used time on exit.
    `backstop`: the deadline in real time of the whole submission.
    """

    def __init__(
        self,
        process: CandidateProcess,
        seconds: float,
        backstop: Deadline,
        count: Callable[[float], object],
    ):
        self.process, self.seconds = process, seconds
        self.backstop, self.own_backstop = backstop, within(SLOWDOWN * max(seconds, LEAST_SECONDS))
        self.count = count
        self.used = 0.0

    def __enter__(self) -> "Allowance":
        if self.backstop() <= 0:
            raise SandboxError(OVERLOADED)
        self.begin = self.process.usage()
        self.look = within(self.seconds)  # the time cannot be used up before
        return self

    def __exit__(self, *_: object) -> None:
        self.used = self.process.usage().since(self.begin)
        self.count(self.used)

    def __call__(self) -> float:
        """Return the seconds to wait before the next call, or 0 or less if the time is used up.

        Raise `SandboxError` if the machine was too busy to give the process that time.
        """
        if (wait := self.look()) > 0:
            return wait
        usage = self.process.usage()
        remaining = self.seconds - usage.since(self.begin)
        if remaining > 0 and min(self.backstop(), self.own_backstop()) <= 0:
            if usage.gave_way(self.begin):
                return 0.0
            raise SandboxError(OVERLOADED)
        self.look = within(max(remaining, LEAST_WAIT))
        return remaining


class Clock:
    """Keeps the remaining time of a submission's limits.

    `exercises`: the number of exercises that share the total. `backstop`: a deadline in real time.
    """

    def __init__(self, limits: Limits, exercises: int = 1, backstop: Deadline = forever):
        self.limits = limits
        self.backstop = backstop  # of all attempts, in real time
        self.of_each = limits.seconds_of_each(exercises)
        self.left = limits.total_seconds
        self.for_cells = limits.cells_seconds
        self.for_exercise = self.of_each

    @property
    def is_up(self) -> bool:
        """Whether the time of the exercise, or of the whole submission, is used up."""
        return min(self.left, self.for_exercise) <= 0

    def begin_exercise(self) -> None:
        """Reset the time of an exercise; call this before each exercise."""
        self.for_exercise = self.of_each

    def provided_cell(self, process: CandidateProcess) -> Allowance:
        """Return the deadline for a provided cell before any cell of the student's: the limit of
        a cell.
        """
        return Allowance(process, self.limits.cell_seconds, self.backstop, self._count_cell)

    def cell(self, process: CandidateProcess) -> Allowance:
        """Return the deadline for a cell: the time left for the submission and for all cells.

        The cell gets LEAST_SECONDS even if other cells have used up the latter. The time of an
        exercise is not used.
        """
        minimum = min(LEAST_SECONDS, self.limits.cell_seconds)
        seconds = min(self.limits.cell_seconds, max(self.for_cells, minimum), self.left)
        return Allowance(process, seconds, self.backstop, self._count_cell)

    def request(self, process: CandidateProcess) -> Allowance:
        """Return the deadline for a request: the time left for the exercise and the submission."""
        seconds = min(self.limits.request_seconds, self.for_exercise, self.left)
        return Allowance(process, seconds, self.backstop, self._count_request)

    def _count_cell(self, seconds: float) -> None:
        self.for_cells -= seconds
        self.left -= seconds

    def _count_request(self, seconds: float) -> None:
        self.for_exercise -= seconds
        self.left -= seconds
