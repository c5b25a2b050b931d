"""The table of unmatched submissions: a row for each file that may be a student's notebook.

    unmatched-<assignment>.csv    beside the folder of submissions

`collect --resolve` reads a copy of it in which staff have filled in the column `student`.
"""

import json
from collections import Counter, defaultdict
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from sqlalchemy import or_, select
from sqlalchemy.orm import Session

from autograder.classroom.records.received import (
    Choice,
    Placement,
    Sighting,
    Submission,
    Unmatched,
    read_file,
    roster_rows,
    store_file,
)
from autograder.classroom.roster import is_student_id
from autograder.classroom.unmatched import unmatched_path
from autograder.engine import AutograderError, Pattern, files, find_assignment, printable, texts
from autograder.platforms.collect.choose import NotPlaced, choose_notebook
from autograder.platforms.collect.contents import Content
from autograder.platforms.collect.receive import Run
from autograder.platforms.download import File

COLUMNS = ["download", "file", "name", "email", "platform", "reason", "student"]
KEYS = "download", "file", "student"
NOBODY = "-"  # in place of a student; the submission is then no longer listed
SEPARATORS = Pattern(r"[\s,;]+")


@dataclass(frozen=True)
class Row:
    """A row of the table: a file that may be a student's notebook, and its submission."""

    submission: Submission
    path: str  # of the file in its download
    file: str  # the path as shown in the table
    reason: str  # why the submission is unmatched; "" if it is not

    @property
    def key(self) -> tuple[str, str]:
        """The cells `download` and `file`, as read after a spreadsheet program has saved the table."""
        shown = printable(self.submission.download), self.file
        download, file = (
            texts.unescape_formulas(str(texts.safe_cell(text))).strip() for text in shown
        )
        return download, file


def _rows(records: Session, assignment_id: str) -> Iterator[Row]:
    """Yield a row for each file that may be a notebook. Repeated names get a part of the key."""
    counts = Counter[tuple[str, str]]()
    query = select(Submission, Unmatched.reason).where(Submission.assignment == assignment_id)
    query = query.outerjoin(Unmatched, Unmatched.submission_id == Submission.id)
    for submission, reason in records.execute(query.order_by(Submission.id)):
        for path in json.loads(submission.notebooks):
            name = submission.download, printable(path, 1_000)
            counts[name] += 1
            suffix = f" [{submission.key[:8]}]" if counts[name] > 1 else ""
            yield Row(submission, path, name[1] + suffix, reason or "")


def write_unmatched(records: Session, into: Path, assignment_id: str) -> Path | None:
    """Write the table of an assignment's unmatched submissions, and return its path. If there are
    none, remove the table and return None. Students that are already filled in are kept. A file
    that is not such a table is renamed. Raises `OSError`.
    """
    path = unmatched_path(into, assignment_id)
    try:
        filled = _read_choices(path)
    except files.TableError:
        filled = {}
        if files.kind_of(path, path.parent) is not None:
            names = {entry.name for entry in files.entries(path.parent, path.parent)}
            free = (f"{path.stem}-{n}.csv" for n in range(1, len(names) + 2))
            path.rename(path.with_name(next(name for name in free if name not in names)))
    lines = [
        [
            printable(row.submission.download), row.file, row.submission.name, row.submission.email,
            row.submission.platform, row.reason, filled.get(row.key, ""),
        ]
        for row in _rows(records, assignment_id)
        if row.reason
    ]  # fmt: skip
    if not lines:
        path.unlink(missing_ok=True)
        return None
    with files.replacing(path) as file:
        file.write(files.csv_text([COLUMNS, *lines]))
    return path


def record_choices(run: Run, path: Path) -> tuple[list[str], list[str]]:
    """Record the choices that staff filled in in the column `student` of a copy of the table.
    Return a sentence for each unusable row, and the students of other assignments, as
    `sheet-4/ada`, with a known time of submission there. Raises `TableError` if the table cannot be
    read, or nothing is filled in.
    """
    rows = {row.key: row for row in _rows(run.records, run.assignment.id)}
    filled = {key: students for key, students in _read_choices(path).items() if students}
    if not filled:
        raise files.TableError(f"Nothing is filled in in the column `student` of `{path}`.")
    on_roster = {row.student for row in roster_rows(run.records)}
    allowed = on_roster and on_roster | run.groups().by_id.keys()
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
            for place in dict.fromkeys(filter(None, SEPARATORS.split(students))):
                if trouble := _why_not(place.rpartition("/")[2], allowed):
                    troubles.append(f"`{row.file}`: {trouble}")
                else:
                    chosen[row.submission.id, place].append(row)
    return troubles, _record_chosen(run, chosen, troubles)


def _record_chosen(
    run: Run, chosen: dict[tuple[int, str], list[Row]], troubles: list[str]
) -> list[str]:
    """Record the chosen rows, and add sentences to `troubles`. Return the places already taken."""
    places: list[str] = []
    shared = Counter(id for id, _ in chosen)
    for (id, place), (row, *other_rows) in chosen.items():
        if other_rows:
            file_names = " and ".join(f"`{same_row.file}`" for same_row in (row, *other_rows))
            troubles.append(f"{file_names} cannot both be of `{place}`: fill in one of them.")
            continue
        try:
            _choose(run, row, place, is_alone=shared[id] == 1)
        except (NotPlaced, AutograderError) as error:
            troubles.append(f"`{row.file}`: {error}.")
        else:
            places += [place] * _is_there(run.records, *place.rpartition("/")[::2])
    return places


def _is_there(records: Session, assignment_id: str, student: str) -> bool:
    """Whether a submission of this student or the student's group has a known time."""
    is_owner = or_(Placement.student == student, Placement.sender == student)
    rows = select(Placement).where(Placement.assignment == assignment_id, is_owner)
    return any(row.submitted_at for row in records.scalars(rows))


def _why_not(student: str, allowed: set[str]) -> str:
    """Return why a student cannot get a submission, or "". `allowed`: ids, empty for any."""
    if not is_student_id(student):
        return f"`{printable(student)}` cannot be a student's id (letters, digits, . _ @ -, at most 64)."
    if not allowed or student in allowed:
        return ""
    similar = [id for id in sorted(allowed) if id.lstrip("0") == student.lstrip("0")]
    hint = f"; is `{similar[0]}` meant?" if similar else "."
    return f"`{student}` is not in the roster{hint}"


def _choose(run: Run, row: Row, place: str, is_alone: bool) -> None:
    """Record a choice: `ada`, or `sheet-4/ada`. Raises `NotPlaced` if the notebook is missing."""
    id, _, student = place.rpartition("/")
    assignment = find_assignment(id, run.assignment.course) if id else run.assignment
    contents = [
        Content(
            File(tuple(part["path"].split("/")), None, "", student_name=part["name"]),
            read_file(run.records, part["sha256"]),
        )
        for part in json.loads(row.submission.files)
    ]
    notebook, remark = choose_notebook(contents, assignment, row.path)
    remarks = "; ".join(filter(None, [f"placed as `{id}`" if id else "", remark]))
    sha256 = store_file(run.records, notebook.data)
    run.records.add(
        Choice(
            run.row.id, assignment.id, row.submission.id, student, sha256, notebook.file.path,
            remarks, is_alone,
        )
    )  # fmt: skip
    # so that a worksheet of this run applies to it
    run.records.add(Sighting(*run.fact, row.submission.id))
    run.seen.add(row.submission.id)
    run.chosen.add(row.submission.id)


def _read_choices(path: Path) -> dict[tuple[str, str], str]:
    """Return the cells `student` by `download` and `file`. Raises `TableError` for repeated rows."""
    filled: dict[tuple[str, str], str] = {}
    for line, cells in files.read_table(path).records(*KEYS):
        download, file, student = (cells[name].strip() for name in KEYS)
        if (download, file) in filled:
            raise files.TableError(
                f"`{path}`, line {line}: `{printable(file)}` is there twice; leave one."
            )
        if download or file:
            filled[download, file] = student
    return filled
