"""What Moodle's assignment takes back: the offline grading worksheet, and the feedback files' zip.

Moodle finds columns by their names in the user's language, people by the number at the end of the
identifier, and passes over rows without a grade, above the maximum, or locked. An empty comment
empties the one that is there. In the zip, a folder's name is split at its underscores: the number
must be the second part.
"""

import re
from collections.abc import Sequence
from pathlib import Path

from autograder.export.cells import neutral
from autograder.export.errors import ExportError
from autograder.export.feedback import comment, made_by_nbgrader, merged, page
from autograder.export.grades import Grade, other_scale, written
from autograder.export.matching import Level, digits, login_of_row, login_of_student, match, names
from autograder.export.sheet import (
    NOTHING,
    Filled,
    Sheet,
    points_in,
    read_sheet,
    refuse_duplicates,
)

ID = "Identifier", "ID"
NAME = "Full name", "Vollständiger Name", "Name"
EMAIL = "Email address", "E-Mail-Adresse", "E-Mail", "Email"
OTHER_IDS = (
    *("Username", "Anmeldename", "ID number", "ID-Nummer", "Matrikelnummer"),
    *("Student ID", "Institution ID"),
)
GRADE = "Grade", "Bewertung"
MAXIMUM = "Maximum grade", "Maximum Grade", "Bestwertung", "Höchstbewertung"
SCALE = "Scale", "Skala"
LOCKED = "Grade can be changed", "Bewertung kann geändert werden"
MODIFIED = (
    *("Last modified (grade)", "Zuletzt geändert (Bewertung)"),
    "Letzte Änderung (Bewertung)",
)
COMMENTS = "Feedback comments", "Feedback als Kommentar", "Feedback-Kommentare"
NEEDED = {"identifier": ID, "grade": GRADE, "last modification of the grade": MODIFIED}
NO = "no", "nein"
NEW = [
    *("Identifier", "Full name", "Email address", "Status", "Grade", "Maximum Grade"),
    *("Grade can be changed", "Last modified (submission)", "Last modified (grade)"),
    "Feedback comments",
]
UNWANTED = re.compile(r'[\x00-\x1f\x7f<>:"/\\|?*&_]+')


def fill(path: Path, grades: Sequence[Grade]) -> Filled:
    """Fill a worksheet as downloaded. Raises `ExportError`, `OSError`."""
    sheet = read_sheet(path)
    column = _columns(path, sheet)
    rows = {i: row for i, row in enumerate(sheet.rows) if i}
    refuse_duplicates(
        path, "identifier", (digits(row[column["identifier"]]) for row in rows.values())
    )
    commas = sheet.has_commas(column["grade"], sheet.column(*MAXIMUM))
    filled = Filled(sheet, match(grades, rows, _levels(sheet)), commas)
    if not filled.matches.rows:
        raise ExportError(
            f"`{path}` is of other students: none of its rows is of one with a verdict."
        )
    for i, grade in sorted(filled.matches.rows.items()):
        _fill(filled, sheet.rows[i], column["grade"], grade)
    filled.remarks += _remarks(sheet, grades)
    return filled


def _fill(filled: Filled, row: list[str], column: int, grade: Grade) -> None:
    sheet = filled.sheet
    before, changeable = row[column].strip(), sheet.column(*LOCKED)
    if changeable is not None and row[changeable].strip().casefold() in NO:
        filled.kept.append(f"{grade.student} (locked in Moodle)")
        return
    if grade.total is not None:
        filled.give(row, column, grade.total)
    elif before not in NOTHING:
        filled.kept.append(f"{grade.student} ({before})")
    comments = sheet.column(*COMMENTS)
    if comments is not None:
        row[comments] = merged(row[comments], grade)


def _columns(path: Path, sheet: Sheet) -> dict[str, int]:
    """Where the columns are that Moodle itself looks for. Raises `ExportError`."""
    found = {what: sheet.column(*names) for what, names in NEEDED.items()}
    missing = [what for what, column in found.items() if column is None]
    if missing:
        words = " or ".join(f"`{name}`" for name in NEEDED[missing[0]])
        raise ExportError(
            f"`{path}` is no grading worksheet from Moodle, or one in another language: there is no "
            f"column {words} (the {missing[0]}). English and German are known."
        )
    if sheet.column(*SCALE) is not None and sheet.column(*MAXIMUM) is None:
        raise ExportError(
            f"`{path}` grades by a scale, not by points: set the assignment's grade to points."
        )
    return {what: column for what, column in found.items() if column is not None}


def _levels(sheet: Sheet) -> list[Level]:
    def cells(*groups: Sequence[str]):
        places = [place for names in groups if (place := sheet.column(*names)) is not None]
        return lambda row: [row[place] for place in places]

    id, ids = cells(ID), cells(EMAIL, *((name,) for name in OTHER_IDS))
    email, name = cells(EMAIL), cells(NAME)
    return [
        Level(
            lambda g: [digits(g.person.number)] if g.person.platform in ("moodle", "") else [],
            lambda row: [digits(cell) for cell in id(row)],
        ),
        Level(lambda g: [g.student, g.person.email], ids),
        Level(
            lambda g: [*login_of_student(g.student), *login_of_student(g.person.email)],
            lambda row: [key for cell in email(row) for key in login_of_row(cell)],
        ),
        Level(
            lambda g: [g.student] if g.student.isdigit() else [],
            lambda row: [digits(cell) for cell in id(row)],
        ),
        Level(
            lambda g: names(g.person.name),
            lambda row: [one for cell in name(row) for one in names(cell)],
            sure=False,
        ),
    ]


def _remarks(sheet: Sheet, grades: Sequence[Grade]) -> list[str]:
    remarks, maximum = [], sheet.column(*MAXIMUM)
    if maximum is not None:
        possible = next((p for row in sheet.rows[1:] if (p := points_in(row[maximum]))), None)
        remarks += other_scale("The assignment", possible, grades)
        above = [g.student for g in grades if possible and g.total and g.total > possible]
        if above:
            remarks.append(f"Moodle passes over grades above its maximum: {', '.join(above)}.")
    if sheet.column(*COMMENTS) is None:
        remarks.append("The worksheet has no column for comments: switch on Feedback comments.")
    return remarks


def new(grades: Sequence[Grade]) -> Filled:
    """Make a worksheet from what is known of the students. Raises `ExportError`."""
    known = {i: grade for i, grade in enumerate(grades, 1) if participant(grade)}
    if not known:
        raise ExportError(
            "No participant number of Moodle's is known of anybody: give --sheet with the grading "
            "worksheet as downloaded (or --submitted, the folder that `collect` filled)."
        )
    most = written(max(grade.max_points for grade in known.values()))
    filled = Filled(Sheet([list(NEW)]))
    for grade in known.values():
        total = "" if grade.total is None else written(grade.total)
        person = grade.person
        filled.matches.rows[len(filled.sheet.rows)] = grade
        filled.given += grade.total is not None
        filled.sheet.rows.append(
            [
                *(f"Participant {participant(grade)}", neutral(person.name), neutral(person.email)),
                *("", total, most, "Yes", "-", "-", comment(grade)),
            ]
        )
    unknown = [grade.student for grade in grades if not participant(grade)]
    filled.matches.missing = unknown
    filled.remarks.append(
        "Made without a sheet, in English: Moodle passes over grades that it already has unless the "
        "upload allows updating records that were modified more recently."
    )
    return filled


def participant(grade: Grade) -> str:
    """The number that Moodle knows a student by in this assignment, or nothing."""
    person = grade.person
    return digits(person.number) if person.platform in ("moodle", "") else ""


def feedback_files(filled: Filled, course: Path) -> dict[str, bytes]:
    """The pages, by their names in the zip: nbgrader's where there is one, else our own."""
    id, name = filled.sheet.column(*ID) or 0, filled.sheet.column(*NAME)
    files = {}
    for i, grade in sorted(filled.matches.rows.items()):
        if grade.verdict.state == "not_graded":
            continue
        row = filled.sheet.rows[i]
        theirs = made_by_nbgrader(course, grade)
        content = theirs.read_bytes() if theirs else page(grade).encode()
        called = UNWANTED.sub(" ", row[name]).strip(" .~") if name is not None else ""
        folder = f"{called[:80] or 'Participant'}_{digits(row[id])}_assignsubmission_file_"
        files[f"{folder}/feedback.html"] = content
    return files
