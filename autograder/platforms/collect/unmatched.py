"""The table of unmatched submissions: a row for each file that may be somebody's notebook.

    unmatched-<assignment>.csv    beside the folder of submissions

`collect --resolve` reads a copy of it in which staff have filled in the column `student`.
"""

import json
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path

from sqlalchemy import select
from sqlalchemy.orm import Session

from autograder.classroom.records.received import (
    Choice,
    Sighting,
    Submission,
    Unmatched,
    read_file,
    store_file,
)
from autograder.engine.course.assignment import find_assignment
from autograder.files.csv_text import TableError, csv_text, read_table
from autograder.files.reading import entries, kind_of
from autograder.files.writing import replacing
from autograder.people.matching import NotPlaced
from autograder.people.roster import is_student_id
from autograder.people.unmatched import unmatched_path
from autograder.platforms.collect.choose import choose_notebook
from autograder.platforms.collect.contents import Content
from autograder.platforms.collect.receive import Run
from autograder.platforms.download import File
from autograder.text.errors import CommandError
from autograder.text.patterns import Pattern
from autograder.text.printable import printable, safe_cell, unescape_formulas

COLUMNS = ["download", "file", "name", "email", "platform", "reason", "student"]
KEYS = "download", "file", "student"
NOBODY = "-"  # in place of a student: the submission is not listed any more
SEPARATORS = Pattern(r"[\s,;]+")


@dataclass(frozen=True)
class Row:
    """A row of the table: a file that may be somebody's notebook, and its submission."""

    submission: Submission
    path: str  # of the file in its download
    file: str  # the same as it is shown

    @property
    def key(self) -> tuple[str, str]:
        """The cells `download` and `file`, as they are read back after a spreadsheet has saved the
        table.
        """
        shown = printable(self.submission.download), self.file
        download, file = (unescape_formulas(str(safe_cell(text))).strip() for text in shown)
        return download, file


def _rows(submissions: Iterable[Submission]) -> Iterator[Row]:
    """Yield a row for each file of these submissions that may be meant; a second row with the same
    name gets a part of the submission's key.
    """
    times = Counter[tuple[str, str]]()
    for submission in submissions:
        for path in json.loads(submission.notebooks):
            name = submission.download, printable(path, 1_000)
            times[name] += 1
            again = f" [{submission.key[:8]}]" if times[name] > 1 else ""
            yield Row(submission, path, name[1] + again)


def write_unmatched(records: Session, into: Path, assignment_id: str) -> Path | None:
    """Write the table of an assignment's unmatched submissions; return its path. If there are none,
    remove it and return None. Students that are filled in already are kept, and a file that is
    not such a table is renamed. Raises `OSError`.
    """
    reasons = {
        row.submission_id: row.reason
        for row in records.scalars(select(Unmatched).where(Unmatched.assignment == assignment_id))
    }
    path = unmatched_path(into, assignment_id)
    try:
        filled = _read_choices(path)
    except TableError:
        filled = {}
        if kind_of(path, path.parent) is not None:
            names = {one.name for one in entries(path.parent, path.parent)}
            free = (f"{path.stem}-{n}.csv" for n in range(1, len(names) + 2))
            path.rename(path.with_name(next(name for name in free if name not in names)))
    rows = [row for row in _all_rows(records, assignment_id) if row.submission.id in reasons]
    if not rows:
        path.unlink(missing_ok=True)
        return None
    lines = [
        [
            printable(row.submission.download), row.file, row.submission.name, row.submission.email,
            row.submission.platform, reasons[row.submission.id], filled.get(row.key, ""),
        ]
        for row in rows
    ]  # fmt: skip
    with replacing(path) as file:
        file.write(csv_text([COLUMNS, *lines]))
    return path


def _all_rows(records: Session, assignment_id: str) -> list[Row]:
    submissions = select(Submission).where(Submission.assignment == assignment_id)
    return [*_rows(records.scalars(submissions.order_by(Submission.id)))]


def record_choices(run: Run, path: Path, allowed: set[str] | None) -> list[str]:
    """Record what staff filled in in the column `student` of a copy of the table; return a sentence
    for each row that cannot be used.

    `allowed`: the ids of students and groups; None for any. Raises `TableError` if the table cannot
    be read, or nothing is filled in.
    """
    rows = {row.key: row for row in _all_rows(run.records, run.assignment.id)}
    filled = {key: students for key, students in _read_choices(path).items() if students}
    if not filled:
        raise TableError(f"Nothing is filled in in the column `student` of `{path}`.")
    troubles: list[str] = []
    chosen: dict[tuple[int, str], list[Row]] = defaultdict(list)
    for key, students in filled.items():
        row = rows.get(key)
        if row is None:
            troubles.append(
                f"`{printable(key[1])}` of `{printable(key[0])}` is not unmatched: its cells "
                "`download` and `file` have to stay as they are in the table."
            )
        elif students == NOBODY:
            run.records.add(Choice(*run.fact, row.submission.id))
        else:
            for place in _places(students, row, allowed, troubles):
                chosen[row.submission.id, place].append(row)
    shared = Counter(id for id, _ in chosen)
    for (id, place), (row, *others) in chosen.items():
        if others:
            files = " and ".join(f"`{one.file}`" for one in (row, *others))
            troubles.append(f"{files} cannot both be of `{place}`: fill in one of them.")
        elif trouble := _choose(run, row, place, is_alone=shared[id] == 1):
            troubles.append(trouble)
    run.records.flush()
    return troubles


def _choose(run: Run, row: Row, place: str, is_alone: bool) -> str:
    """Record a choice: `ada`, or `sheet-4/ada` for another assignment. Return why it cannot be used,
    "" if it can.
    """
    id, _, student = place.rpartition("/")
    try:
        assignment = find_assignment(id, run.assignment.course) if id else run.assignment
        parts = json.loads(row.submission.files)
        contents = [
            Content(
                File(tuple(part["path"].split("/")), None, "", student_name=part["name"]),
                read_file(run.records, part["sha256"]),
            )
            for part in parts
        ]
        notebook, remark = choose_notebook(contents, assignment, row.path)
    except (NotPlaced, CommandError) as error:
        return f"`{row.file}`: {error}."
    remarks = [f"placed as `{id}`" if id else "", remark]
    choice = Choice(run.row.id, assignment.id, row.submission.id, student, is_alone=is_alone)
    choice.notebook = store_file(run.records, notebook.data)
    choice.notebook_file = notebook.file.path
    choice.remark = "; ".join(filter(None, remarks))
    run.records.add(choice)
    run.records.add(Sighting(*run.fact, row.submission.id))  # a worksheet of this run is about it
    if row.submission.id not in {one.id for one in run.seen}:
        run.seen.append(row.submission)
    return ""


def _places(
    students: str, row: Row, allowed: set[str] | None, troubles: list[str]
) -> Iterator[str]:
    """Yield the valid places in a row's cell `student`, several for a team; for each invalid one, a
    sentence is added to `troubles`.
    """
    for place in dict.fromkeys(filter(None, SEPARATORS.split(students))):
        student = place.rpartition("/")[2]
        if not is_student_id(student):
            troubles.append(
                f"`{row.file}`: `{printable(student)}` cannot be a student's id (letters, digits, "
                ". _ @ -, at most 64)."
            )
        elif allowed is not None and student not in allowed:
            similar = [id for id in sorted(allowed) if id.lstrip("0") == student.lstrip("0")]
            hint = f"; is `{similar[0]}` meant?" if similar else "."
            troubles.append(f"`{row.file}`: `{student}` is not in the roster{hint}")
        else:
            yield place


def _read_choices(path: Path) -> dict[tuple[str, str], str]:
    """Return the cell `student` of each row of a table, by the row's cells `download` and `file`.
    Raises `TableError` if two rows have these cells in common, or if the table cannot be read.
    """
    filled: dict[tuple[str, str], str] = {}
    for line, cells in read_table(path).records(*KEYS):
        download, file, student = (cells[name].strip() for name in KEYS)
        if (download, file) in filled:
            raise TableError(
                f"`{path}`, line {line}: `{printable(file)}` is there twice; leave one."
            )
        if download or file:
            filled[download, file] = student
    return filled
