"""An invented class as the download of a learning platform: to practise with, and for tests.

Beside the zip lies the table that the platform lets its instructor download, where it has one, and
`<zip>-class.csv`, which says what each submission is.
"""

import csv
import io
import json
import random
import struct
import unicodedata
import zipfile
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from pathlib import Path

from autograder.authoring.sample_class import SampleClass, SampleError, names, notebook_text
from autograder.engine.assignment import Assignment

DUE = datetime(2026, 11, 20, 23, 59)
DOWNLOADED = datetime(2026, 11, 23, 9, 30)
ACCENTS = {"zoe": "Zoë", "yara": "Yára", "finn": "Fínn", "gia": "Già"}
ABSENT = 3  # people in the platform's table who handed in nothing


@dataclass(frozen=True)
class Student:
    """An invented student, as a platform knows one, and when something was handed in."""

    first: str
    last: str
    login: str
    number: int
    handed_in: datetime
    again: bool  # not the first time

    @property
    def full_name(self) -> str:
        return f"{self.first} {self.last}"

    @property
    def email(self) -> str:
        return f"{self.login}@uni.example"

    @property
    def late(self) -> bool:
        return self.handed_in > DUE


@dataclass(frozen=True)
class Member:
    """A file that goes into the zip."""

    name: str
    data: bytes
    changed: datetime
    unix: bool = False  # with seconds in UTC beside the time without a zone


def write_download(
    assignment: Assignment, path: Path, platform: str, students: int, seed: int
) -> list[Path]:
    """Write the zip and what lies beside it; return the files. Raises `SampleError`, `OSError`."""
    class_table = path.with_name(f"{path.stem}-class.csv")
    tables = [path.with_name(f"{path.stem}-{name}.csv") for name in TABLES.get(platform, ())]
    for file in (path, class_table, *tables):
        if file.exists():
            raise SampleError(f"`{file}` is there already; name a file that is not.")
    path.parent.mkdir(parents=True, exist_ok=True)
    people = _people(students + ABSENT, seed)
    people, absent = people[:students], people[students:]
    sample = SampleClass(assignment, seed)
    submissions = [sample.submission(number) for number in range(students)]
    texts = [notebook_text(assignment, submission).encode() for submission in submissions]
    with zipfile.ZipFile(path, "x", zipfile.ZIP_DEFLATED) as archive:
        for member in LAYOUTS[platform](assignment, people, texts):
            archive.writestr(_zip_info(member), member.data)
    rows = [
        [one.full_name, one.email, one.number, submission.what]
        for one, submission in zip(people, submissions, strict=True)
    ]
    _write_table(class_table, [["name", "email", "number", "what"], *rows])
    for file, make in zip(tables, TABLES.get(platform, {}).values(), strict=True):
        _write_table(file, make(assignment, people, absent))
    return [path, class_table, *tables]


def _people(count: int, seed: int) -> list[Student]:
    chance = random.Random(seed)
    people = []
    for index, name in enumerate(names(count, seed)):
        first, last, *more = name.split("-")
        minutes = chance.randrange(6 * 24 * 60)
        late = index % 17 == 11
        away = timedelta(minutes=minutes // 4 + 1 if late else -minutes)
        people.append(
            Student(
                ACCENTS.get(first, first.title()),
                " ".join([last.title(), *more]),
                f"{first[0]}{last}{index}",
                4_100_000 + 7 * index + chance.randrange(7),
                (DUE + away).replace(second=2 * chance.randrange(30)),
                again=index % 9 == 4,
            )
        )
    chance.shuffle(people)
    return people


def _moodle(assignment: Assignment, people: list[Student], texts: list[bytes]) -> Iterator[Member]:
    for index, (one, text) in enumerate(zip(people, texts, strict=True)):
        folder = f"{one.full_name}_{one.number}_assignsubmission"
        name, data = f"{assignment.id}.ipynb", text
        if index % 13 == 5:
            name = f"{assignment.id} (1).ipynb"
        if index % 29 == 7:  # handed in as a zip
            name, data = "my work.zip", _zipped(f"my work/{assignment.id}.ipynb", text)
        yield Member(f"{folder}_file/{name}", data, one.handed_in)
        if index % 19 == 3:
            words = b"<p>An invented student's words.</p>"
            yield Member(f"{folder}_onlinetext/onlinetext.html", words, one.handed_in)


def _canvas(assignment: Assignment, people: list[Student], texts: list[bytes]) -> Iterator[Member]:
    by_time = sorted(people, key=lambda one: one.handed_in)
    uploads = {one.number: 88_000_000 + 13 * place for place, one in enumerate(by_time)}
    for one, text in zip(people, texts, strict=True):
        name = "".join(c for c in f"{one.last}{one.first}".lower() if c.isalnum())
        late = "_LATE" if one.late else ""
        file = f"{assignment.id}{'-1' if one.again else ''}.ipynb"
        yield Member(f"{name}{late}_{one.number}_{uploads[one.number]}_{file}", text, DOWNLOADED)


def _ilias(assignment: Assignment, people: list[Student], texts: list[bytes]) -> Iterator[Member]:
    top = f"{assignment.id.replace('-', ' ').capitalize()}/Submissions"
    for one, text in zip(people, texts, strict=True):
        folder = f"{_ascii(one.last)}_{_ascii(one.first)}_{one.login}_{one.number}"
        late = "Late Submission - " if one.late else ""
        name = f"{top}/{folder}/{late}{assignment.id}.ipynb"
        yield Member(name, text, one.handed_in, unix=True)


def _gradescope(
    assignment: Assignment, people: list[Student], texts: list[bytes]
) -> Iterator[Member]:
    """Each twentieth hands in together with the one before, who shares the submission."""
    top = "assignment_7654321_export"
    lines = []
    for index, (one, text) in enumerate(zip(people, texts, strict=True)):
        if index % 20 == 19:
            continue
        together = people[index : index + 2] if index % 20 == 18 else [one]
        key = f"submission_{300_000_000 + one.number}"
        lines += [f"{key}:", "  :submitters:"]
        for person in together:
            lines.append(f"  - :name: {json.dumps(person.full_name, ensure_ascii=False)}")
            lines.append(f"    :sid: '{person.number:09d}'")
            lines.append(f"    :email: {person.email}")
        lines += [f"  :created_at: {one.handed_in:%Y-%m-%d %H:%M:%S}.861687000 Z", "  :score: 0.0"]
        if one.again:
            before = one.handed_in - timedelta(hours=5)
            lines += ["  :history:", f"  - :created_at: {before:%Y-%m-%d %H:%M:%S}.120000000 Z"]
        yield Member(f"{top}/{key}/{assignment.id}.ipynb", text, DOWNLOADED)
    metadata = "\n".join(["---", *lines, ""]).encode()
    yield Member(f"{top}/submission_metadata.yml", metadata, DOWNLOADED)


def _worksheet(
    assignment: Assignment, people: list[Student], absent: list[Student]
) -> list[list[object]]:
    """Moodle's grading worksheet."""
    columns = ["Identifier", "Full name", "Email address", "Status", "Grade", "Maximum Grade"]
    columns += ["Grade can be changed", "Last modified (submission)", "Last modified (grade)"]
    rows: list[list[object]] = [[*columns, "Feedback comments"]]
    for one in sorted([*people, *absent], key=lambda one: one.full_name):
        handed_in = one not in absent
        when = f"{one.handed_in:%A, {one.handed_in.day} %B %Y, %I:%M %p}" if handed_in else "-"
        status = "Submitted for grading" if handed_in else "No submission"
        person = f"Participant {one.number}", one.full_name, one.email, status
        rows.append([*person, "", f"{_points(assignment):.2f}", "Yes", when, "-", ""])
    return rows


def _gradebook(
    assignment: Assignment, people: list[Student], absent: list[Student]
) -> list[list[object]]:
    """Canvas's export of its gradebook."""
    title = assignment.id.replace("-", " ").title()
    columns = ["Student", "ID", "SIS User ID", "SIS Login ID", "Section", f"{title} (98765)"]
    rows: list[list[object]] = [
        [*columns],
        ["    Points Possible", "", "", "", "", _points(assignment)],
    ]
    for one in sorted([*people, *absent], key=lambda one: (one.last, one.first)):
        name = f"{one.last}, {one.first}"
        rows.append([name, one.number, f"S{one.number:08d}", one.login, "Practical", ""])
    return [*rows, ["Student, Test", 9_999_999, "", "0123456789abcdef", "Practical", ""]]


Layout = Callable[[Assignment, list[Student], list[bytes]], Iterator[Member]]
Table = Callable[[Assignment, list[Student], list[Student]], list[list[object]]]
LAYOUTS: dict[str, Layout] = {
    "moodle": _moodle,
    "canvas": _canvas,
    "ilias": _ilias,
    "gradescope": _gradescope,
}
TABLES: dict[str, dict[str, Table]] = {  # by platform: what the file is called, and its rows
    "moodle": {"grading-worksheet": _worksheet},
    "canvas": {"gradebook": _gradebook},
}


def _points(assignment: Assignment) -> float:
    return sum(cell.points for cell in assignment.cells)


def _zip_info(member: Member) -> zipfile.ZipInfo:
    when = member.changed
    clock = (when.year, when.month, when.day, when.hour, when.minute, when.second)
    info = zipfile.ZipInfo(member.name, clock)
    info.compress_type = zipfile.ZIP_DEFLATED
    info.external_attr = 0o100644 << 16  # a regular file, rw-r--r--
    if member.unix:
        seconds = int(when.replace(tzinfo=UTC).timestamp())
        info.extra = struct.pack("<HHBI", 0x5455, 5, 1, seconds)  # its extended timestamp
    return info


def _zipped(name: str, data: bytes) -> bytes:
    file = io.BytesIO()
    with zipfile.ZipFile(file, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr(zipfile.ZipInfo(name, (2026, 11, 1, 12, 0, 0)), data)
    return file.getvalue()


def _ascii(name: str) -> str:
    return unicodedata.normalize("NFKD", name).encode("ascii", "ignore").decode()


def _write_table(path: Path, rows: list[list[object]]) -> None:
    with path.open("x", newline="", encoding="utf-8") as file:
        csv.writer(file).writerows(rows)
