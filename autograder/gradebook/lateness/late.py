"""Late submissions: what they cost, who may be late, how many late days are left, and which submission counts.

In `nbgrader_config.py`, for a course where each day costs a tenth, half an hour costs nothing, more
than half is never taken, and five days in the whole course are free, two for one assignment:

    c.LatePolicy.percent_per_day = 10
    c.LatePolicy.grace_minutes = 30
    c.LatePolicy.most_percent = 50
    c.LatePolicy.late_days = 5
    c.LatePolicy.late_days_per_assignment = 2
    c.LatePolicy.counts = "best"  # or "in time"; the default is "newest"
    c.LatePolicy.timezone = "Europe/Berlin"
    c.LatePolicy.released = {"sheet-1": "2026-11-02"}  # submissions before it are reported as doubtful

The due date is nbgrader's (formgrader's list of assignments, or `nbgrader db assignment add ID
--duedate=...`). Three files beside the configuration are about single students:

    extensions.csv  student,assignment,until      who has more time. An extension that was granted in
                                                  the gradebook counts where no line says another.
    late.csv        student,assignment,submitted  when the newest submission was handed in: it counts
                                                  before the time of the platform
    counts.csv      student,assignment,counts     newest, in time, best, or the time at which the
                                                  submission that counts was handed in

Of several submissions, "in time" is the last that is no day late (where none is, the newest), "best"
the one with the most automatic points after the penalty for its own lateness; of equals the earliest.

Late days are spent in the order of handing in, so that a later submission never changes what an
earlier one cost. Each day begun uses one. What no late day covers costs what a day costs.

`late_policy.py` is the rule, `counting.py` chooses the submission, `late_files.py` reads the files.
"""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from functools import cached_property
from pathlib import Path
from types import MappingProxyType

from traitlets.config import Config

from autograder.classroom.groups import CourseGroups
from autograder.classroom.late_files import COLUMNS, IN_TIME, Key, read_said
from autograder.classroom.records.received import granted_until
from autograder.gradebook.lateness.late_policy import HandIn, LatePolicy

SAME = 0.001  # points
CLOCKS = timedelta(minutes=5)  # by which two clocks may differ


@dataclass(frozen=True)
class Lateness:
    """How late one submission is, and what that costs, as the late policy decides."""

    submitted: datetime | None  # UTC, without a zone
    days: int  # begun after the due date, the extension and the grace
    late_days_used: int
    points: float  # the penalty, 0.0 if there is none
    sentence: str  # with the calculation, for staff and the student; "" where it is in time
    late_days_left: int | None = None  # after this submission; None where the course has none
    doubt: str = ""  # for staff: why the time cannot be right


@dataclass(frozen=True)
class Penalty:
    """The penalty that a student should have by the late policy (in `lateness`), and the points
    that the gradebook takes now (`entered`, 0.0 for none).
    """

    lateness: Lateness
    entered: float  # 0.0 where there is none

    @property
    def is_right(self) -> bool:
        """Whether the penalty in the gradebook is the one that the student should have."""
        return abs(self.entered - self.lateness.points) < SAME


def judge(
    hand_ins: Iterable[HandIn], policy: LatePolicy, now: datetime | None = None
) -> dict[str, Lateness]:
    """Return the lateness of each of one student's submissions, by assignment id.

    `hand_ins`: all of the student's submissions in the course, one for each assignment, as late
    days are shared by all; `now`: naive UTC. A submission whose time is in the future has no
    penalty, and its `doubt` says so. Raises `AutograderError` for a setting that cannot be used.
    """
    now = now or datetime.now(UTC).replace(tzinfo=None)
    left = policy.late_days
    judged = {}
    for one in sorted(hand_ins, key=_order):
        is_to_come = one.submitted is not None and one.submitted > now + CLOCKS
        days = 0 if is_to_come else policy.days_late(one)
        most = policy.late_days_per_assignment
        used = min(days, left, left if most is None else most)
        left -= used
        judged[one.assignment] = Lateness(
            submitted=one.submitted,
            days=days,
            late_days_used=used,
            points=policy.penalty(days - used, one.max_points),
            sentence=policy.sentence(one, days, used, left),
            late_days_left=left if policy.late_days else None,
            doubt=policy.doubt(one, is_to_come),
        )
    return judged


def _order(hand_in: HandIn) -> tuple:
    """Return the key that sorts submissions by the time of handing in, then by the due date; those
    without a time come last.
    """
    last = datetime.max
    return hand_in.submitted or last, hand_in.due or last, hand_in.assignment


class LateRules:
    """The late policy of a course, with the lines of the three files in which staff write times:
    `late.csv`, `extensions.csv`, `counts.csv`.
    """

    def __init__(self, config: Config, root: Path, submitted: Path | None = None):
        """`root`: the course's folder, which holds the three files; `submitted`: the folder of all
        submissions, None for the course's. A line on a group is one on each of its members.

        Raises `AutograderError` if a setting or a line of a file cannot be used.
        """
        self.policy = policy = LatePolicy(config=config)
        for assignment_id in policy.released:
            policy.release_of(assignment_id)
        self.files = {
            name: read_said(root / name, column, policy.zone) for name, column in COLUMNS.items()
        }
        place = root / config.CourseDirectory.get("submitted_directory", "submitted")
        self.groups = CourseGroups(root, submitted or place)
        for lines in self.files.values():
            for (id, assignment), said in list(lines.items()):
                for student in self.groups.of(assignment).members(id):
                    lines.setdefault((student, assignment), said)
        self.times, self.extensions, self.counts = self.files.values()
        self.by_platform = granted_until(submitted or place)

    def submitted(self, key: Key, by_platform: datetime | None) -> datetime | None:
        """Return when the newest submission of `key` (student and assignment) was handed in: the
        time in `late.csv`, else `by_platform`, the platform's time; None if neither is known.
        """
        said = self.times.get(key)
        return said.when if said and said.when else by_platform

    def extended_until(
        self,
        key: Key,
        due: datetime | None,
        granted: timedelta | None,
        of_all: Mapping[Key, timedelta | None] = MappingProxyType({}),
    ) -> datetime | None:
        """Return until when the student has an extension, without grace: the latest one of the
        group's members. None without an extension, or if it does not end after the due date.

        `key`: student and assignment; `granted`: the student's extension in the gradebook, `of_all`:
        those of all. They, and what a platform granted, count only where `extensions.csv` has no
        line on the student.
        """
        student, assignment = key
        ends = []
        for mate in self.groups.of(assignment).mates(student):
            more = granted if mate == student else of_all.get((mate, assignment))
            said = self.extensions.get((mate, assignment))
            by_platform = self.by_platform.get((mate, assignment))
            in_gradebook = due + more if due and more else None
            ends += [said.when] if said else [in_gradebook, by_platform]
        until = max(filter(None, ends), default=None)
        return until if until and (due is None or until > due) else None

    def deadline(
        self,
        key: Key,
        due: datetime | None,
        granted: timedelta | None,
        of_all: Mapping[Key, timedelta | None] = MappingProxyType({}),
    ) -> datetime | None:
        """Return the student's deadline (naive UTC) with the grace: the extended one, as
        `extended_until` returns it, else `due`. None if there is neither.

        `key`: student and assignment; `granted`, `of_all`: the extensions in the gradebook, the
        student's and those of all.
        """
        until = self.extended_until(key, due, granted, of_all) or due
        return until + self.policy.grace if until else None

    def needs_due_date(self, assignment_id: str) -> bool:
        """Whether penalties, late days or the choice of the submission that counts depend on the
        assignment's due date, for any student.
        """
        extended = any(id == assignment_id for _, id in (*self.extensions, *self.by_platform))
        chosen = (said.word for (_, id), said in self.counts.items() if id == assignment_id)
        return self.policy.costs or extended or IN_TIME in (self.policy.counts, *chosen)


@dataclass(frozen=True)
class ClassLateness:
    """The times of a class's submissions, and what follows from them for one assignment."""

    rules: LateRules
    assignment_id: str
    hand_ins: Mapping[str, list[HandIn]]  # in the whole course, by student: late days are its own
    due_dates: Mapping[str, datetime | None]  # of it, and of all of which something is entered
    # the extensions in the gradebook
    granted: Mapping[Key, timedelta | None] = field(default_factory=dict)

    @cached_property
    def judged(self) -> dict[str, Lateness]:
        """The lateness of each student's submission of this assignment, by student; computed at the
        first use.
        """
        return {
            student: judged[self.assignment_id]
            for student, handed_in in self.hand_ins.items()
            if self.assignment_id in (judged := judge(handed_in, self.rules.policy))
        }

    def explanation(self, student: str, penalty: float) -> str:
        """Return a sentence on how `penalty`, the student's in the gradebook, was calculated; ""
        without a penalty, or if the late policy now gives another one.
        """
        lateness = self.judged.get(student)
        return lateness.sentence if lateness and Penalty(lateness, penalty).is_right else ""
