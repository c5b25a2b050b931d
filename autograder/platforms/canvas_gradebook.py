"""Give grades back to Canvas: fill in the table that its gradebook imports, and make the zip of
feedback.

The table is for Grades, Import. Canvas reads an empty cell as "no grade" and deletes the grade that
it has; a student without a row keeps it. So no cell is emptied here, and a new table leaves out
students without a grade.

The zip is for "Upload Submissions". Canvas finds a file's student by its name alone: the first two
parts that are numbers are the user and the upload, and the upload must be one of the newest attempt
(if graded anonymously: `anon`, the user's code, the upload). It shows the file as a comment, under
the name that the student gave the upload. So the feedback on a notebook is a notebook, and the
feedback on a zip is a zip: a page of HTML would be offered as `sheet-3.ipynb`, and not open.

https://github.com/instructure/canvas-lms/blob/master/app/models/abstract_assignment.rb
(`infer_comment_context_from_filename`, `generate_comments_from_files`)
"""

from pathlib import Path

from autograder.files.csv_text import Table
from autograder.people.matching import spellings
from autograder.platforms.feedback import feedback_page, notebook, zip_bytes
from autograder.platforms.grades import Grade, decimal_text
from autograder.platforms.platform import ClassGrades, Format, ReceivedFile
from autograder.platforms.sheet import (
    FilledSheet,
    MatchKey,
    guesses,
    has_commas,
    login_guess,
    match_sheet,
    normalised,
    number_in,
    read_sheet,
    refuse_duplicates,
    scale_warning,
)
from autograder.text.errors import CommandError
from autograder.text.patterns import Pattern
from autograder.text.printable import text_cell
from autograder.text.wording import name_some

PLATFORM = "canvas"
TITLE_AND_ID = Pattern(r"(?P<title>.*\S)\s+\((?P<id>\d+)\)\s*")
POSSIBLE = "points possible"
READ_ONLY = Pattern(r"(?i)read\s+only")
NOTE = Pattern(r"(?i)\s*(muted|manual posting.*)?\s*")  # of a row of no student
KEPT = ("EX", "N/A")  # excused; not assigned to this student
NEW_HEADER = ["Student", "ID", "SIS User ID", "SIS Login ID", "Section"]
ZIP, NOTEBOOK = ".zip", ".ipynb"
USER = Pattern(r"[0-9]+|anon_[A-Za-z0-9]+")


def _write(of_class: ClassGrades) -> tuple[list[bytes], list[str]]:
    """Return the contents of the grade table and of the zip of feedback, and sentences on both.
    Raises `CommandError` if the downloaded gradebook cannot be used.
    """
    filled = _fill_sheet(of_class.sheet, of_class) if of_class.sheet else _new_sheet(of_class)
    feedback, unknown = _feedback(of_class)
    return [filled.sheet.to_bytes(), zip_bytes(feedback)], [*filled.describe(), *unknown]


def _fill_sheet(path: Path, of_class: ClassGrades) -> FilledSheet:
    """Fill the grades into the gradebook downloaded to `path`, in the assignment's column or the
    one named by `--column`; return the filled table, without writing a file.

    Raises `TableError` if the file is no table; `CommandError` if it is no gradebook from Canvas,
    has one student twice, has none of the graded students, or if not exactly one column fits.
    """
    sheet = read_sheet(path)
    if sheet.column("ID") is None or sheet.column("Student", "LastName") is None:
        raise CommandError(
            f"`{path}` is no gradebook from Canvas: the columns Student and ID are not there."
        )
    column = _column(path, sheet, of_class)
    rows = {i: row for i, row in enumerate(sheet.rows) if i and _is_student(row)}
    refuse_duplicates(path, "ID", (row[sheet.column("ID") or 0].strip() for row in rows.values()))
    filled = match_sheet(path, sheet, of_class.grades, rows, _match_keys(sheet))
    filled.commas = has_commas(sheet, column)
    possible = number_in(_possible_row(sheet)[column])
    filled.remarks += scale_warning(f"`{sheet.header[column]}`", possible, of_class.grades)
    for i, grade in sorted(filled.grades.items()):
        row, before = sheet.rows[i], sheet.rows[i][column].strip()
        filled.enter(grade, row, column, before if before.upper() in KEPT else "")
    return filled


def _new_sheet(of_class: ClassGrades) -> FilledSheet:
    """Return a new grade table for the students with a grade, made without a downloaded gradebook."""
    column = of_class.column or of_class.assignment
    graded = [grade for grade in of_class.grades if grade.total is not None]
    most = decimal_text(max((grade.max_points for grade in graded), default=0.0))
    rows = [[*NEW_HEADER, column], ["    Points Possible", "", "", "", "", most]]
    for grade in graded:
        person, total = grade.person, decimal_text(grade.total or 0.0)
        number = text_cell(grade.number_at(PLATFORM))
        rows.append(
            [text_cell(person.name or person.student), number, "", person.student, "", total]
        )
    remark = (
        "Made without a sheet: Canvas takes a column of a name that it does not know for a new "
        "assignment. Surer is --sheet, with the gradebook as Canvas exports it."
    )
    return FilledSheet(Table(rows), entered=len(graded), remarks=[remark])


def _column(path: Path, sheet: Table, of_class: ClassGrades) -> int:
    """Return the index of the assignment's column, whose header is `<title> (<number>)`; with
    `--column`, of the column whose header, title or number that option gives. `path`: the table's
    file, for messages.

    Raises `CommandError` unless exactly one column fits and its header has this form; columns that
    Canvas marks as read-only do not count.
    """
    assignment, wanted = of_class.assignment, of_class.column
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
    raise CommandError(
        f"Which column of `{path}` is {wanted or assignment}? Add --column and one of these: {listed}."
    )


def _letters(title: str) -> str:
    """Return a title's letters and digits only, in lower case."""
    return "".join(one for one in normalised(title) if one.isalnum())


def _possible_row(sheet: Table) -> list[str]:
    rows = (row for row in sheet.rows[1:] if POSSIBLE in row[0].casefold())
    return next(rows, [""] * len(sheet.header))


def _read_only(sheet: Table, column: int) -> bool:
    return bool(READ_ONLY.search(_possible_row(sheet)[column]))


def _is_student(row: list[str]) -> bool:
    return POSSIBLE not in row[0].casefold() and not all(NOTE.fullmatch(cell) for cell in row)


def _match_keys(sheet: Table) -> list[MatchKey]:
    """Return the kinds of text by which a row is matched with a student, the most reliable first."""
    logins = sheet.cells("SIS User ID", "SIS Login ID", "Integration ID")
    names = sheet.cells("Student", "FirstName", "LastName")
    return [
        MatchKey(lambda g: [g.number_at(PLATFORM)], sheet.cells("ID")),
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


def _feedback(of_class: ClassGrades) -> tuple[dict[str, bytes], list[str]]:
    """Return the feedback files by the file names that Canvas accepts; and a list with one sentence
    that names the students whose uploads are not known, [] if all are known.
    """
    found, unknown = of_class.by_name(
        lambda one: _feedback_name(of_class.received.get(one.student))
    )
    files = {name: of_class.parts[grades[-1].student] for name, grades in found.items()}
    if not unknown:
        return files, []
    return files, [
        f"No feedback for Canvas of {name_some(unknown)}: no upload of theirs was collected from "
        "Canvas. `collect` its download, and name that folder with --submitted."
    ]


def _feedback_name(file: ReceivedFile | None) -> str:
    """Return the file name under which Canvas accepts feedback on this upload; "" if Canvas would
    accept none.
    """
    if file is None or file.upload is None or not USER.fullmatch(file.number):
        return ""
    suffix = Path(file.name).suffix.lower()
    if suffix not in (ZIP, NOTEBOOK):
        return ""
    user = file.number if file.number.startswith("anon_") else f"student_{file.number}"
    return f"{user}_{file.upload}_feedback{suffix}"


def _part(grade: Grade, of_class: ClassGrades) -> bytes:
    """Return the student's feedback as a file of the type that the student uploaded: a notebook or
    a zip; a notebook also if no upload is known.
    """
    if not _feedback_name(of_class.received.get(grade.student)).lower().endswith(ZIP):
        return notebook(grade)
    return zip_bytes({"feedback.html": feedback_page(of_class.course, grade)})


FORMAT = Format(
    files=("canvas.csv", "canvas-feedback.zip"),
    part=_part,
    write=_write,
    is_ours=lambda header: "ID" in header and bool({"Student", "LastName"} & {*header}),
    sheet=True,
    column=True,
    pages=True,
    manual=(
        "the gradebook with grades (`--sheet`: its export), a zip of pages",
        "*Import*, *Upload Submissions*",
    ),
)
