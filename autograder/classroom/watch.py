"""Grade while students hand in: each submission without a current verdict, the oldest arrival
first.

The folder is polled, because on network file systems the kernel does not report other machines'
changes. A file that may still be being written waits until it has not changed for some seconds. The
order is that in which files were first seen; their modification times decide only between files
seen in the same poll, because students can set these.
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
RETRY_SECONDS = 30.0  # until what has no points is read again: an upload may have stalled
LARGEST_SHARE = 0.05  # of all time, for what is done now and then

Clock = Callable[[], float]  # gives seconds that never go back


class FileState(NamedTuple):
    """A file at one poll: the hash of its content ("" if it cannot be read), and its times of
    modification and of change, in nanoseconds, 0 if unknown. A file system need not date what is written through
    a memory mapping, so only the hash differs after every change.
    """

    content: str
    modified: int
    changed: int


@dataclass
class Arrival:
    """A student's notebook file as it was at the last poll."""

    notebook: Path
    state: FileState
    ready: float  # when it is complete, unless it changes before
    is_retried: bool = False


class Watch:
    """The submissions that arrive in a folder in nbgrader's layout, until `stopped` is set to True."""

    def __init__(
        self,
        run: ClassRun,
        place: Path,
        tell: Callable[[str], object],
        clock: Clock = time.monotonic,
    ):
        """`run`: grades them; `place`: the folder; `tell`: is called at each poll with a sentence
        on each folder or file that is out of order; `clock`: gives seconds that never go back.
        """
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
        """Yield the next work item, or None if there is nothing to grade at the moment, until
        `stopped`.

        Raises `OSError` if results cannot be written.
        """
        while not self.stopped:
            self.poll.do_if_due()
            yield self._next()

    def record(self, item: WorkItem, outcome: Outcome) -> Verdict | None:
        """Write the outcome of a work item; return the new verdict, None if nothing new was
        written.

        A submission that cannot be read or graded is not written at first: it is retried once,
        after RETRY_SECONDS. Raises `OSError` if results cannot be written.
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
        """Return the next work item; None if there is nothing to grade at the moment. Submissions
        whose verdict is current are removed from the queue on the way.
        """
        for student in [*self.waiting]:
            arrival = self.arrivals[student]
            if student in self.grading or self.clock() < arrival.ready:
                continue
            if _state(arrival.notebook, self.place) != arrival.state:  # the next poll sees how
                continue
            del self.waiting[student]
            if item := self.run.item(student, arrival.notebook):
                self.grading.add(student)
                return item
        return None

    def _poll(self) -> None:
        """Look for new, changed and removed files, and update the queue. If the folder cannot be
        listed, call `tell` with the reason and change nothing.
        """
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
        states = {who: _state(path, self.place) for who, path in notebooks.items()}
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

    def _is_known(self, student: str, notebook: Path, state: FileState) -> bool:
        """Whether the student's file was seen in this state at an earlier poll."""
        known = self.arrivals.get(student)
        return known is not None and (known.notebook, known.state) == (notebook, state)

    def _ready(self, state: FileState) -> float:
        """Return when, on our clock, the file will have been unchanged for QUIET_SECONDS.

        A change that the file system has dated some seconds back counts from then.
        """
        age = time.time() - state.changed / 1e9 if state.changed else 0.0
        return self.clock() + QUIET_SECONDS - min(max(age, 0.0), QUIET_SECONDS)


class NowAndThen:
    """A task that is repeated, but takes at most a small share of all time."""

    def __init__(self, work: Callable[[], object], seconds: float, clock: Clock = time.monotonic):
        """`work`: the task; `seconds`: the least time between the end of one execution and the
        start of the next; `clock`: gives seconds that never go back.
        """
        self.work = work
        self.seconds = seconds
        self.clock = clock
        self.next = -math.inf

    def do_if_due(self) -> None:
        """Run the task if it is due. An exception that it raises is not caught; the task is then
        due again later.
        """
        begin = self.clock()
        if begin < self.next:
            return
        try:
            self.work()
        finally:
            end = self.clock()
            self.next = end + max(self.seconds, (end - begin) / LARGEST_SHARE)


def _state(notebook: Path, top: Path) -> FileState | None:
    """Return the state of a file now, None if it does not exist. `top`: the folder below which no
    link is followed.
    """
    try:
        info = os.lstat(notebook)
    except FileNotFoundError:
        return None
    except OSError:  # reading says why
        return FileState("", 0, 0)
    return FileState(
        files.hash_of(notebook, notebooks.MAX_BYTES, top), info.st_mtime_ns, info.st_ctime_ns
    )


def _file_time(arrival: Arrival) -> int:
    """Return the file's modification time in nanoseconds (students can set it); 0 if unknown."""
    return arrival.state.modified


def _has_points(outcome: Outcome) -> bool:
    """Whether a work item's outcome is a graded verdict, or an unchanged submission."""
    return isinstance(outcome, Unchanged) or (
        isinstance(outcome, Graded) and outcome.verdict.state == "graded"
    )
