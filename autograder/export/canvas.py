"""The table that Canvas' gradebook takes back: Grades, Import.

Canvas reads an empty cell as "no grade" and deletes the one that is there; a student whose row is
missing keeps it. So nothing is emptied here, and who has no grade is left out of a new table.
"""

import re
from collections.abc import Sequence
from pathlib import Path

from autograder.export.cells import neutral
from autograder.export.errors import ExportError
from autograder.export.grades import Grade, other_scale, written
from autograder.export.matching import Level, folded, login_of_row, login_of_student, match, names
from autograder.export.sheet import (
    NOTHING,
    Filled,
    Sheet,
    points_in,
    read_sheet,
    refuse_duplicates,
)

TITLE_AND_ID = re.compile(r"(?P<title>.*\S)\s+\((?P<id>\d+)\)\s*")
POSSIBLE = "points possible"
READ_ONLY = re.compile(r"read\s+only", re.IGNORECASE)
NOTE = re.compile(r"\s*(muted|manual posting.*)?\s*", re.IGNORECASE)  # of a row of no student
KEPT = ("EX", "N/A")  # excused; not assigned to this student
NEW = ["Student", "ID", "SIS User ID", "SIS Login ID", "Section"]


def fill(path: Path, grades: Sequence[Grade], assignment: str, wanted: str | None) -> Filled:
    """Fill this assignment's column of a downloaded gradebook. Raises `ExportError`, `OSError`."""
    sheet = read_sheet(path)
    if sheet.column("ID") is None or sheet.column("Student", "LastName") is None:
        raise ExportError(
            f"`{path}` is no gradebook from Canvas: the columns Student and ID are not there."
        )
    column = _column(path, sheet, assignment, wanted)
    rows = {i: row for i, row in enumerate(sheet.rows) if i and _is_student(row)}
    refuse_duplicates(path, "ID", (row[sheet.column("ID") or 0].strip() for row in rows.values()))
    filled = Filled(sheet, match(grades, rows, _levels(sheet)), sheet.has_commas(column))
    if not filled.matches.rows:
        raise ExportError(
            f"`{path}` is of other students: none of its rows is of one with a verdict."
        )
    filled.remarks += _possible(sheet, column, grades)
    for i, grade in sorted(filled.matches.rows.items()):
        _fill(filled, sheet.rows[i], column, grade)
    return filled


def _fill(filled: Filled, row: list[str], column: int, grade: Grade) -> None:
    before = row[column].strip()
    if before.upper() in KEPT or (grade.total is None and before not in NOTHING):
        filled.kept.append(f"{grade.student} ({before})")
    elif grade.total is not None:
        filled.give(row, column, grade.total)


def new(grades: Sequence[Grade], assignment: str, column: str | None) -> Filled:
    """Make a table from what is known of the students."""
    graded = [grade for grade in grades if grade.total is not None]
    most = max((grade.max_points for grade in graded), default=0.0)
    rows = [[*NEW, column or assignment], ["    Points Possible", "", "", "", "", written(most)]]
    for grade in graded:
        person, total = grade.person, grade.total or 0.0
        number = person.number if person.platform in ("canvas", "") else ""
        name = person.name or person.student
        rows.append([neutral(name), neutral(number), "", person.student, "", written(total)])
    remark = (
        "Made without a sheet: Canvas takes a column of a name that it does not know for a new "
        "assignment. Surer is --sheet, with the gradebook as Canvas exports it."
    )
    return Filled(Sheet(rows), given=len(graded), remarks=[remark])


def _column(path: Path, sheet: Sheet, assignment: str, wanted: str | None) -> int:
    """The assignment's column: `<name> (<number>)`, or the one that was asked for."""
    found = {i: TITLE_AND_ID.fullmatch(name) for i, name in enumerate(sheet.header)}
    candidates = {i: title for i, title in found.items() if title and not _read_only(sheet, i)}
    if wanted is not None:
        hits = [i for i, name in enumerate(sheet.header) if name.strip() == wanted.strip()]
        hits = hits or [
            i for i, it in candidates.items() if wanted.strip() in (it["title"], it["id"])
        ]
    else:
        hits = [i for i, it in candidates.items() if _bare(it["title"]) == _bare(assignment)]
    if len(hits) == 1 and hits[0] in candidates:
        return hits[0]
    listed = ", ".join(f"`{sheet.header[i]}`" for i in candidates) or "none that may be changed"
    raise ExportError(
        f"Which column of `{path}` is {wanted or assignment}? Add --column and one of these: {listed}."
    )


def _bare(title: str) -> str:
    return re.sub(r"[\W_]+", "", folded(title))


def _possible_row(sheet: Sheet) -> list[str]:
    rows = (row for row in sheet.rows[1:] if POSSIBLE in row[0].casefold())
    return next(rows, [""] * len(sheet.header))


def _read_only(sheet: Sheet, column: int) -> bool:
    return bool(READ_ONLY.search(_possible_row(sheet)[column]))


def _is_student(row: list[str]) -> bool:
    return POSSIBLE not in row[0].casefold() and not all(NOTE.fullmatch(cell) for cell in row)


def _levels(sheet: Sheet) -> list[Level]:
    def cells(*columns: str):
        places = [place for name in columns if (place := sheet.column(name)) is not None]
        return lambda row: [row[place] for place in places]

    id, login_id = cells("ID"), cells("SIS Login ID")
    ids = cells("ID", "SIS User ID", "SIS Login ID", "Integration ID")
    first, last = sheet.column("FirstName"), sheet.column("LastName")

    def row_names(row: list[str]) -> list[str]:
        if first is not None and last is not None:
            return [f"{row[first]} {row[last]}"]
        return names(row[sheet.column("Student") or 0])

    return [
        Level(lambda g: [g.person.number] if g.person.platform in ("canvas", "") else [], id),
        Level(lambda g: [g.student, g.person.email], ids),
        Level(
            lambda g: [*login_of_student(g.student), *login_of_student(g.person.email)],
            lambda row: [key for cell in login_id(row) for key in login_of_row(cell)],
        ),
        Level(lambda g: names(g.person.name), row_names, sure=False),
    ]


def _possible(sheet: Sheet, column: int, grades: Sequence[Grade]) -> list[str]:
    possible = points_in(_possible_row(sheet)[column])
    return other_scale(f"`{sheet.header[column]}`", possible, grades)
