"""Times: with a zone always, UTC in what is written, and in nbgrader's words where it reads them."""

import re
from datetime import UTC, datetime, timedelta, timezone, tzinfo
from zoneinfo import ZoneInfo

TIME = re.compile(
    r"(?P<day>\d{4}-\d\d-\d\d)[ T](?P<hour>\d\d)[:_-](?P<minute>\d\d)[:_-](?P<second>\d\d)"
    r"(?:[.,](?P<fraction>\d+))?"
    r" ?(?P<zone>[+-]\d\d:?\d\d|[A-Za-z][A-Za-z/_+-]{0,40})?"
)


def parse_time(text: str) -> datetime | None:
    """Return what nbgrader and Gradescope write, in UTC if no zone is named; None if it is no time."""
    found = TIME.fullmatch(text.strip())
    if not found:
        return None
    fraction = (found["fraction"] or "0")[:6].ljust(6, "0")
    words = f"{found['day']} {found['hour']}:{found['minute']}:{found['second']}.{fraction}"
    try:
        return datetime.strptime(words, "%Y-%m-%d %H:%M:%S.%f").replace(
            tzinfo=_zone(found["zone"] or "UTC")
        )
    except (ValueError, OSError, KeyError):  # no such day, or no such zone
        return None


def _zone(name: str) -> tzinfo:
    """Raises `ValueError`, `OSError`, `KeyError` for a zone that is not known here."""
    if name in ("Z", "UTC", "GMT"):
        return UTC
    if name[0] not in "+-":
        return ZoneInfo(name)
    digits = name[1:].replace(":", "")
    offset = timedelta(hours=int(digits[:2]), minutes=int(digits[2:]))
    return timezone(-offset if name[0] == "-" else offset)


def to_utc(when: datetime, zone: tzinfo | None) -> datetime:
    """Return a time in UTC; one without a zone is one of `zone`, None for this machine's."""
    try:
        there = when if when.tzinfo or zone is None else when.replace(tzinfo=zone)
        return there.astimezone(UTC)
    except (OverflowError, ValueError, OSError):
        return when.replace(tzinfo=UTC)


def timestamp_text(when: datetime) -> str:
    """Return a time as nbgrader reads it in timestamp.txt."""
    return when.astimezone(UTC).strftime("%Y-%m-%d %H:%M:%S UTC")


def folder_name(when: datetime) -> str:
    """Return a time as the start of a folder's name; such names sort by time."""
    return when.astimezone(UTC).strftime("%Y%m%dT%H%M%SZ")
