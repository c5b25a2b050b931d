"""Grade while students submit: each submission without a current verdict, in the order of arrival.

The folder is polled, because on network file systems the kernel does not report other machines'
changes. A file that may still be incomplete waits until it has not changed for some seconds. Files
are ordered by their first poll. Modification times only order files of the same poll, because
students can set them.
"""

import math
import os
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import NamedTuple

from autograder.classroom.find import NoSubmissions, find_submissions, refuse_invalid_ids
from autograder.classroom.pool import WorkItem
from autograder.classroom.run import ClassRun
from autograder.classroom.worker import Outcome, Unchanged
from autograder.engine import Graded, Verdict, files, notebooks

SCAN_SECONDS = 2.0  # between two polls of the folder, at least
QUIET_SECONDS = 3.0  # without a change, until a file counts as complete
RETRY_SECONDS = 30.0  # until a submission without points is retried, as an upload may have stalled
LARGEST_SHARE = 0.05  # of all time, for a repeated task

Clock = Callable[[], float]  # gives seconds that never go back


class FileState(NamedTuple):
    """A file at a poll: hash of its content ("" if unreadable), and its times of modification and
    of change, in nanoseconds, 0 if unknown. A file system need not update times of memory-mapped
    files, so only the hash is reliable.
    """

    content: str
    modified: int
    changed: int


@dataclass
class Arrival:
    """A student's notebook file as of the last poll."""

    notebook: Path
    state: FileState
    ready: float  # time at which it counts as complete, unless it changes again
    is_retried: bool = False


class Watch:
    """The submissions that arrive in a folder in nbgrader's layout, until `stopped` is set."""

    def __init__(
        self,
        run: ClassRun,
        place: Path,
        tell: Callable[[str], object],
        clock: Clock = time.monotonic,
    ):
        """`tell`: called with a sentence on each invalid folder or file. `clock`: monotonic."""
        self.run = run
        self.place = place
        self.tell = tell
        self.clock = clock
        self.poll = NowAndThen(self._poll, SCAN_SECONDS, clock)
        self.arrivals: dict[str, Arrival] = {}  # by student
        self.waiting: dict[str, None] = {}  # queue of students
        self.grading: set[str] = set()  # students
        self.refused: list[str] = []  # sentences on folders without a valid student id
        self.stopped = False

    def items(self) -> Iterator[WorkItem | None]:
        """Yield the next work item or None, until `stopped`. Raises `OSError`."""
        while not self.stopped:
            self.poll.do_if_due()
            yield self._next()

    def record(self, item: WorkItem, outcome: Outcome) -> Verdict | None:
        """Write the outcome of a work item. Return the new verdict, None if nothing was written.

        A submission that cannot be read or graded is not written at first, but retried once after
        RETRY_SECONDS. Raises `OSError` if results cannot be written.
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
        return self.run.record(item, outcome)

    def _next(self) -> WorkItem | None:
        """Return the next work item, or None. Submissions with a current verdict leave the queue."""
        for student in [*self.waiting]:
            arrival = self.arrivals[student]
            if student in self.grading or self.clock() < arrival.ready:
                continue
            # the next poll reads the change
            if _state(arrival.notebook, self.place) != arrival.state:
                continue
            del self.waiting[student]
            if item := self.run.item(student, arrival.notebook):
                self.grading.add(student)
                return item
        return None

    def _poll(self) -> None:
        """Look for new, changed and removed files, and update the queue."""
        try:
            os.stat(self.place)
            paths = find_submissions(self.place, self.run.settings.assignment)
        except NoSubmissions:
            paths = {}
        except OSError as error:
            self.tell(f"`{self.place}` cannot be listed now: {error.strerror}.")
            return
        notebooks, self.refused = refuse_invalid_ids(paths)
        for sentence in self.refused:
            self.tell(sentence)
        states = {id: _state(path, self.place) for id, path in notebooks.items()}
        for student in [id for id in self.arrivals if states.get(id) is None]:
            del self.arrivals[student]
            if student in self.waiting:
                del self.waiting[student]
                self.tell(f"{student} is gone, and was not graded.")
        changed = {
            id: Arrival(notebooks[id], state, self._ready(state))
            for id, state in states.items()
            if state is not None and not self._is_known(id, notebooks[id], state)
        }
        self.arrivals |= changed
        for student in sorted(changed, key=lambda id: (_file_time(changed[id]), id)):
            self.waiting.setdefault(student)  # a resubmission keeps its place in the queue

    def _is_known(self, student: str, notebook: Path, state: FileState) -> bool:
        """Whether the student's file was seen in this state at an earlier poll."""
        arrival = self.arrivals.get(student)
        return arrival is not None and (arrival.notebook, arrival.state) == (notebook, state)

    def _ready(self, state: FileState) -> float:
        """Return the time on our clock at which the file will have been quiet for long enough."""
        age = time.time() - state.changed / 1e9 if state.changed else 0.0
        return self.clock() + QUIET_SECONDS - min(max(age, 0.0), QUIET_SECONDS)


class NowAndThen:
    """A task that is repeated, but takes at most a small share of all time."""

    def __init__(self, work: Callable[[], object], seconds: float, clock: Clock = time.monotonic):
        """`seconds`: minimum pause between executions. `clock`: monotonic."""
        self.work = work
        self.seconds = seconds
        self.clock = clock
        self.next = -math.inf

    def do_if_due(self) -> None:
        """Run the task if it is due. It is due again later, even after an exception."""
        begin = self.clock()
        if begin < self.next:
            return
        try:
            self.work()
        finally:
            end = self.clock()
            self.next = end + max(self.seconds, (end - begin) / LARGEST_SHARE)


def _state(notebook: Path, top: Path) -> FileState | None:
    """Return the state of a file, None if missing. No link below `top` is followed."""
    try:
        info = os.lstat(notebook)
    except FileNotFoundError:
        return None
    except OSError:  # reading the file reports the reason
        return FileState("", 0, 0)
    return FileState(
        files.hash_of(notebook, notebooks.MAX_BYTES, top), info.st_mtime_ns, info.st_ctime_ns
    )


def _file_time(arrival: Arrival) -> int:
    """Return the file's modification time in nanoseconds (students can set it), 0 if unknown."""
    return arrival.state.modified


def _has_points(outcome: Outcome) -> bool:
    return isinstance(outcome, Unchanged) or (
        isinstance(outcome, Graded) and outcome.verdict.state == "graded"
    )
