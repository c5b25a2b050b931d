"""Decide when a submission was handed in, and tell the user of `collect` about doubtful times.

A time comes from a platform's metadata, from a file name that the platform wrote, or from the zips
of Moodle and ILIAS. A file's time of modification is used only with `--file-times`, because
copying, unpacking and cloning change it.
"""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime, timedelta, tzinfo
from pathlib import Path
from zoneinfo import ZoneInfo

from autograder.platforms import moodle
from autograder.platforms.download import MODIFICATION_TIME, File
from autograder.platforms.exchange import UNREAD_TIME
from autograder.platforms.platform import HandedIn
from autograder.platforms.sheet import final_number
from autograder.text.times import time_text, to_utc
from autograder.text.wording import name_some

HERE = "on this machine"
NO_FILE_TIME = "nobody: a file's own time is not taken"
PACKED = "nobody: the times in the zip are those of its packing"
SAME_TIME = timedelta(hours=1)  # what a server packs at once
FEW = 3  # students; fewer may have handed in at the same time
DOWNLOAD_ENDS = timedelta(minutes=2)  # after its last file was packed
ZONES = timedelta(minutes=30), timedelta(hours=14, minutes=30)  # steps, and how far apart at most
CLOCKS = timedelta(minutes=5)  # by which two clocks may differ


@dataclass(frozen=True)
class HandInTime:
    """When one submission was handed in (`when`, None if unknown), what says so, the time in the
    download's own words, why the time may be wrong, and whether it is in the future.
    """

    when: datetime | None  # in UTC
    time_from: str
    clock: str | None = None  # the download's own words, where they name no zone or are not taken
    doubt: str = ""  # why the time may be wrong
    is_to_come: bool = False  # so that it must be wrong


@dataclass(frozen=True)
class TimeRules:
    """The user's options on times, and the times from Moodle's grading worksheet."""

    zone: str = ""  # of times without one; "": this machine's
    file_times: bool = False  # a file's own time is that of handing in
    # by number, Moodle's: when something was handed in, and an address
    worksheet: Mapping[str, tuple[datetime | None, str]] = field(default_factory=dict)

    def said_of(self, handed_in: HandedIn) -> HandedIn:
        """Return the submission with the user's options on times, and with the time and e-mail that
        Moodle's worksheet has for its participant, if any. An option that is not given does not
        change what an earlier run recorded.
        """
        person = handed_in.person
        number = final_number(person.number) if person.platform == moodle.PLATFORM else ""
        when, email = self.worksheet.get(number, (None, ""))
        if when:
            handed_in = replace(handed_in, submitted_at=when, time_from="Moodle's worksheet")
        return replace(
            handed_in,
            person=replace(person, email=person.email or email),
            zone=self.zone or handed_in.zone,
            file_times=self.file_times or handed_in.file_times,
        )


def time_handed_in(handed_in: HandedIn, file: File) -> HandInTime:
    """Return when a file of a submission was handed in, and what says so.

    It is the first of these that is known: the time that the platform tells, a time in the file's
    name, the file's time in a zip that keeps times of submission; and only if the user said so, the
    file's own time of modification.
    """
    if handed_in.submitted_at:
        return _read(handed_in.submitted_at, handed_in.time_from, handed_in.zone)
    if file.written:
        return _read(file.written, "the file's name", handed_in.zone)
    if handed_in.timeless or file.changed is None:
        return HandInTime(None, handed_in.time_from or "nobody")
    if file.changed_by == MODIFICATION_TIME:  # another one with each copy: no word to keep
        if handed_in.file_times:
            return HandInTime(to_utc(file.changed, UTC), MODIFICATION_TIME)
        return HandInTime(None, NO_FILE_TIME)
    if handed_in.times_in_zip:
        return _read(file.changed, file.changed_by, handed_in.zone)
    clock = file.changed.isoformat(" ")
    if handed_in.file_times:
        return replace(_read(file.changed, file.changed_by, handed_in.zone), clock=clock)
    return HandInTime(None, PACKED if handed_in.time_from == PACKED else NO_FILE_TIME, clock)


def _read(said: datetime, by: str, zone_name: str) -> HandInTime:
    """Convert the time `said` to UTC. A time without a zone is read in the zone `zone_name` ("":
    this machine's). `by`: what says the time, such as the zip.

    A local time that occurs twice, when clocks are set back, is read as the earlier one, so that
    nobody becomes late by it. `doubt` in the result says if a time is ambiguous or does not exist.
    """
    if said.tzinfo:
        when, doubt = to_utc(said, UTC), ""
        clock = None
    else:
        zone = ZoneInfo(zone_name) if zone_name else None
        first, second = (to_utc(said.replace(fold=fold), zone) for fold in (0, 1))
        when = min(first, second)
        doubt = "" if first == second else _of_changed_clocks(said, when.astimezone(zone))
        by, clock = f"{by}, read as {zone or HERE}", said.isoformat(" ")
    return HandInTime(when, by, clock, doubt, is_to_come=when > datetime.now(UTC) + CLOCKS)


def _of_changed_clocks(said: datetime, there: datetime) -> str:
    """Return why the local time `said` is in doubt: it occurred twice, or never, because the clocks
    were changed. `there`: the time for which it was taken, in the same zone.
    """
    if there.replace(tzinfo=None) == said:
        return f"{said:%Y-%m-%d %H:%M} was there twice, and the earlier is taken"
    return f"{said:%Y-%m-%d %H:%M} was never there, because the clocks were changed"


def are_of_packing(times: Sequence[datetime], zip_file: Path, students: int) -> bool:
    """Whether the times in a zip are those at which it was packed, not those of submission.
    `students`: how many students handed in.

    Moodle since 4.1 writes the time of packing for each file. So the answer is yes if all times lie
    within an hour and there are three or more students. For fewer, the last time must also agree
    with that of the zip file, up to a difference in time zones.
    """
    naive = [time.replace(tzinfo=None) for time in times]
    if not naive or max(naive) - min(naive) > SAME_TIME:
        return False
    if students >= FEW:
        return True
    written = datetime.fromtimestamp(zip_file.stat().st_mtime, UTC).replace(tzinfo=None)
    step, most = ZONES
    apart = abs(written - max(naive))
    return apart <= most and min(apart % step, step - apart % step) <= DOWNLOAD_ENDS


@dataclass(frozen=True)
class Placement:
    """The result of placing one submission: for whom, whether it is new, and its time."""

    student: str
    outcome: str  # "new", "newer", "older", "unchanged"
    told: HandInTime
    late: bool  # the platform says so
    time_counts: bool  # of what is graded, this is all that is known of its time
    remark: str

    @property
    def late_without_time(self) -> bool:
        """Whether the platform marks the submission as late, but no time is known of what is graded
        for the student.
        """
        return self.time_counts and self.late and self.told.when is None


def describe_times(placed: Iterable[Placement], zone: tzinfo) -> Iterator[str]:
    """Yield a sentence for each kind of problem with times of submission, with the zones or
    students that it concerns: a time was read in this machine's zone, is unknown, is unknown while
    the platform says late, or is doubtful. `placed`: the results of placing; `zone`: the time zone
    in which times are shown.
    """
    known = [one for one in placed if one.time_counts]

    def of(which: Callable[[Placement], object]) -> list[str]:
        return sorted({one.student for one in known if which(one)})

    if zones := _machine_zones(known):
        yield (
            f"The download names no zone: its times were read in this machine's, {' and '.join(zones)}. "
            "If the platform's server is in another, collect again with --timezone."
        )
    if students := of(lambda one: one.told.time_from == PACKED):
        yield (
            f"The times in the zip are those of its packing, so no time of handing in is known of "
            f"{name_some(students)}: nobody of them is late before late.csv says so. Moodle's grading "
            "worksheet has these times: collect again with --worksheet."
        )
    if students := of(lambda one: one.told.time_from == NO_FILE_TIME):
        yield (
            f"No time of handing in is known of {name_some(students)}: a file's own time is taken "
            "with --file-times only. Nobody of them is late before late.csv says so."
        )
    if students := of(lambda one: one.told.time_from == UNREAD_TIME):
        yield f"What nbgrader's exchange says is no time: {name_some(students)}."
    if students := of(lambda one: one.late_without_time):
        yield (
            f"Late, as the platform says, which does not say when: {name_some(students)}. No penalty "
            "before late.csv has their times: --late-template FILE writes it, to be filled in."
        )
    doubts = {one.student: _doubt(one.told, zone) for one in known}
    for student, doubt in sorted(doubts.items()):
        if doubt:
            yield f"{student}: {doubt}. Is the time zone right?"


def _doubt(told: HandInTime, zone: tzinfo) -> str:
    """Return why the time may be wrong, with times shown in this zone; "" if nothing says so."""
    if told.when and told.is_to_come:
        return f"{time_text(told.when, zone)} is still to come"
    return told.doubt


def _machine_zones(known: list[Placement]) -> list[str]:
    """Return the names of this machine's time zones that were used for times without a zone."""
    clocks = [
        datetime.fromisoformat(one.told.clock)
        for one in known
        if one.told.clock and one.told.when and one.told.time_from.endswith(HERE)
    ]
    local = [clock.astimezone() for clock in clocks if not clock.tzinfo]
    return sorted({f"{time.tzname()} (UTC{time:%z})" for time in local})
