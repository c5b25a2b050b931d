"""A class that is graded while it hands in: what arrives is taken, and given to workers in its order."""

import time
from collections import Counter
from collections.abc import Callable

from autograder.classroom.arrivals import Arrivals
from autograder.classroom.arriving_run import ArrivingRun
from autograder.classroom.pace import NowAndThen, Pace, queue_words
from autograder.engine.graded import Graded
from autograder.engine.submission import Submission
from autograder.engine.verdict import Summary

SCAN_SECONDS = 2.0  # between two polls of the folder, at least
READ_SECONDS = 0.2  # for reading notebooks, before results are looked for again
FINISH_SECONDS = 30.0  # after a stop, for what is being graded
ATTEMPTS = 2  # at grading one submission, before it is left for the next start


class NotFinished(Exception):
    """After a stop, what is being graded takes too long: it is left for the next start."""


class Watch:
    """A source of submissions for workers: those that arrive, until somebody asks to `stop`."""

    def __init__(
        self,
        run: ArrivingRun,
        arrivals: Arrivals,
        told: Callable[[Summary], object],
        turn: Callable[[], object],
        clock: Callable[[], float] = time.monotonic,
    ):
        """`told` is called with each new verdict, and `turn` about once a second."""
        self.run = run
        self.arrivals = arrivals
        self.told = told
        self.turn = turn
        self.clock = clock
        self.pace = Pace(clock)
        self.scan = NowAndThen(self._scan, SCAN_SECONDS, clock)
        self.grading: set[str] = set()  # students
        self.faults: Counter[str] = Counter()  # attempts without a verdict, by student
        self.trouble = ""  # why the folder cannot be listed now
        self.ended = False
        self.stop_at: float | None = None  # when what is being graded has to be finished
        self.count_told = 0

    def stop(self) -> None:
        """Take nothing more."""
        self.stop_at = self.clock() + FINISH_SECONDS

    def take(self, most: int) -> list[Submission]:
        """Return the next submissions that have to be graded, at most so many.

        Raises `NotFinished`, and `OSError` where results cannot be written.
        """
        self.turn()
        if self.stop_at is not None:
            self._end_if_finished()
            return []
        self.scan.do_if_due()
        taken: list[Submission] = []
        until = self.clock() + READ_SECONDS
        while len(taken) < most and self.clock() < until:
            arrival = self.arrivals.ready(self.grading)
            if arrival is None:
                break
            submission = self.arrivals.read(arrival)
            if submission is None:
                continue
            self.run.writer.expect(arrival.student, arrival.notebook.parent)
            if self._has_to_be_graded(submission, counted=not arrival.judged_before):
                taken.append(submission)
        self.pace.note(0, self.arrivals.count())
        return taken

    def keep(self, graded: Graded) -> None:
        """Keep a result. Raises `OSError`."""
        verdicts = self.run.keep(graded)
        for verdict in verdicts:
            self.grading.discard(verdict.student)
            if verdict.state == "not_graded":
                self.faults[verdict.student] += 1
                if self.faults[verdict.student] < ATTEMPTS:
                    self.arrivals.put_last(verdict.student)
            else:
                del self.faults[verdict.student]
        self._tell(len(verdicts))

    def words(self) -> str:
        """Return how many wait, and about how long."""
        return queue_words(self.arrivals.count(), len(self.grading), self.pace)

    def _scan(self) -> None:
        """Look for arrivals; while the folder cannot be listed, all stays as it is."""
        try:
            self.arrivals.scan()
            self.trouble = ""
        except OSError as error:
            self.trouble = f"`{self.arrivals.place}` cannot be listed now: {error.strerror}."

    def _has_to_be_graded(self, submission: Submission, counted: bool) -> bool:
        """Write the verdict if it is known; return whether a worker has to make it."""
        if not self.run.settle(submission):
            self._tell(int(counted))
            return False
        self.grading.add(submission.student)
        return self.run.begin(submission)

    def _tell(self, verdicts: int) -> None:
        self.pace.note(verdicts, self.arrivals.count())
        new = self.run.written[self.count_told :]
        self.count_told += len(new)
        for verdict in new:
            self.told(verdict)

    def _end_if_finished(self) -> None:
        assert self.stop_at is not None
        if not self.grading:
            self.ended = True
        elif self.clock() > self.stop_at:
            raise NotFinished
