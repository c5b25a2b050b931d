"""The downloads of an invented class: the zip and the tables of each learning platform."""

import json
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from datetime import datetime, timedelta

from autograder.gradebook.pages.of_grade import zip_bytes
from autograder.platforms import canvas, gradescope, ilias, moodle


@dataclass(frozen=True)
class InventedStudent:
    """An invented student of a sample class, as a platform knows them, and a time of submission."""

    first: str
    last: str
    login: str
    number: int
    handed_in: datetime
    late: bool
    again: bool  # a resubmission

    @property
    def full_name(self) -> str:
        return f"{self.first} {self.last}"

    @property
    def email(self) -> str:
        return f"{self.login}@uni.example"


@dataclass(frozen=True)
class InventedClass:
    """An invented class."""

    assignment: str
    points: float
    people: list[InventedStudent]  # with one submission each
    notebooks: list[bytes]  # of the people, in their order
    absent: list[InventedStudent]  # without a submission
    downloaded: datetime


@dataclass(frozen=True)
class Member:
    """A file in the zip of a sample download."""

    name: str
    data: bytes
    changed: datetime
    unix: bool = False  # also has the time in UTC, as an extra field of the zip


@dataclass(frozen=True)
class SampleDownload:
    """Functions that make the download of an invented class for a platform."""

    files: Callable[[InventedClass], Iterator[Member]]  # in the zip
    # rows of the tables beside the zip, by the end of their file names
    tables: Mapping[str, Callable[[InventedClass], list[list[object]]]] = field(
        default_factory=dict
    )


def _moodle_download(invented: InventedClass) -> Iterator[Member]:
    for index, (student, text) in enumerate(zip(invented.people, invented.notebooks, strict=True)):
        folder = f"{student.full_name}_{student.number}_assignsubmission"
        name, data = f"{invented.assignment}.ipynb", text
        if index % 13 == 5:
            name = f"{invented.assignment} (1).ipynb"
        if index % 29 == 7:  # submitted as a zip
            name, data = "my work.zip", zip_bytes({f"my work/{invented.assignment}.ipynb": text})
        yield Member(f"{folder}_file/{name}", data, student.handed_in)
        if index % 19 == 3:
            words = b"<p>An invented student's words.</p>"
            yield Member(f"{folder}_onlinetext/onlinetext.html", words, student.handed_in)


def _moodle_worksheet(invented: InventedClass) -> list[list[object]]:
    def row(student: InventedStudent, status: str, time: str) -> list[object]:
        person = f"Participant {student.number}", student.full_name, student.email
        return [*person, f"{status} -  - ", "", f"{invented.points:.2f}", "Yes", time, "-", ""]

    rows = [
        *(
            row(student, "Submitted for grading", _moodle_time(student))
            for student in invented.people
        ),
        *(row(student, "No submission", "-") for student in invented.absent),
    ]
    return [[*moodle.HEADER], *sorted(rows, key=lambda row: str(row[1]))]


def _moodle_time(student: InventedStudent) -> str:
    time = student.handed_in
    return f"{time:%A}, {time.day} {time:%B %Y}, {time.hour % 12 or 12}:{time:%M %p}"


def _canvas_download(invented: InventedClass) -> Iterator[Member]:
    by_time = sorted(invented.people, key=lambda student: student.handed_in)
    uploads = {student.number: 88_000_000 + 13 * index for index, student in enumerate(by_time)}
    for student, text in zip(invented.people, invented.notebooks, strict=True):
        name = canvas.as_canvas_writes(f"{student.last}, {student.first}")
        late = "_LATE" if student.late else ""
        file = f"{invented.assignment}{'-1' if student.again else ''}.ipynb"
        file_name = f"{name}{late}_{student.number}_{uploads[student.number]}_{file}"
        yield Member(file_name, text, invented.downloaded)


def _canvas_gradebook(invented: InventedClass) -> list[list[object]]:
    title = invented.assignment.replace("-", " ").title()
    rows: list[list[object]] = [
        [*canvas.NEW_HEADER, f"{title} (98765)"],
        ["    Points Possible", "", "", "", "", invented.points],
    ]
    everyone = [*invented.people, *invented.absent]
    for student in sorted(everyone, key=lambda student: (student.last, student.first)):
        name = f"{student.last}, {student.first}"
        rows.append(
            [name, student.number, f"S{student.number:08d}", student.login, "Practical", ""]
        )
    return [*rows, [canvas.TEST_STUDENT, 9_999_999, "", "0123456789abcdef", "Practical", ""]]


def _ilias_download(invented: InventedClass) -> Iterator[Member]:
    top = f"{invented.assignment.replace('-', ' ').capitalize()}/Submissions"
    for student, notebook in zip(invented.people, invented.notebooks, strict=True):
        folder = ilias.as_ilias_writes(
            f"{student.last}_{student.first}_{student.login}_{student.number}"
        )
        late = "Late Submission - " if student.late else ""
        name = f"{top}/{folder}/{late}{invented.assignment}.ipynb"
        yield Member(name, notebook, student.handed_in, unix=True)


def _gradescope_download(invented: InventedClass) -> Iterator[Member]:
    """Yield the files of Gradescope's export for an invented class.

    Every twentieth student shares the submission of the student before.
    """
    top = "assignment_7654321_export"
    people, lines = invented.people, ["---"]
    for index, (student, notebook) in enumerate(zip(people, invented.notebooks, strict=True)):
        if index % 20 == 19:
            continue
        group = people[index : index + 2] if index % 20 == 18 else [student]
        key = f"submission_{300_000_000 + student.number}"
        earlier = student.handed_in - timedelta(hours=5)
        lines += [
            f"{key}:",
            "  :submitters:",
            *(
                f"  - :name: {json.dumps(person.full_name, ensure_ascii=False)}\n"
                f"    :sid: '{person.number:09d}'\n"
                f"    :email: {person.email}"
                for person in group
            ),
            f"  :created_at: {student.handed_in:%Y-%m-%d %H:%M:%S}.861687000 Z",
            "  :score: 0.0",
        ]
        if student.again:
            lines += ["  :history:", f"  - :created_at: {earlier:%Y-%m-%d %H:%M:%S}.120000000 Z"]
        yield Member(f"{top}/{key}/{invented.assignment}.ipynb", notebook, invented.downloaded)
    metadata = "\n".join([*lines, ""]).encode()
    yield Member(f"{top}/{gradescope.METADATA}", metadata, invented.downloaded)


SAMPLE_DOWNLOADS = {  # by the name of the platform
    "moodle": SampleDownload(_moodle_download, {"grading-worksheet": _moodle_worksheet}),
    "canvas": SampleDownload(_canvas_download, {"gradebook": _canvas_gradebook}),
    "ilias": SampleDownload(_ilias_download),
    "gradescope": SampleDownload(_gradescope_download),
}
