"""What arrives in a folder of submissions: which files are complete, and in which order they came.

The folder is polled: on network file systems the kernel reports no changes of others. Of a student
whose files did not change, a poll asks for two file states and opens nothing.

A file is complete when it has not changed for some seconds; one that cannot be read gets more of them.
The order is that in which complete files were first seen; those seen at once are ordered by their own
time, which decides nothing else: students can set it.
"""

import os
import time
from collections.abc import Callable, Collection, Iterator
from dataclasses import dataclass
from pathlib import Path

from autograder.classroom.find import chosen_of, notebooks_in
from autograder.engine.assignment import Assignment
from autograder.engine.submission import Submission, read_submission
from autograder.engine.verdict import STUDENT

SETTLE_SECONDS = 3.0  # without a change, until a file counts as complete
UNREADABLE_SECONDS = 30.0  # the same for one that cannot be read: an upload may have stalled

State = tuple[int | str, ...]  # what changes with a file or a folder
NOT_TO_BE_LOOKED_INTO: State = ("?",)  # a link, or somebody else's: reading says why


@dataclass
class Arrival:
    """One student's files, as they were when they were last polled."""

    student: str
    folder: State
    notebook: Path
    file: State | None  # of the notebook; None where there is none yet
    file_time: int  # the notebook's own, nanoseconds
    since: float  # when it was first seen like this
    settled: bool = False  # has been like this for long enough
    not_before: float = 0.0  # when it may be read again
    judged_before: bool = False  # had a verdict when watching began, and has not changed


class Arrivals:
    """The submissions of one assignment in a folder in nbgrader's layout.

    `clock` gives seconds that never go back.
    """

    def __init__(
        self,
        place: Path,
        assignment: Assignment,
        judged: Collection[str] = (),
        clock: Callable[[], float] = time.monotonic,
    ):
        """`judged` are the students who have a verdict from earlier."""
        self.place = place
        self.assignment = assignment
        self.clock = clock
        self.judged = judged
        self.known: dict[str, Arrival] = {}  # by student
        self.waiting: dict[str, Arrival] = {}  # complete and not taken, in their order
        self.invalid: set[str] = set()  # folders whose names can be no student's id
        self.withdrawn: list[str] = []  # students whose folders went away while they waited
        self.scans = 0

    def scan(self) -> None:
        """Look at what is there. Raises `OSError` where the folder itself cannot be listed."""
        now = self.clock()
        folders = dict(self._folders())
        for student in self.known.keys() - folders.keys():
            del self.known[student]
            self._withdraw(student)
        complete = [
            arrival
            for student, folder in folders.items()
            if (arrival := self._look(student, folder, now))
        ]
        for arrival in sorted(complete, key=lambda one: (one.since, one.file_time, one.student)):
            self.waiting.setdefault(arrival.student, arrival)
        self.scans += 1

    def ready(self, busy: Collection[str] = ()) -> Arrival | None:
        """Return the first that can be read now and is not of one of these students."""
        now = self.clock()
        for student, arrival in self.waiting.items():
            complete = arrival.settled and arrival.file and now >= arrival.not_before
            if complete and student not in busy:
                return arrival
        return None

    def read(self, arrival: Arrival) -> Submission | None:
        """Read a submission; return None, and let it wait on, where it is probably not complete."""
        student = arrival.student
        submission = read_submission(self.assignment, student, arrival.notebook, self.place)
        if not _is_as_it_was(arrival):
            arrival.settled, arrival.since = False, self.clock()
            return None
        complete = arrival.since + UNREADABLE_SECONDS
        if submission.unreadable and self.clock() < complete:
            arrival.not_before = complete
            return None
        del self.waiting[student]
        return submission

    def put_last(self, student: str) -> None:
        """Let a student's submission wait again, behind all others, if it is still there."""
        if student in self.known:
            self.waiting.setdefault(student, self.known[student])

    def count(self) -> int:
        """Return how many wait. Those that had a verdict before count only if they have changed."""
        return sum(not arrival.judged_before for arrival in self.waiting.values())

    def _folders(self) -> Iterator[tuple[str, State]]:
        """Each student who has a folder for the assignment, and its state."""
        invalid = set()
        with os.scandir(self.place) as students:
            for one in students:
                name = one.name
                if name.startswith("."):
                    continue
                state = _state(f"{one.path}/{self.assignment.id}")
                if state is None:
                    continue
                if not STUDENT.fullmatch(name):
                    invalid.add(name)
                    continue
                yield name, NOT_TO_BE_LOOKED_INTO if one.is_symlink() else state
        self.invalid = invalid

    def _look(self, student: str, folder: State, now: float) -> Arrival | None:
        """Update what is known of one student; return it if it has just become complete."""
        before = self.known.get(student)
        settled = before is not None and before.settled and before.folder == folder
        if before and settled and _is_as_it_was(before):
            return None
        found = self._listed(student, folder, now)
        if before is None:
            found.judged_before = self.scans == 0 and student in self.judged
            self.known[student] = found
        elif (before.notebook, before.file) == (found.notebook, found.file):
            before.folder = folder
            if not before.settled and now >= before.since + SETTLE_SECONDS:
                before.settled = True
                if before.file:
                    return before
                self._withdraw(student)
        else:
            self.known[student] = found
            if student in self.waiting:
                self.waiting[student] = found  # keeps its place
        return None

    def _withdraw(self, student: str) -> None:
        """Let a submission wait no more that is gone."""
        if self.waiting.pop(student, None):
            self.withdrawn.append(student)

    def _listed(self, student: str, folder: State, now: float) -> Arrival:
        """What is in a student's folder now."""
        path = self.place / student / self.assignment.id
        names: list[str] = []
        file: State | None = None
        try:
            names = notebooks_in(path, self.place)
        except FileNotFoundError:  # gone meanwhile
            pass
        except OSError:
            file = NOT_TO_BE_LOOKED_INTO
        notebook = path / chosen_of(names, self.assignment)
        if names:
            file = _state(notebook) or NOT_TO_BE_LOOKED_INTO  # several, and none has the right name
        file_time = int(file[2]) if file and file != NOT_TO_BE_LOOKED_INTO else 0
        return Arrival(student, folder, notebook, file, file_time, now)


def _is_as_it_was(arrival: Arrival) -> bool:
    """Whether the notebook is the one that was seen; of some, only the folder can be asked."""
    seen = arrival.file
    return seen is None or seen == NOT_TO_BE_LOOKED_INTO or _state(arrival.notebook) == seen


def _state(path: str | Path) -> State | None:
    """What changes with a file or folder, whatever its own time says; None where there is none."""
    try:
        info = os.lstat(path)
    except (FileNotFoundError, NotADirectoryError):
        return None
    except OSError:
        return NOT_TO_BE_LOOKED_INTO
    return info.st_ino, info.st_size, info.st_mtime_ns, info.st_ctime_ns
