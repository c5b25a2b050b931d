"""The late policy: lateness -> days -> points -> a sentence. `late.py` has the settings.

    HandIn  -- grace, days_late -->  days  -- penalty -->  points  -- sentence -->  "Handed in ..., 2 days ..."

Another rule ("the first two hours are free") is a setting of `LatePolicy`, a line in `grace` (what it gives
everybody, also before good answers are shown), `days_late` or `penalty`, its words in `sentence`, and a row in
`test_late_policy.py`. Nothing else knows the rule.
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
LONGEST = 365  # days; who is later than that pays no more


@dataclass(frozen=True)
class HandIn:
    """The times of one student's submission of one assignment, and the assignment's points. Times
    are naive UTC.
    """

    assignment: str
    submitted: datetime | None
    due: datetime | None
    max_points: float
    extended_until: datetime | None = None


class LatePolicy(CourseSettings):
    """The settings for what late submissions cost in a course and for which of several submissions
    counts, with the rule that applies them.
    """

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
        """The time after the deadline in which a submission still counts as in time; until it is
        over, no good answers are shown.
        """
        return timedelta(minutes=self.grace_minutes)

    def days_late(self, hand_in: HandIn) -> int:
        """Return the number of days begun after the deadline (the extension, else the due date) and
        the grace; 0 if it is not late, and if the due date or the time of handing in is unknown.

        A day ends at the deadline's time of day in the course's zone, or after 24 hours, whichever
        is later: they differ when clocks change. Raises `AutograderError` if the setting `timezone`
        cannot be used.
        """
        if hand_in.submitted is None or hand_in.due is None:
            return 0
        due, submitted = hand_in.extended_until or hand_in.due, hand_in.submitted - self.grace
        days = max(0, math.ceil((submitted - due) / DAY))
        before = texts.to_utc(due, UTC).astimezone(self.zone) + (days - 1) * DAY  # by the clock
        end = texts.to_utc(before.replace(tzinfo=None, fold=1), self.zone).replace(tzinfo=None)
        return days - 1 if days > 1 and submitted <= end else days

    def penalty(self, days: int, max_points: float) -> float:
        """Return the points that being late by `days` costs in an assignment of `max_points`; days
        that free late days cover must be subtracted before.
        """
        return round(max_points * min(self.percent_per_day * days, self.most_percent) / 100, 2)

    def sentence(self, hand_in: HandIn, days: int, used: int, left: int) -> str:
        """Return how late a submission is and what that costs, with the calculation; "" if it is in
        time.

        `days`: begun after the deadline; `used`: how many of them were free late days; `left`: how
        many late days the student still has.
        """
        submitted, due = hand_in.submitted, hand_in.extended_until or hand_in.due
        if not days or submitted is None or due is None:
            return ""
        was_due = "the extension until" if hand_in.extended_until else "the due date,"
        grace = f" after {self.grace_minutes:g} minutes of grace" if self.grace_minutes else ""
        spent = f", {plural(used, 'late day')} used ({left} of {self.late_days} left)"
        return (
            f"Handed in {texts.time_text(submitted, self.zone)}, {span_text(submitted - due)} after "
            f"{was_due} {texts.time_text(due, self.zone)}: {plural(days, 'day')} begun{grace}"
            f"{spent if self.late_days else ''}, {self._cost(days - used, hand_in.max_points)}."
        )

    def _cost(self, days: int, max_points: float) -> str:
        """Return in words what being late by `days` costs in an assignment of `max_points`; days
        that free late days cover must be subtracted before.
        """
        points, percent = self.penalty(days, max_points), self.percent_per_day * days
        if not points:
            return "no points less"
        capped = f", at most {self.most_percent:g} %" if percent > self.most_percent else ""
        return (
            f"{plural(days, 'day')} at {self.percent_per_day:g} % of {max_points:g} points{capped}: "
            f"{points:g} {'point' if points == 1 else 'points'} less"
        )

    def doubt(self, hand_in: HandIn, is_to_come: bool) -> str:
        """Return a sentence on why the time of handing in cannot be right; "" if it can, or is
        unknown. `is_to_come`: whether that time is in the future. Raises `AutograderError` if the
        setting `released` or `timezone` cannot be used.
        """
        when, released = hand_in.submitted, self.release_of(hand_in.assignment)
        if when is None:
            return ""
        said = f"The time of handing in, {texts.time_text(when, self.zone)}, "
        if is_to_come:
            return f"{said}is still to come: no penalty until the right one is known."
        if released and when < released:
            return f"{said}is before the release, {texts.time_text(released, self.zone)}."
        if hand_in.due and when < hand_in.due - TOO_EARLY:
            return f"{said}is more than a year before the due date."
        return ""

    @property
    def costs(self) -> bool:
        """Whether lateness can cost anything in this course, points or late days."""
        return bool(self.late_days or self.penalty(LONGEST, 100.0))

    @property
    def zone(self) -> tzinfo:
        """The course's time zone. Raises `AutograderError` if the setting names none that is known."""
        try:
            return UTC if self.timezone == "UTC" else ZoneInfo(self.timezone)
        except (OSError, ValueError, KeyError) as error:
            raise AutograderError(
                f"c.LatePolicy.timezone is `{self.timezone}`, which is no time zone that is known here."
            ) from error

    def release_of(self, assignment_id: str) -> datetime | None:
        """Return when an assignment was released, as naive UTC, from the setting `released`; None
        if that does not name the assignment. Raises `AutograderError` if what it says is no time.
        """
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
    """Return the time zone in which times are shown: that of `c.LatePolicy.timezone`; UTC if a
    setting of the late policy cannot be used.
    """
    with suppress(AutograderError):
        return LatePolicy(config=config).zone
    return UTC


def may_count_earlier(course: Course) -> bool:
    """Whether another submission than the newest may count for everybody. Raises `CourseError` if
    the course's configuration cannot be read.
    """
    with suppress(AutograderError):  # `grade` says which setting cannot be used
        return LatePolicy(config=courses.read_config(course.root)).counts != NEWEST
    return False


def course_zone(course: Course | None) -> tzinfo:
    """Return the time zone in which a course's times are shown; UTC without a course. Raises
    `CourseError` if its configuration cannot be read.
    """
    return zone_of(courses.read_config(course.root)) if course else UTC


def span_text(span: timedelta) -> str:
    """Return a time span in its two largest units, such as `1 day 2 hours`; at least one minute."""
    minutes = max(1, int(span.total_seconds() // 60))
    units = {"day": minutes // 1440, "hour": minutes // 60 % 24, "minute": minutes % 60}
    return " ".join([plural(number, unit) for unit, number in units.items() if number][:2])
