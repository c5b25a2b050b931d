"""Find all that a course has of one student, and delete it."""

import shutil
from collections.abc import Iterable, Iterator
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path

from autograder.files.reading import kind_of
from autograder.files.writing import replacing_bytes
from autograder.staff.student_data.course_files import CourseFile, Folders
from autograder.staff.student_data.gradebook_rows import SQLITE, count_rows, delete_rows
from autograder.staff.student_data.parts import Part, database, whole
from autograder.staff.student_data.places import GRADEBOOK, PLACES, Place, place_of
from autograder.staff.student_data.subject import Subject

TREES = "submitted", "autograded", "feedback"  # with a folder for each student


@dataclass(frozen=True)
class Trace:
    """Something of a student in one place: in a file (`file` and `part`), or in the gradebook at a
    URL.
    """

    place: Place
    file: CourseFile | None = None
    part: Part = Part(b"", None)
    url: str = ""


@dataclass
class Traces:
    """All of a student in a course: in the order in which it is deleted, and the paths of other
    files that name the student or cannot be read, which no kind of place knows: with the reason.
    """

    found: list[Trace] = field(default_factory=list)
    left: dict[str, str] = field(default_factory=dict)

    def of(self, place: Place) -> list[Trace]:
        """Return what is in one kind of places."""
        return [one for one in self.found if one.place is place]


def find_traces(files: Iterable[CourseFile], gradebook: str | None, subject: Subject) -> Traces:
    """Return all that a course has of a student; nothing is changed.

    `files`: those of the course; `gradebook`: its URL, None for none. Raises `CommandError` if a
    table or a gradebook cannot be read.
    """
    traces = Traces()
    urls = {gradebook: GRADEBOOK} if gradebook else {}
    for file in files:
        place = place_of(file.label, subject.student)
        if place and place.split is whole:
            traces.found.append(Trace(place, file))
            continue
        try:
            if place and place.split is database and file.read().startswith(SQLITE):
                urls.setdefault(f"sqlite:///{file.path.absolute()}", place)
            part = place.split(file, subject) if place and file.kind == "file" else None
            rest = part.rest if part else file.read() if file.kind == "file" else b""
        except OSError as error:
            traces.left[file.label] = f"it cannot be read ({error})"
            continue
        if place and part:
            traces.found.append(Trace(place, file, part))
        if rest is not None and (subject.is_named_in(rest) or subject.is_named_in(file.label)):
            traces.left[file.label] = "it names the student"
    for url, place in urls.items():
        name = url.rpartition("/")[2]
        if count_rows(url, subject.student) or traces.left.get(name):
            traces.found.append(Trace(place, url=url))
            traces.left.pop(name, None)
    traces.found.sort(key=lambda one: PLACES.index(one.place))
    return traces


def delete_traces(folders: Folders, traces: Traces, student: str) -> Iterator[Trace]:
    """Delete what was found, and yield each trace once it is gone. It may be stopped at any time,
    and done again from the start. Raises `CommandError` or `OSError` if something cannot be deleted.
    """
    for trace in traces.found:
        if trace.url:
            delete_rows(trace.url, student)
        elif trace.file and trace.part.rest is None:
            trace.file.path.unlink(missing_ok=True)
        elif trace.file:
            with replacing_bytes(trace.file.path) as file:
                file.write(trace.part.rest or b"")
        yield trace
    for folder in student_folders(folders, student):
        shutil.rmtree(folder)


def student_folders(folders: Folders, student: str) -> Iterator[Path]:
    """Yield the folders of a student that are there, also empty ones, and no links."""
    tops = folders.submitted, *(folders.course / name for name in TREES[1:])
    for path in (top / student for top in tops):
        with suppress(OSError):
            if kind_of(path, path.parent) == "folder":
                yield path
