"""Find all that a course has of one student, and delete it."""

import shutil
from collections.abc import Iterable, Iterator
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import NamedTuple

from autograder.classroom.records.database import RECORDS as RECORDS_FILE
from autograder.desk.student_data.course_files import CourseFile
from autograder.desk.student_data.gradebook_rows import SQLITE, delete_rows, has_rows
from autograder.desk.student_data.parts import FilePart, whole
from autograder.desk.student_data.places import (
    GRADEBOOK,
    LAST,
    PLACES,
    RECORDS,
    TREES,
    Place,
    place_of,
)
from autograder.desk.student_data.record_rows import delete_from_records, find_in_records
from autograder.desk.student_data.subject import Subject
from autograder.engine import files

NAMED = "it names the student"


@dataclass(frozen=True)
class StudentTrace:
    """What a student has in one file (`file`, `part`), in the gradebook at the URL `url`, or else in
    the records.
    """

    place: Place
    file: CourseFile | None = None
    part: FilePart = FilePart()
    url: str = ""


class StudentTraces(NamedTuple):
    """What a course has of a student, in the order in which it is deleted; and why other files have
    to be looked at, by path: they name the student, and no kind of places knows them.
    """

    found: list[StudentTrace]
    left: dict[str, str]


def find_traces(
    root: Path, files: Iterable[CourseFile], gradebook: str | None, subject: Subject
) -> StudentTraces:
    """Return all that a course has of a student; nothing is changed.

    `root`: the course's folder; `files`: those in it; `gradebook`: its URL, None for none. Raises
    `AutograderError` if a table or a database cannot be read.
    """
    found, left, urls = [], {}, {gradebook: GRADEBOOK} if gradebook else {}
    part, is_named = find_in_records(root / "submitted", subject)
    if part:
        found.append(StudentTrace(RECORDS, part=part))
    if is_named:
        left[RECORDS_FILE] = NAMED
    for file in files:
        place = place_of(file.label, subject.ids(file.assignment))
        if place is RECORDS:
            continue
        can_be = place and (file.kind == "file" or place.split is whole)  # a link is nobody's part
        try:
            part = place.split(file, subject) if place and can_be else None
            rest = file.read() if part is None and file.kind == "file" else part and part.rest
        except OSError as error:
            left[file.label] = f"it cannot be read ({error})"
            continue
        if place and part:
            found.append(StudentTrace(place, file, part))
        if place and rest and rest.startswith(SQLITE):
            urls.setdefault(f"sqlite:///{file.path}", place)
        if (rest and subject.is_named_in(rest)) or (not part and subject.is_named_in(file.label)):
            left[file.label] = NAMED
    for url, place in urls.items():
        is_in = has_rows(url, subject.student)
        again = [label for label in left if url.endswith(f"/{label}")]  # in its free pages
        if again or is_in:
            found.append(StudentTrace(place, part=FilePart(has_id=is_in), url=url))
            left = {one: why for one, why in left.items() if one not in again}
    found.sort(key=lambda one: (not one.place.again, one.place in LAST, PLACES.index(one.place)))
    return StudentTraces(found, left)


def delete_traces(root: Path, traces: StudentTraces, subject: Subject) -> Iterator[StudentTrace]:
    """Delete what was found, and yield each trace once it is gone. It may be stopped at any time,
    and done again from the start. Raises `AutograderError` or `OSError` if something cannot be deleted.

    `root`: the course's folder.
    """
    for top in TREES:
        _delete_folder(root / top, subject.student)
        for assignment in subject.groups:
            for group in subject.ids(assignment)[1:]:
                _delete_folder(root / top, group, assignment)
    for trace in traces.found:
        if trace.url:
            delete_rows(trace.url, subject.student)
        elif trace.file is None:
            delete_from_records(root / "submitted", subject)
        elif trace.part.rest is None:
            trace.file.path.unlink(missing_ok=True)
        else:
            with files.replacing_bytes(trace.file.path) as file:
                file.write(trace.part.rest or b"")
        yield trace


def _delete_folder(top: Path, *parts: str) -> None:
    """Delete a folder below `top`, if it is there and no link leads to it, and the folder around it
    if that is empty then.
    """
    folder = top.joinpath(*parts)
    with suppress(OSError):
        if files.kind_of(folder, top) == "folder":
            shutil.rmtree(folder, ignore_errors=True)
            folder.parent.rmdir()
