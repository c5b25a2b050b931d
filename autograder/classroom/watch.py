"""A class that is graded while it hands in: what is not current, the oldest arrival first.

The folder is polled: on network file systems the kernel reports no changes of others. A file that is
still being written waits until it is quiet, and one that cannot be read waits longer: an upload may have
stalled. The order is that in which files were first seen; those seen at once are ordered by their own
time, which decides nothing else: students can set it.
"""

import os
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path

from autograder.classroom.find import NoSubmissions, find_submissions, refuse_invalid_ids
from autograder.classroom.pace import NowAndThen, Pace, queue_words
from autograder.classroom.pool import Call
from autograder.classroom.run import ClassRun
from autograder.engine.graded import Graded

SCAN_SECONDS = 2.0  # between two polls of the folder, at least
QUIET_SECONDS = 3.0  # without a change, until a file counts as complete
UNREADABLE_SECONDS = 30.0  # the same for one that cannot be read
FINISH_SECONDS = 30.0  # after a stop, for what is being graded
ATTEMPTS = 2  # at grading one submission, before it is left for the next start


class NotFinished(Exception):
    """After a stop, what is being graded takes too long: it is left for the next start."""


@dataclass
class Arrival:
    """A student's notebook as it was when it was last polled."""

    notebook: Path
    state: tuple[int, ...]  # what changes with the file; nothing where it cannot be looked at
    changed: float  # seconds since 1970, by the file system
    since: float  # when it was first seen like this
    wait: float = QUIET_SECONDS  # until it is taken
    faults: int = 0  # attempts without a verdict

    @property
    def file_time(self) -> int:
        """The file's own, which students can set; nanoseconds."""
        return self.state[2] if self.state else 0


class Watch:
    """What arrives in a folder in nbgrader's layout, until somebody asks to `stop`.

    `clock` gives seconds that never go back.
    """

    def __init__(self, run: ClassRun, place: Path, clock: Callable[[], float] = time.monotonic):
        self.run = run
        self.place = place
        self.clock = clock
        self.pace = Pace(clock)
        self.poll = NowAndThen(self._poll, SCAN_SECONDS, clock)
        self.arrivals: dict[str, Arrival] = {}  # by student
        self.waiting: dict[str, None] = {}  # students whose arrivals were not taken yet, in order
        self.grading: set[str] = set()  # students
        self.refused: list[str] = []  # sentences on folders that can be no student's
        self.gone: list[str] = []  # students whose submissions went away before they were graded
        self.trouble = ""  # why the folder cannot be listed now
        self.stop_at: float | None = None  # when what is being graded has to be finished

    def stop(self) -> None:
        """Take nothing more."""
        self.stop_at = self.clock() + FINISH_SECONDS

    def calls(self) -> Iterator[Call | None]:
        """Yield what workers have to do, or None where there is nothing now. Raises `OSError` where
        results cannot be written.
        """
        while self.stop_at is None:
            self.poll.do_if_due()
            yield self._next()
            self.pace.note(0, len(self.waiting))

    def check_time(self) -> None:
        """Raise `NotFinished` where a stop has waited for long enough."""
        if self.stop_at is not None and self.grading and self.clock() > self.stop_at:
            raise NotFinished

    def keep(self, call: Call, outcome: object) -> None:
        """Keep what came of a call. Raises `OSError`."""
        student = call.student
        self.grading.discard(student)
        arrival = self.arrivals.get(student)
        if arrival and _is_unreadable(outcome) and arrival.wait < UNREADABLE_SECONDS:
            arrival.wait = UNREADABLE_SECONDS
            self.waiting[student] = None
            self.run.files.pop(student, None)
            return
        verdict = self.run.keep(call, outcome)
        has_changed = student in self.waiting
        if arrival and not has_changed and verdict and verdict.state == "not_graded":
            arrival.faults += 1
            if arrival.faults < ATTEMPTS:
                self.waiting[student] = None  # behind all others
        self.pace.note(1, len(self.waiting))

    def words(self) -> str:
        """Return how many wait, and about how long."""
        return queue_words(len(self.waiting), len(self.grading), self.pace)

    def _next(self) -> Call | None:
        """What has to be graded next; what needs no worker is settled on the way."""
        for student in [*self.waiting]:
            arrival = self.arrivals[student]
            if student in self.grading or not self._is_complete(arrival):
                continue
            del self.waiting[student]
            if call := self.run.call(student, arrival.notebook):
                self.grading.add(student)
                return call
        return None

    def _is_complete(self, arrival: Arrival) -> bool:
        """Whether a file has not changed for long enough, by our clock or by the file system's, nor since
        it was polled.
        """
        quiet = max(self.clock() - arrival.since, time.time() - arrival.changed)
        return quiet >= arrival.wait and _state(arrival.notebook) == (
            arrival.state,
            arrival.changed,
        )

    def _poll(self) -> None:
        """Look at what is there; while the folder cannot be listed, all stays as it is."""
        try:
            os.stat(self.place)
            found = find_submissions(self.place, self.run.settings.assignment)
        except NoSubmissions:
            found = {}
        except OSError as error:
            self.trouble = f"`{self.place}` cannot be listed now: {error.strerror}."
            return
        self.trouble = ""
        notebooks, self.refused = refuse_invalid_ids(found)
        now = {
            who: Arrival(path, *state, self.clock())
            for who, path in notebooks.items()
            if (state := _state(path))
        }
        for student in self.arrivals.keys() - now.keys():
            del self.arrivals[student]
            if student in self.waiting:
                del self.waiting[student]
                self.gone.append(student)
        changed = {
            who: one for who, one in now.items() if not _is_same(one, self.arrivals.get(who))
        }
        self.arrivals |= changed
        for student in sorted(changed, key=lambda who: (changed[who].file_time, who)):
            self.waiting.setdefault(student)  # one that has changed while it waits keeps its place


def _is_same(one: Arrival, before: Arrival | None) -> bool:
    return before is not None and (one.notebook, one.state) == (before.notebook, before.state)


def _state(notebook: Path) -> tuple[tuple[int, ...], float] | None:
    """What changes with a file, whatever its own time says, and when it was changed; None for no file."""
    try:
        info = os.lstat(notebook)
    except FileNotFoundError:
        return None
    except OSError:  # reading says why
        return (), 0.0
    return (info.st_ino, info.st_size, info.st_mtime_ns, info.st_ctime_ns), info.st_ctime


def _is_unreadable(outcome: object) -> bool:
    return isinstance(outcome, Graded) and outcome.verdict.state == "unreadable"
