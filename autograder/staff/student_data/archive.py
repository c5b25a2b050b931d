"""A course at the end of a semester as one zip: what must be kept, with names or without."""

import sqlite3
from collections.abc import Iterable, Iterator
from contextlib import closing

from autograder.engine.verdict.history import read_history
from autograder.engine.verdict.verdict import Verdict, read_verdict, verdict_files
from autograder.files.csv_text import csv_text
from autograder.files.digest import digest_of
from autograder.gradebook.tables import read_marks
from autograder.staff.student_data.course_files import CourseFile, Folders
from autograder.staff.student_data.gradebook_rows import SQLITE
from autograder.staff.student_data.parts import database
from autograder.staff.student_data.places import place_of

CONFIG, SOURCE = "nbgrader_config.py", "source/"
LEFT_OUT = (
    "submissions and what was received, cells, feedback, comments, inquiries, look-alikes, times, "
    "rosters: what people wrote, and when, says who they are"
)
CHECKS = "pseudonym", "submission", "state", "exercise", "check", "points", "max_points", "mistakes"
MARKS = "pseudonym", "cell", "max_points", "automatic", "by_hand", "extra", "penalty"


def kind_of_file(file: CourseFile) -> str:
    """Return the name of the kind of places that a file is of, for people."""
    place = place_of(file.label)
    return place.name if place else file.label.partition("/")[0]


def is_kept(file: CourseFile) -> bool:
    """Whether a file goes into an archive: what cannot be made again, and the assignments."""
    place = place_of(file.label)
    if file.kind != "file" or place is None:
        return file.kind == "file" and file.label.startswith((CONFIG, SOURCE))
    return not place.again


def kept_files(files: Iterable[CourseFile]) -> Iterator[tuple[str, bytes]]:
    """Yield the path and the content of each file that is kept; of a database in a file, a copy as
    of one moment. Raises `OSError` if one cannot be read.
    """
    for file in files:
        place, content = place_of(file.label), file.read()
        if place and place.split is database and content.startswith(SQLITE):
            with (
                closing(sqlite3.connect(file.path)) as there,
                closing(sqlite3.connect(":memory:")) as copy,
            ):
                there.backup(copy)
                content = copy.serialize()
        yield file.label, content


def tables_without_names(folders: Folders, gradebook: str | None) -> Iterator[tuple[str, bytes]]:
    """Yield the path and the content of two tables for each assignment: of the checks of all
    verdicts, and of the marks in the gradebook at this URL (None for none).

    A student has the same pseudonym in all of them. They are in the order of a hash of the whole
    class's verdicts and the id, and so cannot be derived from ids alone. Raises `CommandError` if
    the gradebook cannot be used, `OSError`.
    """
    verdicts: dict[str, dict[str, list[Verdict]]] = {}
    for folder in sorted(one.parent for one in folders.results.glob("*/grades.csv")):
        newest = [read_verdict(path) for path in verdict_files(folder)]
        verdicts[folder.name] = {
            one.student: [*read_history(folders.results, folder.name, one.student), one]
            for one in newest
            if one
        }
    marks = {id: read_marks(gradebook, id) if gradebook else {} for id in verdicts}
    key = digest_of(
        [[one.to_json() for had in each.values() for one in had] for each in verdicts.values()]
    )
    students = {student for each in (*verdicts.values(), *marks.values()) for student in each}
    ordered = sorted(students, key=lambda student: digest_of(key, student))
    called = {student: f"p{number:04}" for number, student in enumerate(ordered, 1)}
    for id, each in verdicts.items():
        yield f"{id}/checks.csv", csv_text([CHECKS, *_checks(each, called)]).encode()
        yield f"{id}/marks.csv", csv_text([MARKS, *_marks(marks[id], called)]).encode()


def _checks(each, called) -> list[tuple]:
    return sorted(
        (called[student], number, verdict.state, result.id, check.id, check.points, check.max_points,
         " ".join(one.id for one in result.mistakes))
        for student, had in each.items()
        for number, verdict in enumerate(had, 1)
        for result in verdict.exercises
        for check in result.checks
    )  # fmt: skip


def _marks(marks, called) -> list[tuple]:
    return sorted(
        (called[student], *cell[:5], mark.penalty)
        for student, mark in marks.items()
        for cell in mark.cells
    )
