"""Find all that a course has of one student, and delete it."""

import shutil
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from pathlib import Path

from autograder.files.csv_text import table_in
from autograder.files.writing import replacing_bytes
from autograder.staff.student_data.course_files import CourseFile
from autograder.staff.student_data.gradebook_rows import SQLITE, delete_rows, has_rows
from autograder.staff.student_data.parts import FilePart, lines, rows, whole
from autograder.staff.student_data.places import GRADEBOOK, PLACES, TREES, Place, place_of
from autograder.staff.student_data.subject import Subject


@dataclass(frozen=True)
class StudentTrace:
    """What a student has in one file (`file`, `part`), or in the gradebook at the URL `url`."""

    place: Place
    file: CourseFile | None = None
    part: FilePart = FilePart()
    url: str = ""

    def is_of_student(self, student: str) -> bool:
        """Whether this shows that the id is a student's. What only names it does not: a marker is
        named in marks, too. Raises `CommandError` if the gradebook cannot be used.
        """
        if self.url:
            return has_rows(self.url, student)
        if self.place.split is rows:
            table = table_in(self.part.theirs, self.place.name)
            return any(one.get("student", "").strip() == student for _, one in table.records())
        return self.place.split is whole or (self.place.split is lines and bool(self.part.theirs))


@dataclass
class StudentTraces:
    """What a course has of a student, in the order in which it is deleted; and why other files have
    to be looked at, by path: they name the student, and no kind of places knows them.
    """

    found: list[StudentTrace] = field(default_factory=list)
    left: dict[str, str] = field(default_factory=dict)


def find_traces(
    files: Iterable[CourseFile], gradebook: str | None, subject: Subject
) -> StudentTraces:
    """Return all that a course has of a student; nothing is changed.

    `files`: those of the course; `gradebook`: its URL, None for none. Raises `CommandError` if a
    table or a gradebook cannot be read.
    """
    traces, urls = StudentTraces(), {gradebook: GRADEBOOK} if gradebook else {}
    for file in files:
        place = place_of(file.label, subject.student)
        try:
            part = _part(place, file, subject)
            rest = file.read() if part is None and file.kind == "file" else part and part.rest
        except OSError as error:
            traces.left[file.label] = f"it cannot be read ({error})"
            continue
        if place and part:
            traces.found.append(StudentTrace(place, file, part))
        if place and rest and rest.startswith(SQLITE):
            urls.setdefault(f"sqlite:///{file.path}", place)
        if (rest and subject.is_named_in(rest)) or (not part and subject.is_named_in(file.label)):
            traces.left[file.label] = "it names the student"
    for url, place in urls.items():
        again = [label for label in traces.left if url.endswith(f"/{label}")]  # in its free pages
        if again or has_rows(url, subject.student):
            traces.found.append(StudentTrace(place, url=url))
            traces.left = {one: why for one, why in traces.left.items() if one not in again}
    traces.found.sort(key=lambda one: (not one.place.again, PLACES.index(one.place)))
    return traces


def _part(place: Place | None, file: CourseFile, subject: Subject) -> FilePart | None:
    """Return what of a file is the student's; a link is theirs only where a file would be."""
    if place is None or (file.kind != "file" and "{student}" not in "".join(place.paths)):
        return None
    return place.split(file, subject)


def delete_traces(root: Path, traces: StudentTraces, student: str) -> Iterator[StudentTrace]:
    """Delete what was found, and yield each trace once it is gone. It may be stopped at any time,
    and done again from the start. Raises `CommandError` or `OSError` if something cannot be deleted.

    `root`: the course's folder.
    """
    for top in TREES:
        shutil.rmtree(root / top / student, ignore_errors=True)
    for trace in traces.found:
        if trace.url:
            delete_rows(trace.url, student)
        elif trace.file and trace.part.rest is None:
            trace.file.path.unlink(missing_ok=True)
        elif trace.file:
            with replacing_bytes(trace.file.path) as file:
                file.write(trace.part.rest or b"")
        yield trace
