"""Parse, convert and format times, which are stored in UTC as nbgrader writes them."""

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
    """Parse a time as nbgrader and Gradescope write it, in UTC unless it names a zone.

    `local`: the zone with names such as CEST, as `time_text` writes them. Return None for any other
    text.
    """
    match = TIME.fullmatch(text.strip())
    if not match:
        return None
    fraction = (match["fraction"] or "0")[:6].ljust(6, "0")
    words = f"{match['day']} {match['hour']}:{match['minute']}:{match['second'] or '00'}.{fraction}"
    name = match["zone"] or "UTC"
    try:
        naive = datetime.strptime(words, "%Y-%m-%d %H:%M:%S.%f")
        for fold in (0, 1):  # in the hour that occurs twice, only the zone's name decides
            local_time = naive.replace(tzinfo=local, fold=fold)
            if local_time.tzname() == name:
                return local_time
        return naive.replace(tzinfo=_zone(name))
    except (ValueError, OSError, KeyError):  # no such day, or no such zone
        return None


def _zone(name: str) -> tzinfo:
    """Return the time zone with this name (`Europe/Berlin`) or offset (`+01:00`).

    Raise `ValueError`, `OSError` or `KeyError` if no such zone exists.
    """
    if name in ("Z", "UTC", "GMT"):
        return UTC
    if name[0] not in "+-":
        return ZoneInfo(name)
    digits = name[1:].replace(":", "")
    offset = timedelta(hours=int(digits[:2]), minutes=int(digits[2:]))
    return timezone(-offset if name[0] == "-" else offset)


def to_utc(time: datetime, zone: tzinfo | None) -> datetime:
    """Convert a time to UTC. A time without a zone is read in `zone`, by default in the machine's.

    If the conversion is impossible, such as in the year 1, the time is returned unchanged but
    marked as UTC.
    """
    try:
        zoned = time if time.tzinfo or zone is None else time.replace(tzinfo=zone)
        return zoned.astimezone(UTC)
    except (OverflowError, ValueError, OSError):
        return time.replace(tzinfo=UTC)


def timestamp_text(time: datetime, precision: str = "seconds") -> str:
    """Format a time as in nbgrader's `timestamp.txt`, in UTC. A time without a zone is read as UTC.

    `precision`: the smallest unit shown, as in `datetime.isoformat`.
    """
    return to_utc(time, UTC).replace(tzinfo=None).isoformat(" ", precision) + " UTC"


def time_text(time: datetime, zone: tzinfo = UTC) -> str:
    """Format a time for people in the given zone: `2026-11-30 18:00 CET`.

    A time without a zone is read as UTC.
    """
    zoned = in_zone(time, zone)
    return f"{zoned:%Y-%m-%d %H:%M} {zoned.tzname()}"


def in_zone(time: datetime, zone: tzinfo) -> datetime:
    """Return the same time in this zone. A time without a zone is read as UTC.

    The result stays in UTC if the zone cannot express it, as at the calendar's end.
    """
    zoned = to_utc(time, UTC)
    with contextlib.suppress(OverflowError, ValueError):
        zoned = zoned.astimezone(zone)
    return zoned


def folder_name(time: datetime) -> str:
    """Format a time in UTC for the beginning of a folder name: `20261130T170000Z`.

    Such names sort by time.
    """
    return timestamp_text(time).removesuffix(" UTC").replace(" ", "T").translate(JOINED) + "Z"
