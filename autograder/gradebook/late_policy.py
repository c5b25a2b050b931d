"""What being late costs in a course, as `nbgrader_config.py` says it; see `late.py`."""

import math
from dataclasses import dataclass
from datetime import UTC, datetime, tzinfo
from typing import Any
from zoneinfo import ZoneInfo

from traitlets import Dict, Float, Int, Unicode
from traitlets.config import Config, Configurable

from autograder.gradebook.late_files import PolicyError
from autograder.times import parse_time, to_utc

DAY = 86_400  # seconds
LONGEST = 365  # days; who is later than that pays no more


@dataclass(frozen=True)
class HandIn:
    """What is known of one student's submission of one assignment. Times are UTC, without a zone."""

    assignment: str
    submitted: datetime | None
    due: datetime | None
    max_points: float
    extended_until: datetime | None = None


class LatePolicy(Configurable):
    """What being late costs in a course."""

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
    extensions = Unicode("extensions.csv", help="in the course: student,assignment,until").tag(
        config=True
    )
    times = Unicode("late.csv", help="in the course: student,assignment,submitted").tag(config=True)
    timezone = Unicode(
        "UTC", help="of times without a zone in these files, and of times in sentences"
    ).tag(config=True)
    released = Dict(
        value_trait=Unicode(),
        key_trait=Unicode(),
        help="when assignments were handed out, by id: earlier times of handing in are told",
    ).tag(config=True)

    def __init__(self, **options: Any):
        """Raises `PolicyError` for a setting that there is not: it would cost nothing, silently."""
        given = options.get("config", Config()).LatePolicy
        if unknown := sorted(given.keys() - self.class_trait_names(config=True)):
            known = ", ".join(sorted(self.class_trait_names(config=True)))
            raise PolicyError(f"c.LatePolicy has no setting `{unknown[0]}`. It has: {known}.")
        super().__init__(**options)

    @property
    def costs(self) -> bool:
        """Whether being late ever costs anything, points or late days."""
        return bool(self.late_days or self.penalty(LONGEST, 100.0))

    @property
    def zone(self) -> tzinfo:
        """The course's time zone. Raises `PolicyError`."""
        try:
            return UTC if self.timezone == "UTC" else ZoneInfo(self.timezone)
        except (OSError, ValueError, KeyError) as error:
            raise PolicyError(
                f"c.LatePolicy.timezone is `{self.timezone}`, which is no time zone that is known here."
            ) from error

    def release_of(self, assignment_id: str) -> datetime | None:
        """Return when it was handed out, UTC without a zone, None if unknown. Raises `PolicyError`."""
        text = self.released.get(assignment_id)
        if text is None:
            return None
        try:
            when: datetime | None = datetime.fromisoformat(text)
        except ValueError:
            when = parse_time(text)
        if when is None:
            raise PolicyError(
                f"c.LatePolicy.released says `{text}` of `{assignment_id}`, which is no time like "
                "2026-11-30 18:00+01:00."
            )
        return to_utc(when, self.zone).replace(tzinfo=None)

    def days_late(self, hand_in: HandIn) -> int:
        """Return how many days have begun since the submission had to be there."""
        if hand_in.submitted is None or hand_in.due is None:
            return 0
        due = hand_in.extended_until or hand_in.due
        late = (hand_in.submitted - due).total_seconds() - 60 * self.grace_minutes
        return max(0, math.ceil(late / DAY))

    def penalty(self, days: int, max_points: float) -> float:
        """Return the points that so many days cost."""
        return round(max_points * min(self.percent_per_day * days, self.most_percent) / 100, 2)
