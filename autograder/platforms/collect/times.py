"""When a submission was submitted: the best source counts, in whichever run it came.

A grading worksheet knows better than the platform's download, and that better than the time of a
stored file. A file's own time of modification is used only with `--file-times`, because copying,
unpacking and cloning change it.
"""

from collections.abc import Iterable
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta, tzinfo
from zoneinfo import ZoneInfo

from autograder.classroom.records.received import Participant, Sighting
from autograder.engine import texts
from autograder.platforms.download import MODIFICATION_TIME, ZIP, File
from autograder.platforms.platform import HandedIn

WORKSHEET = "Moodle's grading worksheet"
BY_HAND = "put there by hand"
TOLERANCE = timedelta(minutes=5)  # by which two clocks may differ
RANKS = {BY_HAND: -1, MODIFICATION_TIME: 0, ZIP: 1, WORKSHEET: 3}  # everything else: 2
EARLIEST = datetime.min.replace(tzinfo=UTC)
TWICE = "there twice, and the earlier is taken"
NEVER = "never there, because the clocks were changed"


@dataclass(frozen=True)
class SubmissionTime:
    """When something was submitted (UTC, None if unknown), what says so, and why it may be wrong."""

    when: datetime | None = None
    source: str = ""
    doubt: str = ""
    changed: datetime | None = None  # only says what came later, as of a file put there by hand
    zone: str = ""  # in which it was read, where the source names none
    is_told: bool = False  # staff named that zone
    is_to_come: bool = False  # later than the run that read it
    missed_at: datetime | None = None  # a later run that did not find it where it says it was

    @property
    def is_trusted(self) -> bool:
        """Whether nothing speaks against a time that the sender may have made up."""
        return not self.is_to_come and self.missed_at is None


def read_time(
    written: datetime, zone: str, course_zone: tzinfo, source: str = ""
) -> SubmissionTime:
    """Convert a time as a source writes it to UTC. A time without a zone is read in `zone`, that of
    `--timezone`, else in the course's.

    A local time that occurs twice, when clocks are set back, is read as the earlier one, so that
    nobody becomes late by it.
    """
    if written.tzinfo:
        return SubmissionTime(texts.to_utc(written, UTC), source)
    there = ZoneInfo(zone) if zone else course_zone
    when, later = sorted(texts.to_utc(written.replace(fold=fold), there) for fold in (0, 1))
    doubt = ""
    if when != later:
        is_twice = when.astimezone(there).replace(tzinfo=None) == written
        doubt = f"{written:%Y-%m-%d %H:%M} was {TWICE if is_twice else NEVER}"
    return SubmissionTime(when, source, doubt, None, str(there), is_told=bool(zone))


def time_in_download(submission: HandedIn, file: File | None, file_times: bool) -> tuple[str, str]:
    """Return the time that a download gives a submission, in ISO form, and what says so; "" and the
    reason if it gives none.

    `file`: the notebook, None if nothing was submitted; `file_times`: a file's own time of
    modification may be taken.
    """
    if file and submission.submitted_at:
        return submission.submitted_at.isoformat(), submission.time_from
    if file and file.changed:
        by_zip = file.changed_by == ZIP and submission.times_in_zip
        if file_times or (by_zip and not submission.timeless):
            return file.changed.isoformat(), ZIP if by_zip else MODIFICATION_TIME
    return "", submission.time_from


def best_time(
    sightings: Iterable[Sighting], rows: Iterable[Participant], course_zone: tzinfo
) -> SubmissionTime:
    """Return when a submission was submitted, by the best source.

    `sightings`: those of the submission; `rows`: its sender's rows in the worksheets of the same
    runs, each a sighting with the worksheet's time. Of one time that was read in several zones, a
    zone that was named counts before the course's, and a later one before an earlier.
    """
    in_worksheets = [
        Sighting(row.run_id, row.assignment, 0, row.submitted_at.isoformat(), WORKSHEET, row.zone)
        for row in rows
        if row.submitted_at
    ]
    timed = [seen for seen in (*sightings, *in_worksheets) if seen.submitted_at]
    if not timed:
        reasons = [seen.source for seen in sightings if seen.source]
        return SubmissionTime(source=(reasons or [""])[-1])
    rank = max(RANKS.get(seen.source, 2) for seen in timed)
    best = {
        seen.submitted_at: seen
        for seen in sorted(timed, key=lambda seen: (bool(seen.zone), seen.run_id))
        if RANKS.get(seen.source, 2) == rank
    }
    times = [
        read_time(datetime.fromisoformat(written), seen.zone, course_zone, seen.source)
        for written, seen in best.items()
    ]
    choose = min if rank == RANKS[MODIFICATION_TIME] else max  # copying makes a file's time later
    time = choose(times, key=lambda time: time.when or EARLIEST)
    return SubmissionTime(source=BY_HAND, changed=time.when) if rank == RANKS[BY_HAND] else time
