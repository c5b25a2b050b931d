"""Parse, convert and format times; they are stored in UTC, as nbgrader writes them."""

import contextlib
from datetime import UTC, datetime, timedelta, timezone, tzinfo
from zoneinfo import ZoneInfo

from autograder.engine.texts.patterns import Pattern

JOINED = str.maketrans("", "", "- :")
TIME = Pattern(
    r"(?P<day>\d{4}-\d\d-\d\d)[ T](?P<hour>\d\d)[:_-](?P<minute>\d\d)"
    r"(?:[:_-](?P<second>\d\d)(?:[.,](?P<fraction>\d+))?)?"
    r" ?(?P<zone>[+-]\d\d:?\d\d|[A-Za-z][A-Za-z/_+-]{0,40})?"
)


def parse_time(text: str, local: tzinfo = UTC) -> datetime | None:
    """Parse a time as nbgrader and Gradescope write it; without a zone it is read as UTC. Return
    None if the text is no such time.

    `local`: the zone whose own names of its times are known, such as CEST, as `time_text` writes them.
    """
    found = TIME.fullmatch(text.strip())
    if not found:
        return None
    fraction = (found["fraction"] or "0")[:6].ljust(6, "0")
    words = f"{found['day']} {found['hour']}:{found['minute']}:{found['second'] or '00'}.{fraction}"
    name = found["zone"] or "UTC"
    try:
        when = datetime.strptime(words, "%Y-%m-%d %H:%M:%S.%f")
        for fold in (0, 1):  # only the name tells which, in the hour that occurs twice
            there = when.replace(tzinfo=local, fold=fold)
            if there.tzname() == name:
                return there
        return when.replace(tzinfo=_zone(name))
    except (ValueError, OSError, KeyError):  # no such day, or no such zone
        return None


def _zone(name: str) -> tzinfo:
    """Return the time zone with this name (`Europe/Berlin`) or offset (`+01:00`).

    Raises `ValueError`, `OSError` or `KeyError` if there is no such zone.
    """
    if name in ("Z", "UTC", "GMT"):
        return UTC
    if name[0] not in "+-":
        return ZoneInfo(name)
    digits = name[1:].replace(":", "")
    offset = timedelta(hours=int(digits[:2]), minutes=int(digits[2:]))
    return timezone(-offset if name[0] == "-" else offset)


def to_utc(when: datetime, zone: tzinfo | None) -> datetime:
    """Convert a time to UTC. A time without a zone is read in `zone`, or in this machine's zone if
    `zone` is None.

    If the conversion is impossible, such as in the year 1, the time is returned unchanged but
    marked as UTC.
    """
    try:
        there = when if when.tzinfo or zone is None else when.replace(tzinfo=zone)
        return there.astimezone(UTC)
    except (OverflowError, ValueError, OSError):
        return when.replace(tzinfo=UTC)


def timestamp_text(when: datetime, precision: str = "seconds") -> str:
    """Format a time as in nbgrader's `timestamp.txt`, in UTC. A time without a zone is read as UTC.

    `precision`: the smallest unit shown, as in `datetime.isoformat`.
    """
    return to_utc(when, UTC).replace(tzinfo=None).isoformat(" ", precision) + " UTC"


def time_text(when: datetime, zone: tzinfo = UTC) -> str:
    """Format a time for people, in the given zone: `2026-11-30 18:00 CET`. A time without a zone is
    read as UTC.
    """
    there = in_zone(when, zone)
    return f"{there:%Y-%m-%d %H:%M} {there.tzname()}"


def in_zone(when: datetime, zone: tzinfo) -> datetime:
    """Return the same time in this zone, or in UTC if it has no such time, as at the calendar's
    end. A time without a zone is read as UTC.
    """
    there = to_utc(when, UTC)
    with contextlib.suppress(OverflowError, ValueError):
        there = there.astimezone(zone)
    return there


def folder_name(when: datetime) -> str:
    """Format a time in UTC for the beginning of a folder's name: `20261130T170000Z`. Such names
    sort by time.
    """
    return timestamp_text(when).removesuffix(" UTC").replace(" ", "T").translate(JOINED) + "Z"
