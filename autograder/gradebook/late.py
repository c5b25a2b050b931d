"""Late submissions: what they cost, who may be late, and how many late days somebody has left.

In `nbgrader_config.py`, for a course where each day costs a tenth, half an hour costs nothing, more
than half is never taken, and five days in the whole course are free, two for one assignment:

    c.LatePolicy.percent_per_day = 10
    c.LatePolicy.grace_minutes = 30
    c.LatePolicy.most_percent = 50
    c.LatePolicy.late_days = 5
    c.LatePolicy.late_days_per_assignment = 2
    c.LatePolicy.timezone = "Europe/Berlin"
    c.LatePolicy.released = {"sheet-1": "2026-11-02"}  # earlier times of handing in are told

Beside it, `extensions.csv` (student, assignment, until) says who has more time, and `late.csv`
(student, assignment, submitted) when something was handed in: it counts before the time of the
platform. The due date is nbgrader's (formgrader's list of assignments, or `nbgrader db assignment
add ID --duedate=...`).

Late days are spent in the order of handing in, so that a later submission never changes what an
earlier one cost. Each day begun uses one. What no late day covers costs what a day costs.
"""

from collections.abc import Iterable
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from pathlib import Path

from autograder.engine.course import Course, read_config
from autograder.gradebook.late_files import Key, Said, read_times
from autograder.gradebook.late_policy import HandIn, LatePolicy
from autograder.gradebook.late_sentences import calculation, doubt

SAME = 0.001  # points
FROM_FILE = timedelta(microseconds=1)  # longer, by which an extension of the file is known again


@dataclass(frozen=True)
class Lateness:
    """What being late means for one submission. All times are UTC, without a zone."""

    submitted: datetime | None
    due: datetime | None
    extended_until: datetime | None
    days: int  # begun after the due date, the extension and the grace
    late_days_used: int
    points: float  # the penalty, 0.0 if there is none
    sentence: str  # with the calculation, for staff and the student; "" where it is in time
    late_days_left: int | None = None  # after this submission; None where the course has none
    doubt: str = ""  # for staff: why the time cannot be right

    def explains(self, penalty: float) -> str:
        """Return the sentence, if this is the penalty that is entered; else ""."""
        return self.sentence if abs(penalty - self.points) < SAME else ""


@dataclass(frozen=True)
class Penalty:
    """What being late should cost one student, and what the gradebook says that it costs."""

    lateness: Lateness
    entered: float  # 0.0 where there is none
    is_right: bool  # the extension and the penalty are entered as they should be


def judge(
    hand_ins: Iterable[HandIn], policy: LatePolicy, now: datetime | None = None
) -> dict[str, Lateness]:
    """Return the lateness of all that one student handed in, by assignment.

    A time that is still to come costs nothing: it cannot be right. Raises `PolicyError`.
    """
    now = now or datetime.now(UTC).replace(tzinfo=None)
    left = policy.late_days
    judged = {}
    for one in sorted(hand_ins, key=_order):
        doubtful, is_to_come = doubt(one, policy.release_of(one.assignment), now, policy.zone)
        days = 0 if is_to_come else policy.days_late(one)
        most = policy.late_days_per_assignment
        used = min(days, left, left if most is None else most)
        left -= used
        points = policy.penalty(days - used, one.max_points)
        judged[one.assignment] = Lateness(
            submitted=one.submitted,
            due=one.due,
            extended_until=one.extended_until,
            days=days,
            late_days_used=used,
            points=points,
            sentence=calculation(one, policy, days, used, left, points),
            late_days_left=left if policy.late_days else None,
            doubt=doubtful,
        )
    return judged


def _order(hand_in: HandIn) -> tuple:
    """By the time of handing in, then by the due date; what has no time comes last."""
    last = datetime.max
    return hand_in.submitted or last, hand_in.due or last, hand_in.assignment


class LateRules:
    """A course's policy, and what its two files say now."""

    def __init__(self, policy: LatePolicy, root: Path):
        """Raises `PolicyError`."""
        self.policy = policy
        for assignment_id in policy.released:
            policy.release_of(assignment_id)
        self.times = read_times(root / policy.times, "submitted", policy.zone)
        self.extensions = read_times(root / policy.extensions, "until", policy.zone)

    def submitted(self, key: Key, by_platform: datetime | None) -> datetime | None:
        """Return the time that counts: of `late.csv`, else the platform's."""
        said = self.times.get(key)
        return said.when if said and said.when else by_platform

    def hand_in(
        self,
        student: str,
        assignment_id: str,
        by_platform: datetime | None,
        due: datetime | None,
        max_points: float,
        granted: timedelta | None = None,
    ) -> HandIn:
        """Return what was handed in, with the times that count; `granted` is the gradebook's."""
        key = student, assignment_id
        until = self._extended_until(key, due, granted)
        return HandIn(assignment_id, self.submitted(key, by_platform), due, max_points, until)

    def _extended_until(
        self, key: Key, due: datetime | None, granted: timedelta | None
    ) -> datetime | None:
        """Return until when somebody has more time: as `extensions.csv` says, else as was `granted`
        in the gradebook by hand. None where that is no more than everybody has.
        """
        said = self.extensions.get(key)
        until = said.when if said else None
        if due and said is None and granted and granted.microseconds != FROM_FILE.microseconds:
            until = due + granted
        return until if due and until and until > due else None

    def deadline(
        self, key: Key, due: datetime | None, granted: timedelta | None
    ) -> datetime | None:
        """Return until when somebody is in time, None where nothing says it; see `hand_in`."""
        said = self.extensions.get(key)
        until = due or (said.when if said else None)
        until = self._extended_until(key, due, granted) or until
        return until + timedelta(minutes=self.policy.grace_minutes) if until else None

    def extension(
        self, key: Key, due: datetime | None, granted: timedelta | None
    ) -> timedelta | None:
        """Return what the gradebook should have for an extension."""
        if key not in self.extensions:
            by_hand = granted and granted.microseconds != FROM_FILE.microseconds
            return granted if by_hand else None
        until = self._extended_until(key, due, granted)
        return until - due + FROM_FILE if due and until else None

    def lines_without_zone(self) -> dict[str, list[Said]]:
        """Return the lines that name no zone, by the name of the file."""
        files = {self.policy.times: self.times, self.policy.extensions: self.extensions}
        found = {
            name: [said for said in lines.values() if not said.has_zone]
            for name, lines in files.items()
        }
        return {name: lines for name, lines in found.items() if lines}


def lateness_of(
    course: Course,
    assignment_id: str,
    max_points: float,
    student: str,
    submitted: datetime | None,
    due: datetime | None,
    others: Iterable[HandIn] = (),
) -> Lateness:
    """Return the lateness of one submission; `submitted` is the platform's time.

    `others` are what the student handed in for other assignments and may have spent late days on;
    `class_lateness.read_lateness` finds them in the gradebook. Raises `NoCourse`, `PolicyError`.
    """
    rules = read_rules(course)
    one = rules.hand_in(student, assignment_id, submitted, due, max_points)
    return judge([one, *others], rules.policy)[assignment_id]


def read_rules(course: Course) -> LateRules:
    """Return the course's policy with its two files. Raises `NoCourse`, `PolicyError`."""
    return LateRules(LatePolicy(config=read_config(course.root)), course.root)
