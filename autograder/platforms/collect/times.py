"""Determine when a submission was submitted: the best source counts, in whichever run it was
recorded.

A grading worksheet is better than the platform's download, and the download is better than the time
of a stored file. A file's own modification time is used only with `--file-times`, because copying,
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
    """A time of submission (UTC, None if unknown) with its source, and a reason to doubt it."""

    when: datetime | None = None
    source: str = ""
    doubt: str = ""
    changed: datetime | None = None  # only orders submissions, for example files put there by hand
    zone: str = ""  # zone in which it was read, if the source names none
    is_told: bool = False  # staff named this zone
    is_to_come: bool = False  # later than the run that read it
    missed_at: datetime | None = None  # a run after this time that did not find the submission

    @property
    def is_trusted(self) -> bool:
        """Whether no evidence speaks against the time. Senders can forge some times."""
        return not self.is_to_come and self.missed_at is None


def read_time(
    written: datetime, zone: str, course_zone: tzinfo, source: str = ""
) -> SubmissionTime:
    """Convert a source's time to UTC. Without a zone of its own, it is read in `zone` (of
    `--timezone`), or otherwise in the course's zone. If a local time occurs twice, because clocks
    are set back, the earlier is taken, so that no student becomes late by it.
    """
    if written.tzinfo:
        return SubmissionTime(texts.to_utc(written, UTC), source)
    timezone = ZoneInfo(zone) if zone else course_zone
    time, later = sorted(texts.to_utc(written.replace(fold=fold), timezone) for fold in (0, 1))
    doubt = ""
    if time != later:
        is_twice = time.astimezone(timezone).replace(tzinfo=None) == written
        doubt = f"{written:%Y-%m-%d %H:%M} was {TWICE if is_twice else NEVER}"
    return SubmissionTime(time, source, doubt, None, str(timezone), is_told=bool(zone))


def time_in_download(submission: HandedIn, file: File | None, file_times: bool) -> tuple[str, str]:
    """Return a submission's time in the download, in ISO form (or ""), and its source (or the
    reason).

    `file`: the notebook, None if nothing was submitted. `file_times`: whether a file's own
    modification time may be used.
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
    """Return the time of submission according to the best source.

    `sightings`: those of the submission. `rows`: its sender's rows in the worksheets of the same
    runs, which are sightings with the worksheet's time. If several runs read a time in different
    zones, a named zone takes precedence over the course's, and a later run over an earlier run.
    """
    in_worksheets = [
        Sighting(row.run_id, row.assignment, 0, row.submitted_at.isoformat(), WORKSHEET, row.zone)
        for row in rows
        if row.submitted_at
    ]
    timed_sightings = [
        sighting for sighting in (*sightings, *in_worksheets) if sighting.submitted_at
    ]
    if not timed_sightings:
        reasons = [sighting.source for sighting in sightings if sighting.source]
        return SubmissionTime(source=(reasons or [""])[-1])
    rank = max(RANKS.get(sighting.source, 2) for sighting in timed_sightings)
    best = {
        sighting.submitted_at: sighting
        for sighting in sorted(
            timed_sightings, key=lambda sighting: (bool(sighting.zone), sighting.run_id)
        )
        if RANKS.get(sighting.source, 2) == rank
    }
    times = [
        read_time(datetime.fromisoformat(text), sighting.zone, course_zone, sighting.source)
        for text, sighting in best.items()
    ]
    choose = min if rank == RANKS[MODIFICATION_TIME] else max  # copying makes a file's time later
    time = choose(times, key=lambda time: time.when or EARLIEST)
    return SubmissionTime(source=BY_HAND, changed=time.when) if rank == RANKS[BY_HAND] else time
