"""Records for tests: people as `collect` would have recorded them, and what it has recorded."""

import json
import secrets
from collections.abc import Iterable, Sequence
from datetime import datetime
from pathlib import Path

from sqlalchemy import select

from autograder.classroom.newest_files import ReceivedFile
from autograder.classroom.records import open_records
from autograder.classroom.records.received import (
    CollectRun,
    CoursePerson,
    GroupMember,
    Owner,
    Placement,
    RosterRow,
    Sighting,
    Submission,
    Unmatched,
    store_file,
)
from autograder.classroom.roster import Person, roster_cells


def plant_people(submitted: Path, assignment: str, people: Iterable[Person]) -> None:
    """Record these as the students who submitted an assignment."""
    with open_records(submitted, write=True) as records:
        for row in records.scalars(
            select(CoursePerson).where(CoursePerson.assignment == assignment)
        ):
            records.delete(row)
        records.flush()
        for person in people:
            records.add(CoursePerson(assignment, *roster_cells(person)))


def plant_roster(
    submitted: Path, assignment: str, people: Iterable[Person], groups: Sequence[str] = ()
) -> None:
    """Record a roster that staff named when they collected an assignment."""
    with open_records(submitted, write=True) as records:
        run = CollectRun(assignment, datetime(2026, 11, 20), "staff", "collect")
        records.add(run)
        records.flush()
        for number, person in enumerate(people):
            group = groups[number] if groups else ""
            records.add(
                RosterRow(
                    run.id, assignment, *roster_cells(person), group, "roster.csv", number + 2
                )
            )


def plant_members(submitted: Path, assignment: str, members: dict[str, str]) -> None:
    """Record the groups of an assignment: names by student."""
    with open_records(submitted, write=True) as records:
        for student, group in members.items():
            records.add(GroupMember(assignment, group, student, group))


def plant_unmatched(submitted: Path, assignment: str, person: Person, reason: str) -> None:
    """Record a submission of somebody that is unmatched."""
    plant_submission(submitted, assignment, person, reason=reason)


def plant_submission(
    submitted: Path,
    assignment: str,
    person: Person,
    data: bytes = b"",
    owner: str = "",
    sender: str = "",
    when: datetime | None = None,
    reason: str = "",
) -> int:
    """Record a submission of a person, and return its id: it is its owner's newest, or without an
    owner unmatched for a reason, if there is one. Without data it has no file.
    """
    with open_records(submitted, write=True) as records:
        run = CollectRun(assignment, datetime(2026, 11, 20), "staff", "collect download.zip")
        records.add(run)
        records.flush()
        label = f"{person.name}_{person.number}" if person.number else f"of {person.name}"
        path, hash = f"{label}/{assignment}.ipynb", store_file(records, data) if data else ""
        part = {"path": path, "name": f"{assignment}.ipynb", "sha256": hash}
        submission = Submission(
            run.id, assignment, secrets.token_hex(16), person.platform, person.number,
            person.name, person.email, person.login, person.id_number, person.student, label=label,
            download="download.zip", files=json.dumps([part] * bool(data)), notebook=hash,
            notebooks=json.dumps([path]), notebook_file=path if data else "",
        )  # fmt: skip
        records.add(submission)
        records.flush()
        at = when.isoformat() if when else ""
        records.add(Sighting(run.id, assignment, submission.id, at, "the zip"))
        if owner:
            records.add(Owner(submission.id, owner, assignment, when, sender))
            placed = Placement(assignment, owner, submission.id, hash, sender, when, "the zip")
            records.merge(placed)
        elif reason:
            records.add(Unmatched(submission.id, assignment, reason))
        return submission.id


def recorded_rows(submitted: Path, kind: type) -> list:
    """All rows of one table of the records."""
    with open_records(submitted) as records:
        return [*records.scalars(select(kind))]


def plant_received(
    submitted: Path, assignment: str, platform: str, files: dict[str, ReceivedFile]
) -> None:
    """Record these as the files that were received from a platform, by student."""
    with open_records(submitted, write=True) as records:
        run = CollectRun(assignment, datetime(2026, 11, 20), "staff", "collect")
        records.add(run)
        records.flush()
        for student, file in files.items():
            submission = Submission(
                run.id, assignment, secrets.token_hex(8), platform, file.number, team=file.team,
                team_number=file.team_number, platform_number=file.submission,
                notebook_file=file.path, upload=file.upload,
            )  # fmt: skip
            records.add(submission)
            records.flush()
            records.add(Owner(submission.id, student, assignment))


def receipts(submitted: Path, assignment: str, student: str = "*") -> list[dict]:
    """What is recorded of a student's submissions, or of all, in the order in which they came."""
    with open_records(submitted) as records:
        rows = records.execute(
            select(Owner, Submission)
            .join(Submission, Owner.submission_id == Submission.id)
            .where(Owner.assignment == assignment)
            .order_by(Submission.id)
        ).all()
        found = []
        for owner, submission in rows:
            seen = records.scalars(
                select(Sighting).where(Sighting.submission_id == submission.id)
            ).all()[-1]
            found.append(
                {
                    "student": owner.student,
                    "sender": owner.sender,
                    "submitted_at": owner.submitted_at,
                    "time_from": seen.source,
                    "late": seen.is_late,
                    **{
                        name: getattr(submission, name)
                        for name in ("platform", "number", "name", "email", "upload", "label")
                    },
                }
            )
    return [row for row in found if student in ("*", row["student"])]


def everything_received(submitted: Path) -> set[bytes]:
    """The contents of all stored files."""
    from autograder.classroom.records.received import StoredFile, read_file

    with open_records(submitted) as records:
        return {read_file(records, sha256) for sha256 in records.scalars(select(StoredFile.sha256))}
