"""Generate a class of invented submissions as the download of a learning platform, for practice and
for tests.

Beside the zip, this writes the tables that an instructor can download from the platform, if it has
any, and `<zip>-class.csv`, which says what each submission is.
"""

import csv
import random
import struct
import zipfile
from datetime import UTC, datetime, timedelta
from pathlib import Path

from autograder.authoring.sample_class import SampleClass, notebook_text
from autograder.authoring.sample_names import names
from autograder.authoring.sample_platforms import (
    SAMPLE_DOWNLOADS,
    InventedClass,
    InventedStudent,
    Member,
)
from autograder.engine import Assignment, AutograderError

DUE = datetime(2026, 11, 20, 23, 59)
DOWNLOADED = datetime(2026, 11, 23, 9, 30)
ACCENTS = {"zoe": "Zoë", "yara": "Yára", "finn": "Fínn", "gia": "Già"}
ABSENT = 3  # people in the platform's table who handed in nothing


def write_download(
    assignment: Assignment, path: Path, platform: str, students: int, seed: int
) -> list[Path]:
    """Write the download that a learning platform would make of an invented class to the zip
    `path`, and the tables beside it: the platform's, and `<zip>-class.csv`. Return the paths of all
    files.

    `platform`: a name in SAMPLE_DOWNLOADS; `students`: how many; `seed`: of all random choices.
    Raises `AutograderError` if a file exists already, or if the assignment has no exercise;
    `OSError` if a file cannot be written.
    """
    download = SAMPLE_DOWNLOADS[platform]
    class_table = path.with_name(f"{path.stem}-class.csv")
    tables = [path.with_name(f"{path.stem}-{name}.csv") for name in download.tables]
    for file in (path, class_table, *tables):
        if file.exists():
            raise AutograderError(f"`{file}` is there already; name a file that is not.")
    path.parent.mkdir(parents=True, exist_ok=True)
    everybody = _people(students + ABSENT, seed)
    people, absent = everybody[:students], everybody[students:]
    sample = SampleClass(assignment, seed)
    submissions = [sample.submission(number) for number in range(students)]
    texts = [notebook_text(assignment, submission).encode() for submission in submissions]
    points = sum(cell.points for cell in assignment.cells)
    invented = InventedClass(assignment.id, points, people, texts, absent, DOWNLOADED)
    with zipfile.ZipFile(path, "x", zipfile.ZIP_DEFLATED) as archive:
        for member in download.files(invented):
            archive.writestr(_zip_info(member), member.data)
    rows = [
        [one.full_name, one.email, one.number, submission.what]
        for one, submission in zip(people, submissions, strict=True)
    ]
    _write_table(class_table, [["name", "email", "number", "what"], *rows])
    for file, make in zip(tables, download.tables.values(), strict=True):
        _write_table(file, make(invented))
    return [path, class_table, *tables]


def _people(count: int, seed: int) -> list[InventedStudent]:
    """Return `count` invented students, in random order, with names, addresses, numbers and times
    of handing in. `seed`: of all random choices.
    """
    chance = random.Random(seed)
    people = []
    for index, name in enumerate(names(count, seed)):
        first, last, *more = name.split("-")
        minutes = chance.randrange(6 * 24 * 60)
        late = index % 17 == 11
        away = timedelta(minutes=minutes // 4 + 1 if late else -minutes)
        number = 4_100_000 + 7 * index + chance.randrange(7)
        handed_in = (DUE + away).replace(second=2 * chance.randrange(30))
        people.append(
            InventedStudent(
                ACCENTS.get(first, first.title()),
                " ".join([last.title(), *more]),
                f"{first[0]}{last}{index}",
                number,
                handed_in,
                late=handed_in > DUE,
                again=index % 9 == 4,
            )
        )
    chance.shuffle(people)
    return people


def _zip_info(member: Member) -> zipfile.ZipInfo:
    """Return the header of a file for the zip: its name, and its time without a zone; if
    `member.unix` is set, also the time in UTC, as an extra field.
    """
    when = member.changed
    clock = (when.year, when.month, when.day, when.hour, when.minute, when.second)
    info = zipfile.ZipInfo(member.name, clock)
    info.compress_type = zipfile.ZIP_DEFLATED
    info.external_attr = 0o100644 << 16  # a regular file, rw-r--r--
    if member.unix:
        seconds = int(when.replace(tzinfo=UTC).timestamp())
        info.extra = struct.pack("<HHBI", 0x5455, 5, 1, seconds)  # its extended timestamp
    return info


def _write_table(path: Path, rows: list[list[object]]) -> None:
    """Write a new CSV file; raise `FileExistsError` if there is one."""
    with path.open("x", newline="", encoding="utf-8") as file:
        csv.writer(file).writerows(rows)
