"""The late policy: lateness -> days -> points -> a sentence. `late.py` has the settings.

    HandIn  -- grace, days_late -->  days  -- penalty -->  points  -- sentence -->  "Handed in ..., 2 days ..."

To add a rule ("the first two hours are free"), add a setting to `LatePolicy`, a line to `grace`, `days_late`
or `penalty`, the explanation to `sentence`, and a row to `test_late_policy.py`. No other module knows the rule.
"""

import math
from contextlib import suppress
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta, tzinfo
from zoneinfo import ZoneInfo

from traitlets import Dict, Enum, Float, Int, Unicode
from traitlets.config import Config

from autograder.classroom.late_files import COUNTS, EXAMPLE, NEWEST, time_in
from autograder.engine import AutograderError, Course, courses, plural, texts
from autograder.gradebook.lateness.course_settings import CourseSettings

DAY = timedelta(days=1)
TOO_EARLY = timedelta(days=365)  # before the due date
LONGEST = 365  # days, after which the penalty stays the same


@dataclass(frozen=True)
class HandIn:
    """Times of a submission of an assignment (naive UTC), and the assignment's points."""

    assignment: str
    submitted: datetime | None
    due: datetime | None
    max_points: float
    extended_until: datetime | None = None


class LatePolicy(CourseSettings):
    """Settings and rule for late penalties, and for the submission that counts."""

    percent_per_day = Float(
        0.0, min=0.0, help="percent of the assignment's points, for each day begun"
    ).tag(config=True)
    most_percent = Float(100.0, min=0.0, max=100.0, help="never takes more than this").tag(
        config=True
    )
    grace_minutes = Float(0.0, min=0.0, help="late by less than this is in time").tag(config=True)
    late_days = Int(
        0, min=0, help="days that each student may be late without a penalty, in the whole course"
    ).tag(config=True)
    late_days_per_assignment = Int(
        None, min=0, allow_none=True, help="never more of them for one assignment"
    ).tag(config=True)
    counts = Enum(COUNTS, NEWEST, help="which submission counts; see counting.py").tag(config=True)
    timezone = Unicode(
        "UTC", help="of times without a zone in staff's files, and of times that are shown"
    ).tag(config=True)
    released = Dict(
        value_trait=Unicode(),
        key_trait=Unicode(),
        help="when assignments were handed out, by id: earlier times of handing in are told",
    ).tag(config=True)

    @property
    def grace(self) -> timedelta:
        """Time after the deadline that is still in time. Until then, good answers stay hidden."""
        return timedelta(minutes=self.grace_minutes)

    def days_late(self, hand_in: HandIn) -> int:
        """Return the number of days begun after the deadline (extension or due date) and the
        grace. 0 if it is in time, or if the due date or the time of submission is unknown.

        A day ends at the deadline's time of day in the course's zone, or after 24 hours, whichever
        is later. They differ when clocks change. Raises `AutograderError` if the setting
        `timezone` is invalid.
        """
        if hand_in.submitted is None or hand_in.due is None:
            return 0
        due, submitted = hand_in.extended_until or hand_in.due, hand_in.submitted - self.grace
        days = max(0, math.ceil((submitted - due) / DAY))
        day_begin = texts.to_utc(due, UTC).astimezone(self.zone) + (days - 1) * DAY  # by the clock
        end = texts.to_utc(day_begin.replace(tzinfo=None, fold=1), self.zone).replace(tzinfo=None)
        return days - 1 if days > 1 and submitted <= end else days

    def penalty(self, days: int, max_points: float) -> float:
        """Return the penalty in points for `days` late, without free late days."""
        return round(max_points * min(self.percent_per_day * days, self.most_percent) / 100, 2)

    def sentence(self, hand_in: HandIn, days: int, used_days: int, days_left: int) -> str:
        """Return the lateness and its penalty with the calculation, "" if in time.

        `days`: days begun after the deadline. `used_days`: free late days among them. `days_left`:
        late days that the student still has.
        """
        submitted, due = hand_in.submitted, hand_in.extended_until or hand_in.due
        if not days or submitted is None or due is None:
            return ""
        was_due = "the extension until" if hand_in.extended_until else "the due date,"
        grace = f" after {self.grace_minutes:g} minutes of grace" if self.grace_minutes else ""
        spent = f", {plural(used_days, 'late day')} used ({days_left} of {self.late_days} left)"
        return (
            f"Handed in {texts.time_text(submitted, self.zone)}, {span_text(submitted - due)} after "
            f"{was_due} {texts.time_text(due, self.zone)}: {plural(days, 'day')} begun{grace}"
            f"{spent if self.late_days else ''}, {self._cost(days - used_days, hand_in.max_points)}."
        )

    def _cost(self, days: int, max_points: float) -> str:
        points, percent = self.penalty(days, max_points), self.percent_per_day * days
        if not points:
            return "no points less"
        capped = f", at most {self.most_percent:g} %" if percent > self.most_percent else ""
        return (
            f"{plural(days, 'day')} at {self.percent_per_day:g} % of {max_points:g} points{capped}: "
            f"{points:g} {'point' if points == 1 else 'points'} less"
        )

    def doubt(self, hand_in: HandIn, is_to_come: bool) -> str:
        """Return a sentence if the time of submission is implausible, else "". `is_to_come`:
        whether that time is in the future. Raises `AutograderError` if the setting `released` or
        `timezone` is invalid.
        """
        submitted, released = hand_in.submitted, self.release_of(hand_in.assignment)
        if submitted is None:
            return ""
        beginning = f"The time of handing in, {texts.time_text(submitted, self.zone)}, "
        if is_to_come:
            return f"{beginning}is still to come: no penalty until the right one is known."
        if released and submitted < released:
            return f"{beginning}is before the release, {texts.time_text(released, self.zone)}."
        if hand_in.due and submitted < hand_in.due - TOO_EARLY:
            return f"{beginning}is more than a year before the due date."
        return ""

    @property
    def costs(self) -> bool:
        """Whether lateness can cost points or late days in this course."""
        return bool(self.late_days or self.penalty(LONGEST, 100.0))

    @property
    def zone(self) -> tzinfo:
        """The course's time zone. Raises `AutograderError` if it is unknown."""
        try:
            return UTC if self.timezone == "UTC" else ZoneInfo(self.timezone)
        except (OSError, ValueError, KeyError) as error:
            raise AutograderError(
                f"c.LatePolicy.timezone is `{self.timezone}`, which is no time zone that is known here."
            ) from error

    def release_of(self, assignment_id: str) -> datetime | None:
        """Return the release time (naive UTC) or None. Raises `AutograderError` if invalid."""
        text = self.released.get(assignment_id)
        if text is None:
            return None
        try:
            return texts.to_utc(time_in(text, self.zone), self.zone).replace(tzinfo=None)
        except ValueError as error:
            raise AutograderError(
                f"c.LatePolicy.released says `{text}` of `{assignment_id}`, which is no time like "
                f"{EXAMPLE}."
            ) from error


def zone_of(config: Config) -> tzinfo:
    """Return the time zone for display, UTC if a setting of the late policy is invalid."""
    with suppress(AutograderError):
        return LatePolicy(config=config).zone
    return UTC


def may_count_earlier(course: Course) -> bool:
    """Whether the rule can choose an earlier submission. Raises `CourseError`."""
    with suppress(AutograderError):  # `grade` says which setting cannot be used
        return LatePolicy(config=courses.read_config(course.root)).counts != NEWEST
    return False


def course_zone(course: Course | None) -> tzinfo:
    """Return the time zone for display, UTC without a course. Raises `CourseError`."""
    return zone_of(courses.read_config(course.root)) if course else UTC


def span_text(span: timedelta) -> str:
    """Return a time span in its two largest units, `1 day 2 hours`, at least a minute."""
    minutes = max(1, int(span.total_seconds() // 60))
    units = {"day": minutes // 1440, "hour": minutes // 60 % 24, "minute": minutes % 60}
    return " ".join([plural(number, unit) for unit, number in units.items() if number][:2])
