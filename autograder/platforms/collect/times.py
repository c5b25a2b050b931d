"""When a submission was submitted: the best source counts, in whichever run it came.

A grading worksheet knows better than the platform's download, and that better than the time of a
stored file. A file's own time of modification is used only with `--file-times`, because copying,
unpacking and cloning change it.
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta, tzinfo
from zoneinfo import ZoneInfo

from autograder.classroom.records.received import Participant, Sighting
from autograder.platforms.download import MODIFICATION_TIME, File
from autograder.platforms.platform import HandedIn
from autograder.text.times import to_utc

WORKSHEET = "Moodle's grading worksheet"
ZIP = "the zip"
BY_HAND = "put there by hand"
CLOCKS = timedelta(minutes=5)  # by which two clocks may differ
RANKS = {BY_HAND: -1, MODIFICATION_TIME: 0, ZIP: 1, WORKSHEET: 3}  # everything else: 2


@dataclass(frozen=True)
class SubmissionTime:
    """When something was submitted (UTC, None if unknown), what says so, and why it may be wrong."""

    when: datetime | None = None
    source: str = ""
    doubt: str = ""
    changed: datetime | None = None  # only says what came later, as of a file put there by hand
    is_to_come: bool = False  # so it must be wrong
    zone: str = ""  # in which it was read, where the source names none
    is_told: bool = False  # staff named that zone


@dataclass(frozen=True)
class WrittenTime:
    """A time as a source writes it: without a zone, where it names none."""

    written: datetime
    source: str
    zone: str = ""  # of `--timezone`
    run: int = 0

    def read(self, course_zone: tzinfo) -> SubmissionTime:
        """Convert the time to UTC. A time without a zone is read in `zone`, else in the course's.

        A local time that occurs twice, when clocks are set back, is read as the earlier one, so that
        nobody becomes late by it.
        """
        zone: tzinfo | None = None
        if self.written.tzinfo:
            when, doubt = to_utc(self.written, UTC), ""
        else:
            zone = ZoneInfo(self.zone) if self.zone else course_zone
            first, second = (to_utc(self.written.replace(fold=fold), zone) for fold in (0, 1))
            when = min(first, second)
            doubt = "" if first == second else _doubt(self.written, when.astimezone(zone))
        is_to_come = when > datetime.now(UTC) + CLOCKS
        read_in = str(zone) if zone else ""
        return SubmissionTime(
            when, self.source, doubt, None, is_to_come, read_in, is_told=bool(self.zone)
        )


def _doubt(written: datetime, there: datetime) -> str:
    if there.replace(tzinfo=None) == written:
        return f"{written:%Y-%m-%d %H:%M} was there twice, and the earlier is taken"
    return f"{written:%Y-%m-%d %H:%M} was never there, because the clocks were changed"


def time_in_download(submission: HandedIn, file: File, file_times: bool) -> tuple[str, str]:
    """Return the time that a download gives a submission, in ISO form, and what says so; "" and the
    reason if it gives none.

    `file`: the notebook; `file_times`: a file's own time of modification may be taken.
    """
    if submission.submitted_at:
        return submission.submitted_at.isoformat(), submission.time_from
    if file.changed is None or (submission.timeless and not file_times):
        return "", submission.time_from
    by_zip = file.changed_by == ZIP and submission.times_in_zip
    if by_zip or file_times:
        return file.changed.isoformat(), ZIP if by_zip else MODIFICATION_TIME
    return "", submission.time_from


def best_time(
    sightings: Sequence[Sighting], rows: Iterable[Participant], course_zone: tzinfo
) -> SubmissionTime:
    """Return when a submission was submitted, by the best source.

    `sightings`: those of the submission; `rows`: its sender's rows in the worksheets of the same
    runs. Of one time that was read in several zones, a zone that was named counts before the
    course's, and a later one before an earlier.
    """
    written = [
        WrittenTime(datetime.fromisoformat(seen.submitted_at), seen.source, seen.zone, seen.run_id)
        for seen in sightings
        if seen.submitted_at
    ]
    written += [
        WrittenTime(row.submitted_at, WORKSHEET, row.zone, row.run_id)
        for row in rows
        if row.submitted_at
    ]
    if not written:
        reasons = [seen.source for seen in sightings if seen.source]
        return SubmissionTime(source=(reasons or [""])[-1])
    if all(time.source == BY_HAND for time in written):
        return SubmissionTime(source=BY_HAND, changed=max(time.written for time in written))
    rank = max(RANKS.get(time.source, 2) for time in written)
    best: dict[datetime, WrittenTime] = {}
    for time in sorted(written, key=lambda time: (bool(time.zone), time.run)):
        if RANKS.get(time.source, 2) == rank:
            best[time.written] = time
    read = [time.read(course_zone) for time in best.values()]
    choose = min if rank == 0 else max  # copying makes a file's own time later
    return choose(read, key=lambda time: time.when or datetime.max.replace(tzinfo=UTC))
