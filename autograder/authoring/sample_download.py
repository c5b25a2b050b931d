"""Generate an invented class as the download of a learning platform, for practice and for tests.

Beside the zip, this writes the tables that an instructor can download from the platform, if any,
and `<zip>-class.csv`, which describes each submission.
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
ABSENT = 3  # people in the platform's table without a submission


def write_download(
    assignment: Assignment, path: Path, platform: str, students: int, seed: int
) -> list[Path]:
    """Write an invented class to the zip `path`, as a learning platform would, with its tables.

    `platform`: a name in SAMPLE_DOWNLOADS. Return the paths of all files. Raises `AutograderError`
    if a file exists already, or if the assignment has no exercise, and `OSError` if a file cannot
    be written.
    """
    download = SAMPLE_DOWNLOADS[platform]
    class_table = path.with_name(f"{path.stem}-class.csv")
    tables = [path.with_name(f"{path.stem}-{name}.csv") for name in download.tables]
    for file in (path, class_table, *tables):
        if file.exists():
            raise AutograderError(f"`{file}` is there already; name a file that is not.")
    path.parent.mkdir(parents=True, exist_ok=True)
    everyone = _people(students + ABSENT, seed)
    people, absent = everyone[:students], everyone[students:]
    sample = SampleClass(assignment, seed)
    submissions = [sample.submission(number) for number in range(students)]
    texts = [notebook_text(assignment, submission).encode() for submission in submissions]
    points = sum(cell.points for cell in assignment.cells)
    invented = InventedClass(assignment.id, points, people, texts, absent, DOWNLOADED)
    with zipfile.ZipFile(path, "x", zipfile.ZIP_DEFLATED) as archive:
        for member in download.files(invented):
            archive.writestr(_zip_info(member), member.data)
    rows = [
        [person.full_name, person.email, person.number, submission.what]
        for person, submission in zip(people, submissions, strict=True)
    ]
    _write_table(class_table, [["name", "email", "number", "what"], *rows])
    for file, make in zip(tables, download.tables.values(), strict=True):
        _write_table(file, make(invented))
    return [path, class_table, *tables]


def _people(count: int, seed: int) -> list[InventedStudent]:
    """Return `count` invented students in random order."""
    chance = random.Random(seed)
    people = []
    for index, name in enumerate(names(count, seed)):
        first, last, *other_names = name.split("-")
        minutes = chance.randrange(6 * 24 * 60)
        late = index % 17 == 11
        delay = timedelta(minutes=minutes // 4 + 1 if late else -minutes)
        number = 4_100_000 + 7 * index + chance.randrange(7)
        handed_in = (DUE + delay).replace(second=2 * chance.randrange(30))
        people.append(
            InventedStudent(
                ACCENTS.get(first, first.title()),
                " ".join([last.title(), *other_names]),
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
    """Return the header of a file for the zip: its name, and its time without a zone.

    If `member.unix` is set, an extra field also has the time in UTC.
    """
    time = member.changed
    date_time = (time.year, time.month, time.day, time.hour, time.minute, time.second)
    info = zipfile.ZipInfo(member.name, date_time)
    info.compress_type = zipfile.ZIP_DEFLATED
    info.external_attr = 0o100644 << 16  # a regular file, rw-r--r--
    if member.unix:
        seconds = int(time.replace(tzinfo=UTC).timestamp())
        info.extra = struct.pack("<HHBI", 0x5455, 5, 1, seconds)  # its extended timestamp
    return info


def _write_table(path: Path, rows: list[list[object]]) -> None:
    with path.open("x", newline="", encoding="utf-8") as file:
        csv.writer(file).writerows(rows)
