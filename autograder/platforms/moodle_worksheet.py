"""Give grades back to Moodle: fill in its grading worksheet, and make the zip of feedback files.

In the offline grading worksheet, Moodle finds columns by their names in the user's language, and
people by the number at the end of the identifier. It ignores rows without a grade, above the
maximum, or locked. An empty comment deletes the comment that Moodle has. In the feedback files'
zip, a folder's name is split at its underscores: the number must be the second part.
"""

from collections.abc import Sequence
from pathlib import Path

from autograder.files.csv_text import Table
from autograder.people.matching import spellings
from autograder.platforms.feedback import comment, feedback_page, merge_comment, zip_bytes
from autograder.platforms.grades import Grade, decimal_text
from autograder.platforms.platform import ClassGrades, Format
from autograder.platforms.sheet import (
    FilledSheet,
    MatchKey,
    final_number,
    guesses,
    has_commas,
    login_guess,
    match_sheet,
    number_in,
    read_sheet,
    refuse_duplicates,
    scale_warning,
)
from autograder.text.errors import CommandError
from autograder.text.patterns import Pattern
from autograder.text.printable import printable, text_cell

PLATFORM = "moodle"

# the worksheet's columns, by their names in English and German
IDENTIFIER = "Identifier", "ID"
FULL_NAME = "Full name", "Vollständiger Name", "Name"
EMAIL = "Email address", "E-Mail-Adresse", "E-Mail", "Email"
LOGIN = "Username", "Anmeldename"
ID_NUMBER = "ID number", "ID-Nummer", "Matrikelnummer", "Student ID", "Institution ID"
GRADE = "Grade", "Bewertung"
MAXIMUM = "Maximum grade", "Maximum Grade", "Bestwertung", "Höchstbewertung"
SCALE = "Scale", "Skala"
LOCKED = "Grade can be changed", "Bewertung kann geändert werden"
MODIFIED = (
    "Last modified (grade)",
    "Zuletzt geändert (Bewertung)",
    "Letzte Änderung (Bewertung)",
)
COMMENTS = "Feedback comments", "Feedback als Kommentar", "Feedback-Kommentare"
NEEDED = {"identifier": IDENTIFIER, "grade": GRADE, "last modification of the grade": MODIFIED}
NO = "no", "nein"
NEW_HEADER = [
    "Identifier",
    "Full name",
    "Email address",
    "Status",
    "Grade",
    "Maximum Grade",
    "Grade can be changed",
    "Last modified (submission)",
    "Last modified (grade)",
    "Feedback comments",
]
UNWANTED = Pattern(r'[\x00-\x1f\x7f<>:"/\\|?*&_]+')  # in a folder's name


def _write(of_class: ClassGrades) -> tuple[list[bytes], list[str]]:
    """Return the contents of the worksheet and of the zip of feedback pages, and sentences on them.
    Raises `CommandError` if the downloaded worksheet cannot be used.
    """
    grades = of_class.grades
    filled = _fill_sheet(of_class.sheet, grades) if of_class.sheet else _new_sheet(grades)
    pages = _pages(filled, of_class.parts)
    return [filled.sheet.to_bytes(), zip_bytes(pages)], filled.describe()


def _fill_sheet(path: Path, grades: Sequence[Grade]) -> FilledSheet:
    """Fill the grades into the worksheet downloaded to `path`; return the filled worksheet, without
    writing a file.

    Raises `TableError` if the file is no table; `CommandError` if it is no grading worksheet for
    points, has one participant twice, or has none of the graded students.
    """
    sheet = read_sheet(path)
    column = _columns(path, sheet)
    rows = {i: row for i, row in enumerate(sheet.rows) if i}
    numbers = (final_number(row[column["identifier"]]) for row in rows.values())
    refuse_duplicates(path, "identifier", numbers)
    filled = match_sheet(path, sheet, grades, rows, _match_keys(sheet))
    filled.commas = has_commas(sheet, column["grade"], sheet.column(*MAXIMUM))
    for i, grade in sorted(filled.grades.items()):
        _fill_row(filled, sheet.rows[i], column["grade"], grade)
    filled.remarks += _remarks(sheet, grades)
    return filled


def _fill_row(filled: FilledSheet, row: list[str], column: int, grade: Grade) -> None:
    sheet = filled.sheet
    locked = any(cell.strip().casefold() in NO for cell in sheet.cells(*LOCKED)(row))
    filled.enter(grade, row, column, "locked in Moodle" if locked else "")
    comments = sheet.column(*COMMENTS)
    if comments is not None and not locked:
        row[comments] = merge_comment(row[comments], grade)


def _columns(path: Path, sheet: Table) -> dict[str, int]:
    """Return the index of each column that Moodle needs when the worksheet is uploaded, by what it
    holds, such as `grade`. `path` is for messages.

    Raises `CommandError` if one is missing, or if the assignment is graded by a scale.
    """
    found = {what: sheet.column(*names) for what, names in NEEDED.items()}
    missing = [what for what, column in found.items() if column is None]
    if missing:
        words = " or ".join(f"`{name}`" for name in NEEDED[missing[0]])
        raise CommandError(
            f"`{path}` is no grading worksheet from Moodle, or one in another language: there is no "
            f"column {words} (the {missing[0]}). English and German are known."
        )
    if sheet.column(*SCALE) is not None and sheet.column(*MAXIMUM) is None:
        raise CommandError(
            f"`{path}` grades by a scale, not by points: set the assignment's grade to points."
        )
    return {what: column for what, column in found.items() if column is not None}


def _match_keys(sheet: Table) -> list[MatchKey]:
    """Return the kinds of text by which a row is matched with a student, the most reliable first."""

    id, logins = sheet.cells(*IDENTIFIER), sheet.cells(*LOGIN)
    email, name = sheet.cells(*EMAIL), sheet.cells(*FULL_NAME)
    id_number = sheet.cells(*ID_NUMBER)  # may be the student's own to fill in
    return [
        MatchKey(
            lambda g: [_participant_number(g)],
            lambda row: [final_number(cell) for cell in id(row)],
        ),
        MatchKey(lambda g: [g.student], logins),
        MatchKey(lambda g: [g.student, g.person.email], lambda row: [*email(row), *logins(row)]),
        MatchKey(lambda g: [g.student], id_number, sure=False),
        MatchKey(
            guesses,
            lambda row: [
                *(one for cell in name(row) for one in spellings(cell)),
                *(one for cell in email(row) for one in login_guess(cell, of_row=True)),
            ],
            sure=False,
        ),
    ]


def _remarks(sheet: Table, grades: Sequence[Grade]) -> list[str]:
    remarks, maximum = [], sheet.column(*MAXIMUM)
    if maximum is not None:
        possible = next((p for row in sheet.rows[1:] if (p := number_in(row[maximum]))), None)
        remarks += scale_warning("The assignment", possible, grades)
        above = [g.student for g in grades if possible and g.total and g.total > possible]
        if above:
            remarks.append(f"Moodle passes over grades above its maximum: {', '.join(above)}.")
    if sheet.column(*COMMENTS) is None:
        remarks.append("The worksheet has no column for comments: switch on Feedback comments.")
    return remarks


def _new_sheet(grades: Sequence[Grade]) -> FilledSheet:
    """Return a new worksheet for the students whose participant number is known.

    Raises `CommandError` if none is known.
    """
    known = [grade for grade in grades if _participant_number(grade)]
    if not known:
        raise CommandError(
            "No participant number of Moodle's is known of anybody: give --sheet with the grading "
            "worksheet as downloaded (or --submitted, the folder that `collect` filled)."
        )
    most = decimal_text(max(grade.max_points for grade in known))
    filled = FilledSheet(Table([list(NEW_HEADER)]))
    for grade in known:
        filled.grades[len(filled.sheet.rows)] = grade
        filled.entered += grade.total is not None
        filled.sheet.rows.append(_new_row(grade, most))
    filled.missing = [grade.student for grade in grades if not _participant_number(grade)]
    filled.remarks.append(
        "Made without a sheet, in English: Moodle passes over grades that it already has unless the "
        "upload allows updating records that were modified more recently."
    )
    return filled


def _new_row(grade: Grade, most: str) -> list[str]:
    person = grade.person
    return [
        f"Participant {_participant_number(grade)}",
        text_cell(person.name),
        text_cell(person.email),
        "",
        "" if grade.total is None else decimal_text(grade.total),
        most,
        "Yes",
        "-",
        "-",
        comment(grade),
    ]


def _participant_number(grade: Grade) -> str:
    """Return the student's participant number in this Moodle assignment; "" if unknown."""
    return final_number(grade.number_at(PLATFORM))


def _pages(filled: FilledSheet, parts: dict[str, bytes]) -> dict[str, bytes]:
    """Return the feedback pages by their paths in the zip, for the students whose row was found;
    students with the state `not_graded` get none. `parts` has each student's page.
    """
    id, name = filled.sheet.column(*IDENTIFIER) or 0, filled.sheet.column(*FULL_NAME)
    files = {}
    for i, grade in sorted(filled.grades.items()):
        if grade.verdict.state == "not_graded":
            continue
        row = filled.sheet.rows[i]
        called = UNWANTED.sub(" ", printable(row[name])).strip(" .~") if name is not None else ""
        folder = f"{called[:80] or 'Participant'}_{final_number(row[id])}_assignsubmission_file_"
        files[f"{folder}/feedback.html"] = parts[grade.student]
    return files


def _part(grade: Grade, of_class: ClassGrades) -> bytes:
    """Return the student's feedback page as HTML. Raises `ValueError` if the comment cannot be
    encoded.
    """
    comment(grade).encode()
    return feedback_page(of_class.course, grade)


FORMAT = Format(
    files=("moodle.csv", "moodle-feedback.zip"),
    part=_part,
    write=_write,
    is_ours=lambda header: bool({*IDENTIFIER} & {*header}) and bool({*GRADE} & {*header}),
    sheet=True,
    pages=True,
    manual=(
        "the worksheet with grades, a zip of pages",
        "*Upload grading worksheet*, *Upload multiple feedback files in a zip*",
    ),
)
