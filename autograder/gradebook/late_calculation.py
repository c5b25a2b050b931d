"""How the penalty of one submission was calculated, in a sentence for staff and the student."""

import contextlib
import math
from dataclasses import dataclass
from datetime import datetime, timedelta
from pathlib import Path

from autograder.engine.verdict import points_text
from autograder.gradebook.late import DAY, LatePolicy, PolicyError, extension, seconds_late
from autograder.gradebook.pages.no_grade import time_text


@dataclass(frozen=True)
class Entered:
    """What the gradebook has of one submission. Times are UTC, without a zone."""

    student: str
    assignment: str
    submitted: datetime | None
    due: datetime | None
    extended: timedelta | None
    max_points: float
    penalty: float


def late_calculation(entered: Entered, policy: LatePolicy, root: Path) -> str:
    """Return how the penalty that is entered was calculated; "" where there is none, or where the
    policy of the course in `root` now says another one.
    """
    due, submitted = entered.due, entered.submitted
    if not entered.penalty or due is None or submitted is None:
        return ""
    with contextlib.suppress(PolicyError):
        until = policy.granted(root, entered.assignment)
        extended = extension(due, until.get(entered.student)) or entered.extended
        late = seconds_late(submitted, due, extended)
        if policy.penalty(late, entered.max_points) == entered.penalty:
            was_due = due + (extended or timedelta())
            return _sentence(policy, late, entered.max_points, was_due, submitted)
    return ""


def _sentence(policy: LatePolicy, late: float, points: float, due: datetime, when: datetime) -> str:
    days = math.ceil((late - 60 * policy.grace_minutes) / DAY)
    percent = min(policy.percent_per_day * days, policy.most_percent)
    capped = percent < policy.percent_per_day * days
    return (
        f"Handed in on {time_text(when)}, due on {time_text(due)}: {days} day{'s' * (days > 1)} begun"
        f", {points_text(policy.percent_per_day)} % of {points_text(points)} points each"
        f"{f', {points_text(percent)} % at most' if capped else ''}."
    )
