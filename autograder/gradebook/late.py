"""Late submissions: what they cost, and who may be late.

In `nbgrader_config.py`, for a course where each day costs a tenth, half an hour costs nothing, and more
than half is never taken:

    c.LatePolicy.percent_per_day = 10
    c.LatePolicy.grace_minutes = 30
    c.LatePolicy.most_percent = 50

Who may be late is listed in `extensions.csv` beside it: student, assignment, until. The due date is
nbgrader's (formgrader's list of assignments, or `nbgrader db assignment add ID --duedate=...`).
"""

import csv
import io
import math
from datetime import UTC, datetime, timedelta
from pathlib import Path

from traitlets import Float, Unicode
from traitlets.config import Configurable

from autograder.files import NotRegular, read_named, read_regular
from autograder.times import MAX_TIMESTAMP, TIMESTAMP, parse_time, to_utc

DAY = 86_400  # seconds
MAX_EXTENSIONS = 16 << 20  # bytes of the file of extensions


class TimeError(Exception):
    """A submission's timestamp.txt cannot be read; the message says whose."""


class PolicyError(Exception):
    """The file of extensions cannot be used; the message says which line and why."""


class LatePolicy(Configurable):
    """What a day costs. All times are UTC, without a zone, as nbgrader keeps them."""

    percent_per_day = Float(
        0.0, min=0.0, help="percent of the assignment's points, for each day begun"
    ).tag(config=True)
    most_percent = Float(100.0, min=0.0, max=100.0, help="never takes more than this").tag(
        config=True
    )
    grace_minutes = Float(0.0, min=0.0, help="late by less than this is in time").tag(config=True)
    extensions = Unicode("extensions.csv", help="in the course: student,assignment,until").tag(
        config=True
    )

    def penalty(self, seconds_late: float, max_points: float) -> float | None:
        """Return the points that lateness costs, None where it costs nothing."""
        late = seconds_late - 60 * self.grace_minutes
        if late <= 0 or not self.percent_per_day:
            return None
        percent = min(self.percent_per_day * math.ceil(late / DAY), self.most_percent)
        return round(max_points * percent / 100, 2)

    def granted(self, root: Path, assignment_id: str) -> dict[str, datetime]:
        """Return until when each student in the file of extensions has time. Raises `PolicyError`."""
        path = root / self.extensions
        try:
            text = read_named(path, MAX_EXTENSIONS).decode("utf-8-sig")
            rows = list(csv.DictReader(io.StringIO(text, newline="")))
        except FileNotFoundError:
            return {}
        except (OSError, ValueError, csv.Error) as error:
            raise PolicyError(f"`{path}` cannot be read ({error}).") from error
        granted = {}
        for number, row in enumerate(rows, start=2):
            if (row.get("assignment") or "").strip() == assignment_id:
                granted[(row.get("student") or "").strip()] = _until(
                    row, f"`{path}`, line {number}"
                )
            elif not {"student", "assignment", "until"} <= row.keys():
                raise PolicyError(f"`{path}` needs the columns student, assignment and until.")
        return granted


def extension(duedate: datetime | None, until: datetime | None) -> timedelta | None:
    """Return how much later than the due date that is."""
    if duedate is None or until is None or until <= duedate:
        return None
    return until - duedate


def submitted_at(folder: Path, top: Path) -> datetime | None:
    """Return when a submission was handed in, by nbgrader's `timestamp.txt` in its folder.

    UTC, without a zone; None where there is no such file. No link is followed on the way from the
    folder `top`. Raises `TimeError`, which does not say what is in the file.
    """
    path = folder / TIMESTAMP
    why = "it cannot be read"
    try:
        when = parse_time(read_regular(path, MAX_TIMESTAMP, top).decode(errors="replace"))
    except FileNotFoundError:
        return None
    except OSError as error:
        when = None
        why = str(error) if isinstance(error, NotRegular) else why
    if when is None:
        raise TimeError(f"`{path}` is no time like 2026-11-30 18:00:00 UTC: {why}.")
    return to_utc(when, UTC).replace(tzinfo=None)


def seconds_late(
    submitted: datetime | None, duedate: datetime | None, extended: timedelta | None
) -> float:
    """Return by how many seconds a submission missed its due date, extension included."""
    if submitted is None or duedate is None:
        return 0.0
    return max(0.0, (submitted - duedate - (extended or timedelta())).total_seconds())


def _until(row: dict, where: str) -> datetime:
    text = (row.get("until") or "").strip()
    try:
        until = datetime.fromisoformat(text)
    except ValueError as error:
        raise PolicyError(f"{where}: `{text}` is no time like 2026-11-30 18:00+01:00.") from error
    if len(text) == len("2026-11-30"):
        until += timedelta(days=1)  # to the end of that day
    return until.astimezone(UTC).replace(tzinfo=None) if until.tzinfo else until
