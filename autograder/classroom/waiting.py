"""The submissions of a run that no worker has, and those that cost workers."""

from collections import Counter, deque
from collections.abc import Iterable, Iterator, Sequence

from autograder.engine.fingerprint import RunSettings
from autograder.engine.graded import Graded, ungraded
from autograder.engine.submission import Submission

QUEUE_LENGTH = 2  # submissions that a worker has: one that it grades, and one to go on with
MAX_LOST_WORKERS = 3  # while they graded one submission, before it is put aside


class Waiting:
    """Submissions in their order; what a lost worker had comes first."""

    def __init__(self, settings: RunSettings, submissions: Iterable[Submission] = ()):
        self.settings = settings
        self.submissions = deque(submissions)
        self.lost_workers: Counter[str] = Counter()  # by student

    def __bool__(self) -> bool:
        return bool(self.submissions)

    def may_go_to(self, worker: Sequence[Submission]) -> bool:
        """Whether a worker that has these may have the next one: one that has cost workers gets a
        worker for itself.
        """
        together = [*worker, self.submissions[0]]
        return len(together) == 1 or not any(self.lost_workers[one.student] for one in together)

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
