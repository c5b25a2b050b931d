"""The tables of `collect`: received submissions of each run, and derived tables.

Each run adds facts. A later run only fills in missing facts on a submission's sender, and its
newest number on the platform. Only `collect --undo` and `student delete` remove facts. The derived
tables (`Placement`, `Unmatched`, `GroupMember`, `CoursePerson`) are computed anew in each run, so
the order of runs does not matter.
"""

import hashlib
import json
import zlib
from collections import defaultdict
from collections.abc import Iterable, Sequence
from datetime import datetime
from pathlib import Path
from typing import Any

from sqlalchemy import (
    ForeignKey,
    LargeBinary,
    Select,
    String,
    Text,
    delete,
    func,
    nulls_first,
    select,
    tuple_,
)
from sqlalchemy.orm import Mapped, Session, mapped_column, relationship

from autograder.classroom.records.database import Record, open_records, read_rows


class CollectRun(Record):
    """A run of `collect`, with time, user and command line. An undone run keeps its row."""

    __tablename__ = "collect_runs"

    id: Mapped[int] = mapped_column(primary_key=True, init=False)
    assignment: Mapped[str] = mapped_column(String(255))
    at: Mapped[datetime]  # UTC
    by: Mapped[str] = mapped_column(Text)
    command: Mapped[str] = mapped_column(Text)
    drafts: Mapped[bool] = mapped_column(default=False)  # drafts of this assignment are graded
    undone_at: Mapped[datetime | None] = mapped_column(default=None)


class Fact(Record):
    """Columns of all facts."""

    __abstract__ = True

    id: Mapped[int] = mapped_column(primary_key=True, init=False)
    run_id: Mapped[int] = mapped_column(ForeignKey(CollectRun.id), index=True)
    assignment: Mapped[str] = mapped_column(String(255), index=True)


class StoredFile(Record):
    """The compressed content of a received file. Equal files are stored once."""

    __tablename__ = "received_files"

    sha256: Mapped[str] = mapped_column(String(64), primary_key=True)
    compressed: Mapped[bytes] = mapped_column(LargeBinary, deferred=True)


class Submission(Fact):
    """A sender's submission in a download. Equal files of a sender are the same submission."""

    __tablename__ = "received_submissions"

    key: Mapped[str] = mapped_column(String(64), unique=True)
    platform: Mapped[str] = mapped_column(Text)
    # the sender on the platform
    number: Mapped[str] = mapped_column(Text, default="")
    name: Mapped[str] = mapped_column(Text, default="")
    email: Mapped[str] = mapped_column(Text, default="")
    login: Mapped[str] = mapped_column(Text, default="")
    id_number: Mapped[str] = mapped_column(Text, default="")
    suggested_id: Mapped[str] = mapped_column(Text, default="")
    section: Mapped[str] = mapped_column(Text, default="")
    team: Mapped[str] = mapped_column(Text, default="")
    team_number: Mapped[str] = mapped_column(Text, default="")
    # in the download
    label: Mapped[str] = mapped_column(Text, default="")
    download: Mapped[str] = mapped_column(Text, default="")
    platform_number: Mapped[str] = mapped_column(Text, default="")  # of this submission
    files: Mapped[str] = mapped_column(Text, default="[]")  # `ReceivedPart`s as JSON
    # paths of possible notebooks, as JSON
    notebooks: Mapped[str] = mapped_column(Text, default="[]")
    # the notebook to grade, or the reason for a missing notebook
    notebook: Mapped[str] = mapped_column(String(64), default="")  # its hash
    notebook_file: Mapped[str] = mapped_column(Text, default="")  # its path in the download
    upload: Mapped[int | None] = mapped_column(default=None)
    remark: Mapped[str] = mapped_column(Text, default="")
    trouble: Mapped[str] = mapped_column(Text, default="")
    placed_as: Mapped[str] = mapped_column(Text, default="")  # by a person, or an earlier version
    sightings: Mapped[list["Sighting"]] = relationship(
        order_by="Sighting.id", viewonly=True, init=False, repr=False, compare=False
    )
    choices: Mapped[list["Choice"]] = relationship(
        order_by="Choice.id", viewonly=True, init=False, repr=False, compare=False
    )

    @property
    def hashes(self) -> set[str]:
        """Hashes of its stored files."""
        return {file["sha256"] for file in json.loads(self.files)} | {self.notebook} - {""}


class Sighting(Fact):
    """A submission in a download of this run, with its time and lateness there."""

    __tablename__ = "received_sightings"

    submission_id: Mapped[int] = mapped_column(ForeignKey(Submission.id), index=True)
    # ISO, without a zone if the download has none
    submitted_at: Mapped[str] = mapped_column(Text, default="")
    source: Mapped[str] = mapped_column(Text, default="")  # origin of the time
    zone: Mapped[str] = mapped_column(Text, default="")  # of `--timezone`
    is_late: Mapped[bool | None] = mapped_column(default=None)
    name: Mapped[str] = mapped_column(Text, default="")  # of its sender in this download


class Participant(Fact):
    """A row of Moodle's grading worksheet. Times have no zone. `zone` is from the command line."""

    __tablename__ = "received_participants"

    number: Mapped[str] = mapped_column(Text)
    name: Mapped[str] = mapped_column(Text, default="")
    email: Mapped[str] = mapped_column(Text, default="")
    login: Mapped[str] = mapped_column(Text, default="")
    id_number: Mapped[str] = mapped_column(Text, default="")
    group: Mapped[str] = mapped_column("group_name", Text, default="")
    status: Mapped[str] = mapped_column(Text, default="")
    submitted_at: Mapped[datetime | None] = mapped_column(default=None)
    extension: Mapped[datetime | None] = mapped_column(default=None)
    due: Mapped[datetime | None] = mapped_column(default=None)
    zone: Mapped[str] = mapped_column(Text, default="")


class RosterRow(Fact):
    """A row of a roster from staff. The newest rows of a student count."""

    __tablename__ = "received_roster_rows"

    student: Mapped[str] = mapped_column(String(64))
    name: Mapped[str] = mapped_column(Text, default="")
    email: Mapped[str] = mapped_column(Text, default="")
    platform: Mapped[str] = mapped_column(Text, default="")
    number: Mapped[str] = mapped_column(Text, default="")
    section: Mapped[str] = mapped_column(Text, default="")
    group: Mapped[str] = mapped_column("group_name", Text, default="")
    table: Mapped[str] = mapped_column("table_name", Text, default="")  # the roster's file name
    line: Mapped[int] = mapped_column(default=0)


class Choice(Fact):
    """The staff's decision on an unmatched submission: a student, a group, or nobody."""

    __tablename__ = "received_choices"

    submission_id: Mapped[int] = mapped_column(ForeignKey(Submission.id), index=True)
    student: Mapped[str] = mapped_column(String(64), default="")  # "": it belongs to nobody
    notebook: Mapped[str] = mapped_column(String(64), default="")
    notebook_file: Mapped[str] = mapped_column(Text, default="")
    remark: Mapped[str] = mapped_column(Text, default="")
    is_alone: Mapped[bool] = mapped_column(default=True)  # no other student shares the submission


class DeletedSubmission(Record):
    """The key of a deleted sender's submission, which no download restores."""

    __tablename__ = "received_deleted"

    key: Mapped[str] = mapped_column(String(64), primary_key=True)


class StaffTime(Record):
    """A submission's time in `late.csv`, which stays after a replacement (`was_replaced`)."""

    __tablename__ = "staff_times"

    assignment: Mapped[str] = mapped_column(String(255), primary_key=True)
    student: Mapped[str] = mapped_column(String(64), primary_key=True)
    file: Mapped[str] = mapped_column(String(64), primary_key=True)  # its hash, else the cells'
    submitted_at: Mapped[datetime]  # UTC
    was_replaced: Mapped[bool] = mapped_column(default=False)


class Placement(Record):
    """The graded submission of a student or a group."""

    __tablename__ = "placements"

    assignment: Mapped[str] = mapped_column(String(255), primary_key=True)
    student: Mapped[str] = mapped_column(String(64), primary_key=True)
    submission_id: Mapped[int] = mapped_column(ForeignKey(Submission.id))
    notebook: Mapped[str] = mapped_column(String(64))
    sender: Mapped[str] = mapped_column(Text, default="")  # the group's member, where known
    submitted_at: Mapped[datetime | None] = mapped_column(default=None)  # UTC
    source: Mapped[str] = mapped_column(Text, default="")
    is_late: Mapped[bool | None] = mapped_column(default=None)


class Owner(Record):
    """The owner of a submission, a student or a group. A shared submission has several rows."""

    __tablename__ = "submission_owners"

    submission_id: Mapped[int] = mapped_column(ForeignKey(Submission.id), primary_key=True)
    student: Mapped[str] = mapped_column(String(64), primary_key=True)
    assignment: Mapped[str] = mapped_column(String(255), index=True)
    submitted_at: Mapped[datetime | None] = mapped_column(default=None)  # UTC
    sender: Mapped[str] = mapped_column(Text, default="")  # the group's member, where known
    team: Mapped[str] = mapped_column(Text, default="")  # its name on the platform
    notebook: Mapped[str] = mapped_column(String(64), default="")  # "" without a notebook to grade


class Unmatched(Record):
    """A submission without an owner or without a notebook to grade, with the reason."""

    __tablename__ = "unmatched"

    submission_id: Mapped[int] = mapped_column(ForeignKey(Submission.id), primary_key=True)
    assignment: Mapped[str] = mapped_column(String(255), index=True)
    reason: Mapped[str] = mapped_column(Text)


class CoursePerson(Record):
    """A student of an assignment, with the platform's facts."""

    __tablename__ = "assignment_people"

    assignment: Mapped[str] = mapped_column(String(255), primary_key=True)
    student: Mapped[str] = mapped_column(String(64), primary_key=True)
    name: Mapped[str] = mapped_column(Text, default="")
    email: Mapped[str] = mapped_column(Text, default="")
    platform: Mapped[str] = mapped_column(Text, default="")
    number: Mapped[str] = mapped_column(Text, default="")
    section: Mapped[str] = mapped_column(Text, default="")
    has_submitted: Mapped[bool] = mapped_column(default=True)
    granted_until: Mapped[datetime | None] = mapped_column(default=None)  # UTC, by the platform


class GroupMember(Record):
    """A member of a group for one assignment, as of the last `collect`."""

    __tablename__ = "group_members"

    assignment: Mapped[str] = mapped_column(String(255), primary_key=True)
    group: Mapped[str] = mapped_column("group_id", String(64), primary_key=True)
    student: Mapped[str] = mapped_column(String(64), primary_key=True)
    name: Mapped[str] = mapped_column(Text, default="")  # the group's


FACTS: tuple[type[Fact], ...] = Choice, RosterRow, Participant, Sighting, Submission
DERIVED: tuple[Any, ...] = Placement, Owner, Unmatched, CoursePerson, GroupMember


def clear_derived(records: Session, assignment: str) -> None:
    """Delete the derived rows of an assignment, to compute them anew."""
    for kind in DERIVED:
        records.execute(delete(kind).where(kind.assignment == assignment))


def store_file(records: Session, data: bytes) -> str:
    """Store the content of a file, unless it is stored already, and return its SHA-256 hash."""
    sha256 = hashlib.sha256(data).hexdigest()
    if records.get(StoredFile, sha256) is None:
        records.add(StoredFile(sha256, zlib.compress(data, 1)))
        records.flush()
    return sha256


def read_file(records: Session, sha256: str) -> bytes:
    """Return the content of a stored file. Raises `NoResultFound` if it is not stored."""
    return zlib.decompress(records.get_one(StoredFile, sha256).compressed)


def forget_unused_files(records: Session, hashes: Iterable[str]) -> None:
    """Delete these files unless a submission refers to them."""
    records.flush()
    uses = select(func.count(Submission.id)).where(Submission.files.contains(StoredFile.sha256))
    unused = delete(StoredFile).where(
        StoredFile.sha256.in_([*hashes]),
        StoredFile.sha256.not_in(select(Submission.notebook)),
        StoredFile.sha256.not_in(select(Choice.notebook)),
        uses.scalar_subquery() == 0,
    )
    records.execute(unused)


def people_of(submitted: Path, assignment: str) -> list[CoursePerson]:
    """Return the students who submitted. Raises `AutograderError` for unusable records."""
    people = select(CoursePerson).where(CoursePerson.assignment == assignment)
    return [person for (person,) in read_rows(submitted, people.where(CoursePerson.has_submitted))]


def expected_of(submitted: Path, assignment: str) -> list[RosterRow] | list[CoursePerson]:
    """Return the rows of rosters, else of the worksheet. Raises `AutograderError`."""
    with_worksheet = CoursePerson.assignment.in_(select(Participant.assignment))
    people = select(CoursePerson).where(CoursePerson.assignment == assignment, with_worksheet)
    with open_records(submitted) as records:
        return roster_rows(records) or [*records.scalars(people)]


def roster_rows(records: Session) -> list[RosterRow]:
    """Return the rows of all rosters, in the order of the newest roster. Older rows on the same
    platform fill in empty cells of newer rows. An address or a number is left out if a newer
    roster gives it to another student. The rows are copies, so changing them records nothing.
    """
    rows: dict[tuple[str, str], list[RosterRow]] = defaultdict(list)  # by student and platform
    holders: dict[tuple[str, str, str], RosterRow] = {}
    query = select(RosterRow).order_by(RosterRow.run_id.desc(), RosterRow.id)
    for row in [*records.scalars(query)]:
        records.expunge(row)
        platform = row.platform.strip().lower()
        for cell, scope in (("email", ""), ("number", platform)):
            key = cell, scope, getattr(row, cell).strip().casefold()
            holder = holders.setdefault(key, row)
            if holder.run_id > row.run_id and holder.student != row.student:
                setattr(row, cell, "")
        newer = rows[row.student, platform]
        if not newer or newer[0].run_id == row.run_id:
            newer.append(row)
            continue
        for newer_row in newer:
            for cell in ("name", "email", "number", "section"):
                setattr(newer_row, cell, getattr(newer_row, cell) or getattr(row, cell))
    return [row for rows_of_student in rows.values() for row in rows_of_student]


def grouped(records: Session) -> tuple[list[RosterRow], list[GroupMember]]:
    """Return rows of the newest roster with groups by student, and recorded group members."""
    with_groups = RosterRow.run_id.in_(select(RosterRow.run_id).where(RosterRow.group != ""))
    newest = select(RosterRow.student, func.max(RosterRow.run_id)).where(with_groups)
    of_newest = tuple_(RosterRow.student, RosterRow.run_id).in_(newest.group_by(RosterRow.student))
    rows = select(RosterRow).where(of_newest).order_by(RosterRow.run_id.desc(), RosterRow.id)
    return [*records.scalars(rows)], [*records.scalars(select(GroupMember))]


def was_collected(submitted: Path, assignment: str) -> bool:
    """Whether `collect` has run for an assignment. Raises `AutograderError` as `people_of` does."""
    runs = select(CollectRun.id).where(CollectRun.assignment == assignment)
    return bool(read_rows(submitted, runs.limit(1)))


def placements_of(submitted: Path, assignment: str) -> dict[str, Placement]:
    """Return the graded submissions by student or group. Raises `AutograderError`."""
    query = select(Placement).where(Placement.assignment == assignment)
    return {row.student: row for (row,) in read_rows(submitted, query)}


def staff_times_of(submitted: Path, assignment: str) -> dict[tuple[str, str], StaffTime]:
    """Return stored times of `late.csv`, by student and file. Raises `AutograderError`."""
    query = select(StaffTime).where(StaffTime.assignment == assignment)
    return {(row.student, row.file): row for (row,) in read_rows(submitted, query)}


def store_staff_times(
    submitted: Path, stored: Iterable[StaffTime], removed: Iterable[StaffTime]
) -> None:
    """Store and remove times of submissions. Raises `AutograderError` as `people_of` does."""
    with open_records(submitted, write=True) as records:
        for row in removed:
            records.delete(records.merge(row))
        for row in stored:
            records.merge(row)


def earlier_notebooks(submitted: Path, assignment: str) -> list[tuple[str, str, datetime | None]]:
    """Return the notebooks of an assignment except the newest: student or group, hash, and time of
    submission (UTC, without a zone). Raises `AutograderError` as `people_of` does.
    """
    is_placed = (
        (Placement.submission_id == Owner.submission_id)
        & (Placement.assignment == Owner.assignment)
        & (Placement.student == Owner.student)
    )
    with open_records(submitted) as records:
        rows = _owned(assignment).outerjoin(Placement, is_placed)
        notebooks = records.execute(rows.where(Placement.student.is_(None)))
        return [(student, notebook, submitted_at) for student, notebook, submitted_at in notebooks]


def notebook_rows(records: Session, assignment: str) -> list[tuple[str, str, datetime | None]]:
    """Return gradable notebooks: student or group, hash, and time (UTC, without a zone)."""
    return [
        (student, notebook, submitted_at)
        for student, notebook, submitted_at in records.execute(_owned(assignment))
    ]


def _owned(assignment: str) -> Select[str, str, datetime | None]:
    rows = select(Owner.student, Owner.notebook, Owner.submitted_at).order_by(Owner.submission_id)
    return rows.where(Owner.assignment == assignment, Owner.notebook != "")


def read_notebook(submitted: Path, sha256: str) -> bytes:
    """Return the content of a received notebook. Raises `AutograderError` as `people_of` does."""
    with open_records(submitted) as records:
        return read_file(records, sha256)


def unmatched_of(submitted: Path, assignment: str) -> Sequence[tuple[str, Submission]]:
    """Return reason and submission of unmatched submissions. Raises `AutograderError`."""
    query = select(Unmatched.reason, Submission).where(Unmatched.assignment == assignment)
    return read_rows(submitted, query.join(Submission, Unmatched.submission_id == Submission.id))


def received_of(
    submitted: Path, assignment: str, student: str
) -> list[tuple[Submission, bytes, datetime | None, bool]]:
    """Return the received submissions of a student or a group, in the order of submission, each
    with its notebook (b"" if missing), its time (UTC), and whether it is graded. Raises
    `AutograderError` as `people_of` does.
    """
    is_graded = (
        (Placement.submission_id == Submission.id)
        & (Placement.assignment == Owner.assignment)
        & (Placement.student == Owner.student)
    )
    owned = (
        select(
            Submission,
            StoredFile.compressed,
            Owner.submitted_at,
            Placement.submission_id.is_not(None),
        )
        .join(Owner, Owner.submission_id == Submission.id)
        .outerjoin(StoredFile, StoredFile.sha256 == Owner.notebook)
        .outerjoin(Placement, is_graded)
        .where(Owner.assignment == assignment, Owner.student == student)
        .order_by(nulls_first(Owner.submitted_at), Submission.id)
    )
    return [
        (submission, zlib.decompress(stored) if stored else b"", submitted_at, counts)
        for submission, stored, submitted_at, counts in read_rows(submitted, owned)
    ]


def granted_until(submitted: Path) -> dict[tuple[str, str], datetime]:
    """Return deadlines granted by a platform (UTC, without a zone), by student and assignment:
    extensions and individual due dates. Raises `AutograderError` as `people_of` does.
    """
    columns = CoursePerson.student, CoursePerson.assignment, CoursePerson.granted_until
    query = select(*columns).where(CoursePerson.granted_until.is_not(None))
    return {(student, id): until for student, id, until in read_rows(submitted, query)}
