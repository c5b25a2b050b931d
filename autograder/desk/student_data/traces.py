"""Find and delete all data on a student in a course."""

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
    """A student's data in a file, in the gradebook at `url`, or else in the records."""

    place: Place
    file: CourseFile | None = None
    part: FilePart = FilePart()
    url: str = ""


class StudentTraces(NamedTuple):
    """All data on a student, in the order of deletion."""

    found: list[StudentTrace]
    left: dict[str, str]  # other files that may name the student: reason by path


def find_traces(
    root: Path, files: Iterable[CourseFile], gradebook: str | None, subject: Subject
) -> StudentTraces:
    """Return all data on a student in a course, without changing it. `root`: the course's folder.
    `files`: those in it. `gradebook`: its URL. Raises `AutograderError` if a table or a database
    cannot be read.
    """
    traces, unclear, urls = [], {}, {gradebook: GRADEBOOK} if gradebook else {}
    part, is_named = find_in_records(root / "submitted", subject)
    if part:
        traces.append(StudentTrace(RECORDS, part=part))
    if is_named:
        unclear[RECORDS_FILE] = NAMED
    for file in files:
        place = place_of(file.label, subject.ids(file.assignment))
        if place is RECORDS:
            continue
        can_be = place and (file.kind == "file" or place.split is whole)  # links have no part
        try:
            part = place.split(file, subject) if place and can_be else None
            rest = file.read() if part is None and file.kind == "file" else part and part.rest
        except OSError as error:
            unclear[file.label] = f"it cannot be read ({error})"
            continue
        if place and part:
            traces.append(StudentTrace(place, file, part))
        if place and rest and rest.startswith(SQLITE):
            urls.setdefault(f"sqlite:///{file.path}", place)
        if (rest and subject.is_named_in(rest)) or (not part and subject.is_named_in(file.label)):
            unclear[file.label] = NAMED
    for url, place in urls.items():
        is_in = has_rows(url, subject.student)
        in_free = [label for label in unclear if url.endswith(f"/{label}")]  # in its free pages
        if in_free or is_in:
            traces.append(StudentTrace(place, part=FilePart(has_id=is_in), url=url))
            unclear = {label: reason for label, reason in unclear.items() if label not in in_free}
    traces.sort(
        key=lambda trace: (not trace.place.again, trace.place in LAST, PLACES.index(trace.place))
    )
    return StudentTraces(traces, unclear)


def delete_traces(root: Path, traces: StudentTraces, subject: Subject) -> Iterator[StudentTrace]:
    """Delete these data, and yield each trace after its deletion. It may be interrupted at any time
    and repeated. Raises `AutograderError` or `OSError` if something cannot be deleted. `root`: the
    course's folder.
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
    """Delete a folder below `top`, and its parent if that becomes empty. Links are not followed."""
    folder = top.joinpath(*parts)
    with suppress(OSError):
        if files.kind_of(folder, top) == "folder":
            shutil.rmtree(folder, ignore_errors=True)
            folder.parent.rmdir()
