"""Grade while students hand in: every submission without a current verdict, oldest arrival first.

The folder is polled, because on network file systems the kernel does not report other machines'
changes. A file that is still being written waits until it is unchanged for a while. The order is
that in which files were first seen. Only among those seen in the same poll does their modification
time decide, because students can set it.
"""

import math
import os
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path

from autograder.classroom.find import NoSubmissions, find_submissions, refuse_invalid_ids
from autograder.classroom.pool import WorkItem
from autograder.classroom.run import ClassRun
from autograder.engine.graded import Graded
from autograder.engine.verdict.verdict import Verdict

SCAN_SECONDS = 2.0  # between two polls of the folder, at least
QUIET_SECONDS = 3.0  # without a change, until a file counts as complete
RETRY_SECONDS = 30.0  # until what has no points is read again: an upload may have stalled
LARGEST_SHARE = 0.05  # of all time, for what is done now and then

Clock = Callable[[], float]  # gives seconds that never go back


@dataclass
class Arrival:
    """A student's notebook as it was when it was last polled."""

    notebook: Path
    state: tuple[int, ...]  # what changes with the file; nothing where it cannot be looked at
    ready: float  # when it is complete, unless it changes before
    is_retried: bool = False


class Watch:
    """The submissions that arrive in a folder in nbgrader's layout, until `stopped` is set.

    `tell` is called with a sentence on whatever is odd, at each poll.
    """

    def __init__(
        self,
        run: ClassRun,
        place: Path,
        tell: Callable[[str], object],
        clock: Clock = time.monotonic,
    ):
        self.run = run
        self.place = place
        self.tell = tell
        self.clock = clock
        self.poll = NowAndThen(self._poll, SCAN_SECONDS, clock)
        self.arrivals: dict[str, Arrival] = {}  # by student
        self.waiting: dict[str, None] = {}  # students whose arrivals were not taken yet, in order
        self.grading: set[str] = set()  # students
        self.refused: list[str] = []  # sentences on folders that can be no student's
        self.stopped = False

    def items(self) -> Iterator[WorkItem | None]:
        """Yield the next call, or None if there is nothing to grade at the moment.

        Raises `OSError` if results cannot be written.
        """
        while not self.stopped:
            self.poll.do_if_due()
            yield self._next()

    def keep(self, item: WorkItem, outcome: object) -> Verdict | None:
        """Write the outcome; return the new verdict, None if there is none. Raises `OSError`.

        A submission that cannot be read or graded is first retried once, after RETRY_SECONDS.
        """
        student = item.student
        self.grading.discard(student)
        arrival = self.arrivals.get(student)
        if arrival and not arrival.is_retried and not _has_points(outcome):
            arrival.is_retried = True
            arrival.ready = self.clock() + RETRY_SECONDS
            self.waiting.setdefault(student)
            self.run.drop(item)
            return None
        return self.run.keep(item, outcome)

    def _next(self) -> WorkItem | None:
        """Return the next call; submissions that prove to be up to date are taken off the queue
        without one.
        """
        for student in [*self.waiting]:
            arrival = self.arrivals[student]
            if student in self.grading or self.clock() < arrival.ready:
                continue
            if _state(arrival.notebook) != arrival.state:  # the next poll sees how
                continue
            del self.waiting[student]
            if item := self.run.item(student, arrival.notebook):
                self.grading.add(student)
                return item
        return None

    def _poll(self) -> None:
        """Look for new and changed files; while the folder cannot be listed, nothing changes."""
        try:
            os.stat(self.place)
            found = find_submissions(self.place, self.run.settings.assignment)
        except NoSubmissions:
            found = {}
        except OSError as error:
            self.tell(f"`{self.place}` cannot be listed now: {error.strerror}.")
            return
        notebooks, self.refused = refuse_invalid_ids(found)
        for sentence in self.refused:
            self.tell(sentence)
        states = {who: _state(path) for who, path in notebooks.items()}
        for student in [who for who in self.arrivals if states.get(who) is None]:
            del self.arrivals[student]
            if student in self.waiting:
                del self.waiting[student]
                self.tell(f"{student} is gone, and was not graded.")
        changed = {
            who: Arrival(notebooks[who], state, self._ready(state))
            for who, state in states.items()
            if state is not None and not self._is_known(who, notebooks[who], state)
        }
        self.arrivals |= changed
        for student in sorted(changed, key=lambda who: (_file_time(changed[who]), who)):
            self.waiting.setdefault(student)  # one that has changed while it waits keeps its place

    def _is_known(self, student: str, notebook: Path, state: tuple[int, ...]) -> bool:
        known = self.arrivals.get(student)
        return known is not None and (known.notebook, known.state) == (notebook, state)

    def _ready(self, state: tuple[int, ...]) -> float:
        """Return when a file will have been quiet for long enough, by the later of the file
        system's clock and ours.
        """
        age = time.time() - state[-1] / 1e9 if state else 0.0
        return self.clock() + QUIET_SECONDS - min(max(age, 0.0), QUIET_SECONDS)


class NowAndThen:
    """A recurring task that takes at most a small share of the time."""

    def __init__(self, work: Callable[[], object], seconds: float, clock: Clock = time.monotonic):
        """`seconds`: at least so long between the end of one execution and the next."""
        self.work = work
        self.seconds = seconds
        self.clock = clock
        self.next = -math.inf

    def do_if_due(self) -> None:
        """Run the task if it is due. If it raises, it is due again later; the exception is not
        caught.
        """
        begin = self.clock()
        if begin < self.next:
            return
        try:
            self.work()
        finally:
            end = self.clock()
            self.next = end + max(self.seconds, (end - begin) / LARGEST_SHARE)


def _state(notebook: Path) -> tuple[int, ...] | None:
    """Return a value that changes whenever the file does, whatever its modification time says.

    None if there is no file, () if it cannot be looked at.
    """
    try:
        info = os.lstat(notebook)
    except FileNotFoundError:
        return None
    except OSError:  # reading says why
        return ()
    return info.st_mtime_ns, info.st_ino, info.st_size, info.st_ctime_ns


def _file_time(arrival: Arrival) -> int:
    """Return the file's modification time in nanoseconds, which students can set."""
    return arrival.state[0] if arrival.state else 0


def _has_points(outcome: object) -> bool:
    """Whether the outcome is a graded verdict, or (a hash) an unchanged submission."""
    return isinstance(outcome, str) or (
        isinstance(outcome, Graded) and outcome.verdict.state == "graded"
    )
