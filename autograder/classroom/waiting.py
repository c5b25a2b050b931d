"""The submissions of a run that no worker has, and those that cost workers."""

from collections import Counter, deque
from collections.abc import Iterable, Iterator, Sequence
from itertools import islice
from typing import Protocol

from autograder.engine.fingerprint import RunSettings
from autograder.engine.graded import Graded, ungraded
from autograder.engine.submission import Submission

QUEUE_LENGTH = 2  # submissions that a worker has: one that it grades, and one to go on with
MAX_LOST_WORKERS = 3  # while they graded one submission, before it is put aside


class Source(Protocol):
    """Where submissions come from while others are graded."""

    ended: bool  # no more will come

    def take(self, most: int) -> Sequence[Submission]:
        """Return the next submissions, at most so many, and those that there are now.

        It is called about once a second, with 0 while all workers have enough to do.
        """


class Waiting:
    """Submissions in their order; what a lost worker had comes first.

    They are taken from where they come from one by one, when there is a worker for them.
    """

    def __init__(
        self,
        settings: RunSettings,
        submissions: Iterable[Submission] = (),
        source: Source | None = None,
    ):
        self.settings = settings
        self.later = iter(submissions)
        self.submissions: deque[Submission] = deque()  # the next one, after what was put back
        self.source = source
        self.lost_workers: Counter[str] = Counter()  # by student

    def __bool__(self) -> bool:
        """Whether there is one: then it is the first of `submissions`."""
        if not self.submissions:
            self.submissions.extend(islice(self.later, 1))
        return bool(self.submissions)

    def take(self, workers: int, assigned: int) -> None:
        """Take from the source what so many workers have room for, who have this many submissions."""
        if self.source and not self.source.ended:
            room = workers * QUEUE_LENGTH - assigned - len(self.submissions)
            self.submissions.extend(self.source.take(max(room, 0)))

    @property
    def may_have_more(self) -> bool:
        """Whether there is something to assign, or may be soon."""
        return bool(self) or (self.source is not None and not self.source.ended)

    def may_go_to(self, worker: Sequence[Submission], one: Submission | None = None) -> bool:
        """Whether a worker that has these may have this one, or the next one: one that has cost workers
        gets a worker for itself.
        """
        together = [*worker, one or self.submissions[0]]
        return len(together) == 1 or not any(self.lost_workers[has.student] for has in together)

    def take_back(self, had: Sequence[Submission], grading: Submission | None) -> Iterator[Graded]:
        """Put back what a lost worker had; yield the one that it was grading, if that one has cost
        too many workers.
        """
        for submission in reversed(had):
            self.lost_workers[submission.student] += submission is grading
            if self.lost_workers[submission.student] < MAX_LOST_WORKERS:
                self.submissions.appendleft(submission)
            else:
                yield ungraded(
                    self.settings,
                    submission,
                    f"{MAX_LOST_WORKERS} workers were lost while they graded it, and it was put "
                    "aside. Look at it before you grade again.",
                )


def checked(settings: RunSettings, submission: Submission, result: object) -> Graded:
    """Return a worker's result, or why it is none of this submission."""
    if isinstance(result, Graded) and result.verdict.student == submission.student:
        return result
    why = result if isinstance(result, str) else "its result is of another form"
    return ungraded(settings, submission, f"a worker failed: {why}")
