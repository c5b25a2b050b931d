"""Find, export and delete a student's rows in the records of `collect`.

A submission of a group with other members stays. Only the data on its sender are emptied.
"""

import json
from collections import defaultdict
from collections.abc import Iterator
from dataclasses import replace
from datetime import UTC
from pathlib import Path, PurePosixPath
from typing import Any

import msgspec
from sqlalchemy import select
from sqlalchemy.orm import Session

from autograder.classroom.records.database import open_records, records_url
from autograder.classroom.records.received import (
    DERIVED,
    FACTS,
    Choice,
    CollectRun,
    CoursePerson,
    DeletedSubmission,
    GroupMember,
    Owner,
    Participant,
    RosterRow,
    Sighting,
    StaffTime,
    Submission,
    forget_unused_files,
    read_file,
)
from autograder.desk.student_data.gradebook_rows import vacuum
from autograder.desk.student_data.parts import FilePart
from autograder.desk.student_data.struct_rows import record_parts
from autograder.desk.student_data.subject import Subject
from autograder.platforms.collect.times import BY_HAND, WORKSHEET

SENDER = "number", "name", "email", "login", "id_number", "suggested_id", "label"
MENTIONS = {  # texts of all rows, and their replacement if they name a deleted student
    **dict.fromkeys(("sender", "command", "download", "remark", "trouble"), ""),
    "reason": "It may be of a student who was deleted; collect again.",
}
EXPORTED = RosterRow, CoursePerson, GroupMember, Participant, Submission, Sighting
NOT_EXPORTED = "run_id", "key", "placed_as"
FOR_STAFF = "given_marks", "exports"  # tables that are not exported
AS_SHOWN = "inquiries"  # exported as the student sees it
OF_SENDER = *SENDER, "files", "notebooks", "notebook_file", "download", "remark", "trouble"


class StudentRows:
    """The rows of a student in an open session on the records.

    `own`: rows of this student alone, submissions last. `sent`: ids of the submissions that the
    student sent. `others`: all other rows.
    """

    def __init__(self, records: Session, subject: Subject):
        records.autoflush = False  # finding and exporting must not change the database
        self.subject = replace(subject, with_mates=False)
        kinds: tuple[type[Any], ...] = CollectRun, StaffTime, *DERIVED, *FACTS
        rows: list[Any] = [row for kind in kinds for row in records.scalars(select(kind))]
        for row in rows:
            if isinstance(row, Choice) and row.student == subject.student:
                row.student = next(iter(subject.shared(row.assignment)), row.student)
        self._owners = defaultdict[int, list[Owner]](list)
        for row in rows:
            if isinstance(row, Owner):
                self._owners[row.submission_id].append(row)
        submissions = [row for row in rows if isinstance(row, Submission)]
        self.sent = {row.id for row in submissions if self._is_sent(row)}
        alone = {row.id for row in submissions if self._is_alone(row)}
        own_ids = {
            id(row) for row in rows if _submission_of(row) in alone or self._is_students(row)
        }
        self.own = [row for row in rows if id(row) in own_ids]
        self.others = [row for row in rows if id(row) not in own_ids]

    def _is_sent(self, submission: Submission) -> bool:
        senders = [owner.sender for owner in self._owners[submission.id]]
        return self.subject.student in senders or self.subject.sent(submission)

    def _is_alone(self, submission: Submission) -> bool:
        """Whether a submission is this student's alone, by its owners, else by its sender."""
        owners = self._owners[submission.id]
        if owners or submission.team:  # a team's members may be unknown
            return bool(owners) and all(map(self._is_students, owners))
        return submission.id in self.sent

    def _is_students(self, row: Any) -> bool:
        if isinstance(row, Participant):
            return self.subject.sent(row)
        return getattr(row, "student", "") in self.subject.ids(row.assignment)

    def is_named_in(self, row: Any) -> bool:
        """Whether any text of a row names the student."""
        texts = (text for text in vars(row).values() if isinstance(text, str))
        return self.subject.is_named_in(" | ".join(texts))

    def empty_sender(self) -> None:
        """Empty texts that name the student in other rows. Owner and time of a submission stay."""
        for row in self.others:
            for name, text in MENTIONS.items() if self.is_named_in(row) else ():
                if self.subject.is_named_in(getattr(row, name, "")):
                    setattr(row, name, text)
            if _submission_of(row) not in self.sent:
                continue
            if isinstance(row, Choice):
                row.notebook_file = ""
            elif isinstance(row, Sighting):
                row.name = ""
                self._keep_time(row)
            elif isinstance(row, Submission):
                other_owners = [
                    owner.student for owner in self._owners[row.id] if not self._is_students(owner)
                ]
                row.placed_as = next(iter(other_owners), "")
                _empty_paths(row)
                for name in SENDER:
                    setattr(row, name, BY_HAND if getattr(row, name) == BY_HAND else "")

    def _keep_time(self, sighting: Sighting) -> None:
        """Keep the time from the student's row in a worksheet of the same run, which is deleted."""
        rows = [row for row in self.own if isinstance(row, Participant) and row.submitted_at]
        owner = next(iter(self._owners[sighting.submission_id]), None)
        if owner and owner.submitted_at and sighting.run_id in [row.run_id for row in rows]:
            sighting.submitted_at = owner.submitted_at.replace(tzinfo=UTC).isoformat()
            sighting.source = WORKSHEET


def _submission_of(row: Any) -> int:
    return row.id if isinstance(row, Submission) else getattr(row, "submission_id", 0)


def _empty_paths(submission: Submission) -> None:
    """Number the files of a submission instead of their paths, which name the sender."""
    files, names = json.loads(submission.files), {}
    for number, file in enumerate(files, 1):
        names[file["path"]] = f"{number}{PurePosixPath(file['name']).suffix}"
        file["path"] = file["name"] = names[file["path"]]
    submission.files, submission.notebook_file = json.dumps(files), ""
    paths = json.loads(submission.notebooks)
    submission.notebooks = json.dumps([names.get(path, "") for path in paths])


def find_in_records(submitted: Path, subject: Subject) -> tuple[FilePart | None, bool]:
    """Return the records' part of a student, None for nothing, and whether the rest would name the
    student. Raises `AutograderError` if the records cannot be used.
    """
    with open_records(submitted) as records:
        rows = StudentRows(records, subject)
        rows.empty_sender()
        is_named = any(map(rows.is_named_in, rows.others))
        has_id = any(getattr(row, "student", "") == subject.student for row in rows.own)
        is_found = bool(rows.own or records.dirty)
        for part in record_parts(records, rows.subject):
            is_found |= part.rest != {}
            is_named |= part.names(subject)
            has_id |= part.row.get("student") == subject.student
        return FilePart(has_id=has_id) if is_found else None, is_named


def delete_from_records(submitted: Path, subject: Subject) -> None:
    """Delete a student's records in one transaction, also from free pages. Collecting the same
    download does not bring them back. Raises `AutograderError` if the records cannot be used.
    """
    with open_records(submitted, write=True) as records:
        rows = StudentRows(records, subject)
        rows.empty_sender()
        hashes = set[str]()
        for row in rows.own:
            hashes |= row.hashes if isinstance(row, Submission) else {getattr(row, "notebook", "")}
            if isinstance(row, Submission):
                records.flush()  # delete rows that refer to it first
                records.merge(DeletedSubmission(row.key))
            records.delete(row)
        for part in record_parts(records, rows.subject):
            part.remove(records)
        forget_unused_files(records, hashes - {getattr(row, "notebook", "") for row in rows.others})
    vacuum(records_url(submitted))


def exported_records(submitted: Path, subject: Subject) -> Iterator[tuple[str, bytes]]:
    """Yield the path and the content of each file received from a student, and of a table of the
    student's rows. Other rows lose their names. Raises `AutograderError` if the records cannot be
    used.
    """
    with open_records(submitted) as records:
        rows = StudentRows(records, subject)
        tables = defaultdict[str, list[dict[str, Any]]](list)
        for row in (*rows.own, *(row for row in rows.others if _submission_of(row) in rows.sent)):
            hidden: tuple[str, ...] = NOT_EXPORTED
            if isinstance(row, Submission):
                for number, file in enumerate(json.loads(row.files), 1):
                    name = f"{row.id}-{number}{PurePosixPath(file['name']).suffix}"
                    yield f"received/{row.assignment}/{name}", read_file(records, file["sha256"])
                hidden += () if row.id in rows.sent else OF_SENDER
            if isinstance(row, EXPORTED):
                columns = sorted({*row.__mapper__.column_attrs.keys()} - {*hidden})
                tables[row.__tablename__].append({name: getattr(row, name) for name in columns})
        for part in record_parts(records, rows.subject):
            is_theirs = part.rest is None and part.row["student"] == subject.student
            if is_theirs and part.table.name not in (*FOR_STAFF, AS_SHOWN):
                tables[part.table.name].append(part.row)
        yield "received/records.json", msgspec.json.format(msgspec.json.encode(tables))
