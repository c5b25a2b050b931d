"""What is said about being late: the calculation, and why a time cannot be right."""

from datetime import datetime, timedelta, tzinfo

from autograder.gradebook.late_policy import HandIn, LatePolicy
from autograder.times import time_text
from autograder.wording import plural

CLOCKS = timedelta(minutes=5)  # by which two clocks may differ
TOO_EARLY = timedelta(days=365)  # before the due date


def calculation(
    hand_in: HandIn, policy: LatePolicy, days: int, used: int, left: int, points: float
) -> str:
    """Return how late it is and what that costs, in one sentence; "" where it is in time.

    Of the `days` begun, late days were `used`; `left` are those left after that.
    """
    submitted, due = hand_in.submitted, hand_in.extended_until or hand_in.due
    if not days or submitted is None or due is None:
        return ""
    was_due = "the extension until" if hand_in.extended_until else "the due date,"
    grace = f" after {policy.grace_minutes:g} minutes of grace" if policy.grace_minutes else ""
    spent = f", {plural(used, 'late day')} used ({left} of {policy.late_days} left)"
    return (
        f"Handed in {time_text(submitted, policy.zone)}, {span_text(submitted - due)} after {was_due} "
        f"{time_text(due, policy.zone)}: {plural(days, 'day')} begun{grace}"
        f"{spent if policy.late_days else ''}, "
        f"{_cost(days - used, points, policy, hand_in.max_points)}."
    )


def doubt(
    hand_in: HandIn, released: datetime | None, now: datetime, zone: tzinfo
) -> tuple[str, bool]:
    """Return why the time of handing in cannot be right, "" if it can, and whether it is to come."""
    when = hand_in.submitted
    if when is None:
        return "", False
    said = f"The time of handing in, {time_text(when, zone)}, "
    if when > now + CLOCKS:
        return f"{said}is still to come: no penalty until the right one is known.", True
    if released and when < released:
        return f"{said}is before the release, {time_text(released, zone)}.", False
    if hand_in.due and when < hand_in.due - TOO_EARLY:
        return f"{said}is more than a year before the due date.", False
    return "", False


def span_text(span: timedelta) -> str:
    """Return a span of time in its two largest units: `1 day 2 hours`."""
    minutes = max(1, int(span.total_seconds() // 60))
    units = {"day": minutes // 1440, "hour": minutes // 60 % 24, "minute": minutes % 60}
    return " ".join([plural(number, unit) for unit, number in units.items() if number][:2])


def _cost(charged: int, points: float, policy: LatePolicy, max_points: float) -> str:
    if not points:
        return "no points less"
    percent = policy.percent_per_day * charged
    capped = f", at most {policy.most_percent:g} %" if percent > policy.most_percent else ""
    return (
        f"{plural(charged, 'day')} at {policy.percent_per_day:g} % of {max_points:g} points{capped}: "
        f"{points:g} {'point' if points == 1 else 'points'} less"
    )
