"""Late submissions: penalties, extensions, late days, and the submission that counts.

An example for `nbgrader_config.py`: each day costs a tenth of the points, at most half of them, and the
first half hour is free. Five days in the whole course are free, at most two for an assignment:

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

    extensions.csv  student,assignment,until      extended deadlines. They take precedence over
                                                  extensions in the gradebook.
    late.csv        student,assignment,submitted  time of the newest submission. It takes precedence
                                                  over the platform's time.
    counts.csv      student,assignment,counts     newest, in time, best, or the time of the submission
                                                  that counts

"in time" chooses the last submission that is not a day late, else the newest. "best" chooses the most
automatic points after the penalty for the submission's own lateness, and the earliest of equals.

Late days are spent in the order of submission, so that a later submission never changes the penalty of
an earlier one. Each day begun uses one late day, or costs the daily penalty.

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
    """The lateness of a submission, and its penalty by the late policy."""

    submitted: datetime | None  # UTC, without a zone
    days: int  # begun after the due date, the extension and the grace
    late_days_used: int
    points: float  # the penalty, 0.0 if there is none
    sentence: str  # with the calculation, for staff and the student. "" if in time
    late_days_left: int | None = None  # after this submission, None if the course grants none
    doubt: str = ""  # for staff: the reason why the time is implausible


@dataclass(frozen=True)
class Penalty:
    """A student's lateness by the late policy, and the penalty in the gradebook."""

    lateness: Lateness
    entered: float  # points in the gradebook, 0.0 for none

    @property
    def is_right(self) -> bool:
        return abs(self.entered - self.lateness.points) < SAME


def judge(
    hand_ins: Iterable[HandIn], policy: LatePolicy, now: datetime | None = None
) -> dict[str, Lateness]:
    """Return the lateness of each of one student's submissions, by assignment id.

    `hand_ins`: all submissions of the student in the course, one for each assignment, because they
    share the late days. `now`: naive UTC. A submission with a time in the future has no penalty,
    and its `doubt` says so. Raises `AutograderError` for an invalid setting.
    """
    now = now or datetime.now(UTC).replace(tzinfo=None)
    days_left = policy.late_days
    judged = {}
    for hand_in in sorted(hand_ins, key=_order):
        is_to_come = hand_in.submitted is not None and hand_in.submitted > now + CLOCKS
        days = 0 if is_to_come else policy.days_late(hand_in)
        limit = policy.late_days_per_assignment
        days_used = min(days, days_left, days_left if limit is None else limit)
        days_left -= days_used
        judged[hand_in.assignment] = Lateness(
            submitted=hand_in.submitted,
            days=days,
            late_days_used=days_used,
            points=policy.penalty(days - days_used, hand_in.max_points),
            sentence=policy.sentence(hand_in, days, days_used, days_left),
            late_days_left=days_left if policy.late_days else None,
            doubt=policy.doubt(hand_in, is_to_come),
        )
    return judged


def _order(hand_in: HandIn) -> tuple:
    """Sort key: time of submission, then due date. Missing times come last."""
    last = datetime.max
    return hand_in.submitted or last, hand_in.due or last, hand_in.assignment


class LateRules:
    """The late policy of a course, with `late.csv`, `extensions.csv` and `counts.csv`."""

    def __init__(self, config: Config, root: Path, submitted: Path | None = None):
        """`root`: the course's folder with the three files. `submitted`: the folder of all
        submissions, None for the course's. A line on a group applies to each of its members.

        Raises `AutograderError` for an invalid setting or line.
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
            for (id, assignment), entry in list(lines.items()):
                for student in self.groups.of(assignment).members(id):
                    lines.setdefault((student, assignment), entry)
        self.times, self.extensions, self.counts = self.files.values()
        self.by_platform = granted_until(submitted or place)

    def submitted(self, key: Key, by_platform: datetime | None) -> datetime | None:
        """Return the time in `late.csv` for `key`, else the platform's time."""
        entry = self.times.get(key)
        return entry.when if entry and entry.when else by_platform

    def extended_until(
        self,
        key: Key,
        due: datetime | None,
        granted: timedelta | None,
        of_all: Mapping[Key, timedelta | None] = MappingProxyType({}),
    ) -> datetime | None:
        """Return the end of the student's extension without grace, the latest of the group's
        members. None without an extension, or if it ends before the due date.

        `granted`: the student's extension in the gradebook. `of_all`: extensions of all students.
        These and a platform's extensions only count for students without a line in
        `extensions.csv`.
        """
        student, assignment = key
        ends = []
        for mate in self.groups.of(assignment).mates(student):
            extension = granted if mate == student else of_all.get((mate, assignment))
            entry = self.extensions.get((mate, assignment))
            by_platform = self.by_platform.get((mate, assignment))
            in_gradebook = due + extension if due and extension else None
            ends += [entry.when] if entry else [in_gradebook, by_platform]
        until = max(filter(None, ends), default=None)
        return until if until and (due is None or until > due) else None

    def deadline(
        self,
        key: Key,
        due: datetime | None,
        granted: timedelta | None,
        of_all: Mapping[Key, timedelta | None] = MappingProxyType({}),
    ) -> datetime | None:
        """Return the deadline (naive UTC) with extension and grace. See `extended_until`."""
        until = self.extended_until(key, due, granted, of_all) or due
        return until + self.policy.grace if until else None

    def needs_due_date(self, assignment_id: str) -> bool:
        """Whether penalties, late days or counted submissions depend on a due date."""
        extended = any(id == assignment_id for _, id in (*self.extensions, *self.by_platform))
        chosen = (entry.word for (_, id), entry in self.counts.items() if id == assignment_id)
        return self.policy.costs or extended or IN_TIME in (self.policy.counts, *chosen)


@dataclass(frozen=True)
class ClassLateness:
    """The times of a class's submissions, and the lateness for an assignment."""

    rules: LateRules
    assignment_id: str
    hand_ins: Mapping[str, list[HandIn]]  # in the whole course, by student, as late days are shared
    due_dates: Mapping[str, datetime | None]  # of this assignment and all with entries
    # the extensions in the gradebook
    granted: Mapping[Key, timedelta | None] = field(default_factory=dict)

    @cached_property
    def judged(self) -> dict[str, Lateness]:
        """Lateness of each student's submission of this assignment, by student."""
        return {
            student: judged[self.assignment_id]
            for student, handed_in in self.hand_ins.items()
            if self.assignment_id in (judged := judge(handed_in, self.rules.policy))
        }

    def explanation(self, student: str, penalty: float) -> str:
        """Return the calculation of a `penalty`, "" without one or after a changed policy."""
        lateness = self.judged.get(student)
        return lateness.sentence if lateness and Penalty(lateness, penalty).is_right else ""
