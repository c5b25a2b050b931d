"""Canvas, both ways: "Download submissions", and the table that its gradebook imports.

In the download all files are in one folder, named by user and upload:

    softmaxada_12345_67890_sheet-3.ipynb             last name and first name, user, upload
    softmaxada_LATE_12345_67890_sheet-3-1.ipynb      after the due date; handed in again
    anon_aB3xZ_67890_sheet-3.ipynb                   graded without names
    softmaxada_12345_text.html                       a text or a link, and no file

Canvas writes the moment of the download into the zip, not that of handing in: uploads are told
apart by their number, which counts up, and whoever was late by the word.

The table is for Grades, Import. Canvas reads an empty cell as "no grade" and deletes the one that
is there; a student whose row is missing keeps it. So nothing is emptied here, and who has no grade
is left out of a new table.
"""

from collections import defaultdict
from collections.abc import Collection, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from autograder.patterns import WORD, Pattern
from autograder.people import Person, slug, spellings
from autograder.platforms.download import Contents, File, HandedIn, Item, Left, Platform
from autograder.platforms.downloaded_sheet import (
    EMPTY_CELLS,
    FilledSheet,
    Sheet,
    number_in,
    read_sheet,
    refuse_duplicates,
)
from autograder.platforms.errors import ExportError
from autograder.platforms.grades import Grade, decimal_text, scale_warning
from autograder.platforms.matching import (
    MatchKey,
    guesses,
    login_guess,
    match_rows,
    normalised,
)
from autograder.text import printable, text_cell

PLATFORM = "canvas"
WRITTEN = Pattern(r"(?s)(.*_)?(\d+|anon_[A-Za-z0-9]+)_(\d+_.+|text\.html|link\.html)")
IN_NAME = Pattern(f"[{WORD}]*")  # Canvas takes all else out of a name
TEXTS = ["text.html"], ["link.html"]

TITLE_AND_ID = Pattern(r"(?P<title>.*\S)\s+\((?P<id>\d+)\)\s*")
POSSIBLE = "points possible"
READ_ONLY = Pattern(r"(?i)read\s+only")
NOTE = Pattern(r"(?i)\s*(muted|manual posting.*)?\s*")  # of a row of no student
KEPT = ("EX", "N/A")  # excused; not assigned to this student
NEW_HEADER = ["Student", "ID", "SIS User ID", "SIS Login ID", "Section"]


@dataclass(frozen=True)
class _Reading:
    """One way to take a name apart: a student's own numbers may stand beside Canvas's."""

    name: str
    user: str
    upload: str = ""  # of a file
    file: str = ""

    @property
    def late(self) -> bool:
        return self.name.endswith("_LATE")


def _readings(written: str) -> list[_Reading]:
    """All ways to find Canvas's numbers, after a name and before what the student called the file."""
    parts = written.split("_")
    users = [(i, i + 1) for i in range(1, len(parts)) if _is_number(parts[i])]
    if parts[0] == "anon" and len(parts) > 1 and parts[1].isalnum():
        users.insert(0, (0, 2))
    found = []
    for start, end in users:
        name, user, rest = (
            "_".join(part) for part in (parts[:start], parts[start:end], parts[end:])
        )
        upload, _, file = rest.partition("_")
        if not IN_NAME.fullmatch(name):
            break
        if _is_number(upload) and file:
            found.append(_Reading(name, user, upload, file))
        elif parts[end:] in TEXTS:
            found.append(_Reading(name, user))
    return found


def _is_number(text: str) -> bool:
    return text.isascii() and text.isdigit()


def _sort_by_student(items: list[Item], assignment_id: str, known: Collection[str]) -> Contents:
    """Sort the files by user; of several whom a name may say, it is the one whose number is known."""
    contents = Contents([])
    by_user: dict[str, list[tuple[_Reading, File]]] = defaultdict(list)
    for item in items:
        readings = _readings(item.name)
        found = [one for one in readings if one.user in known] if len(readings) > 1 else readings
        if len(found) == 1:
            by_user[found[0].user].append((found[0], item.files[0]))
        else:
            users = " or ".join(one.user for one in found or readings) or "nobody"
            sentence = f"`{printable(item.name)}` is nobody's: its user may be {users}."
            contents.without_student.append(Left(item.files[0].path, sentence, item.files[0]))
    contents.handed_in.extend(_handed_in(user, found) for user, found in by_user.items())
    return contents


def _handed_in(user: str, named: list[tuple[_Reading, File]]) -> HandedIn:
    name = named[0][0].name.removesuffix("_LATE")
    student = slug(name, user) if slug(name) else slug("canvas", user)
    files = tuple(
        replace(file, student_name=said.file, upload=int(said.upload[:18]))
        for said, file in named
        if said.file
    )
    return HandedIn(
        person=Person(student, name, platform=PLATFORM, number=user),
        label=f"{name}_{user}" if name else user,
        files=files,
        time_from="Canvas's zip tells none",
        late=any(said.late for said, _ in named),
        timeless=True,
    )


RECORD = Platform(PLATFORM, WRITTEN, _sort_by_student, folders=False, files=True)


def fill_sheet(
    path: Path, grades: Sequence[Grade], assignment: str, wanted: str | None
) -> FilledSheet:
    """Fill the assignment's column of a downloaded gradebook, or the `wanted` one.

    Raises `ExportError`, `OSError`.
    """
    sheet = read_sheet(path)
    if sheet.column("ID") is None or sheet.column("Student", "LastName") is None:
        raise ExportError(
            f"`{path}` is no gradebook from Canvas: the columns Student and ID are not there."
        )
    column = _column(path, sheet, assignment, wanted)
    rows = {i: row for i, row in enumerate(sheet.rows) if i and _is_student(row)}
    refuse_duplicates(path, "ID", (row[sheet.column("ID") or 0].strip() for row in rows.values()))
    matches = match_rows(grades, rows, _match_keys(sheet))
    filled = FilledSheet(sheet, matches, sheet.has_commas(column))
    if not matches.rows:
        raise ExportError(
            f"`{path}` is of other students: none of its rows is of one with a verdict."
        )
    possible = number_in(_possible_row(sheet)[column])
    filled.remarks += scale_warning(f"`{sheet.header[column]}`", possible, grades)
    for i, grade in sorted(matches.rows.items()):
        _fill_row(filled, sheet.rows[i], column, grade)
    return filled


def _fill_row(filled: FilledSheet, row: list[str], column: int, grade: Grade) -> None:
    before = row[column].strip()
    if before.upper() in KEPT or (grade.total is None and before not in EMPTY_CELLS):
        filled.kept.append(f"{grade.student} ({before})")
    elif grade.total is not None:
        filled.enter(row, column, grade.total)


def new_sheet(grades: Sequence[Grade], assignment: str, column: str | None) -> FilledSheet:
    """Make a table from what is known of the students."""
    graded = [grade for grade in grades if grade.total is not None]
    most = decimal_text(max((grade.max_points for grade in graded), default=0.0))
    rows = [[*NEW_HEADER, column or assignment], ["    Points Possible", "", "", "", "", most]]
    for grade in graded:
        person, total = grade.person, decimal_text(grade.total or 0.0)
        number = person.number if person.platform in ("canvas", "") else ""
        name = person.name or person.student
        rows.append([text_cell(name), text_cell(number), "", person.student, "", total])
    remark = (
        "Made without a sheet: Canvas takes a column of a name that it does not know for a new "
        "assignment. Surer is --sheet, with the gradebook as Canvas exports it."
    )
    return FilledSheet(Sheet(rows), entered=len(graded), remarks=[remark])


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
        hits = [i for i, it in candidates.items() if _letters(it["title"]) == _letters(assignment)]
    if len(hits) == 1 and hits[0] in candidates:
        return hits[0]
    listed = ", ".join(f"`{sheet.header[i]}`" for i in candidates) or "none that may be changed"
    raise ExportError(
        f"Which column of `{path}` is {wanted or assignment}? Add --column and one of these: {listed}."
    )


def _letters(title: str) -> str:
    """The title's letters and digits."""
    return "".join(one for one in normalised(title) if one.isalnum())


def _possible_row(sheet: Sheet) -> list[str]:
    rows = (row for row in sheet.rows[1:] if POSSIBLE in row[0].casefold())
    return next(rows, [""] * len(sheet.header))


def _read_only(sheet: Sheet, column: int) -> bool:
    return bool(READ_ONLY.search(_possible_row(sheet)[column]))


def _is_student(row: list[str]) -> bool:
    return POSSIBLE not in row[0].casefold() and not all(NOTE.fullmatch(cell) for cell in row)


def _match_keys(sheet: Sheet) -> list[MatchKey]:
    """What tells whose a row is, the surest first."""
    logins = sheet.cells("SIS User ID", "SIS Login ID", "Integration ID")
    names = sheet.cells("Student", "FirstName", "LastName")
    return [
        MatchKey(
            lambda g: [g.person.number] if g.person.platform in ("canvas", "") else [],
            sheet.cells("ID"),
        ),
        MatchKey(lambda g: [g.student], logins),
        MatchKey(lambda g: [g.person.email], logins),
        MatchKey(
            guesses,
            lambda row: [
                *spellings(" ".join(names(row))),
                *(one for cell in logins(row) for one in login_guess(cell, of_row=True)),
            ],
            sure=False,
        ),
    ]
