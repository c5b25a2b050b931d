"""Moodle: read its download ("Download all submissions"), fill in its grading worksheet, and make the
zip of feedback files.

The download has a folder for each participant, or all files in one folder:

    Ada Softmax_1234567_assignsubmission_file/sheet-3.ipynb      since 4.1
    Ada Softmax_1234567_assignsubmission_file_/sheet-3.ipynb     before
    Ada Softmax_1234567_assignsubmission_file_sheet-3.ipynb      not as folders
    Group A_42_assignsubmission_file_/...                        groups: the group's number
    Default group_assignsubmission_file_/...                     participants in no group

Moodle replaces the underscores of a name by spaces, so the first match is Moodle's own words. The
zip's times are those of submission, in the server's zone, which the zip does not name. Since 4.1
they are those of the download, and only the worksheet has the time of submission, in its column
`Last modified (submission)`: in words, in the language and the zone of the user who downloads it.

    Friday, 20 November 2026, 3:04 PM        Freitag, 20. November 2026, 15:04

In the offline grading worksheet, Moodle finds columns by their names in the user's language, and
people by the number at the end of the identifier. It ignores rows without a grade, above the
maximum, or locked. An empty comment deletes the comment that Moodle has. In the feedback files'
zip, a folder's name is split at its underscores: the number must be the second part.
"""

from collections import defaultdict
from collections.abc import Collection, Iterator, Sequence
from dataclasses import replace
from datetime import datetime
from pathlib import Path

from autograder.files.csv_text import Table, TableError
from autograder.people.matching import spellings
from autograder.people.new_ids import slug
from autograder.people.roster import Person
from autograder.platforms.download import File
from autograder.platforms.feedback import comment, feedback_page, merge_comment, zip_bytes
from autograder.platforms.grades import Grade, decimal_text
from autograder.platforms.platform import (
    ClassGrades,
    Contents,
    Format,
    HandedIn,
    InventedClass,
    Item,
    Layout,
    Member,
    Platform,
    Sample,
)
from autograder.platforms.sheet import (
    EMPTY_CELLS,
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
from autograder.text.patterns import WORD, Pattern
from autograder.text.printable import printable, text_cell

PLATFORM = "moodle"
PART = Pattern(
    r"(?P<name>[^_]*)(?:_(?P<number>\d+))?_assignsubmission_(?P<kind>[a-z]+)(?:_(?P<file>.*))?"
)
TEAM = Pattern(r"(?i)(group|gruppe|groupe|grupo|gruppo|groep|team)\b")

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
SUBMITTED = "Last modified (submission)", "Zuletzt geändert (Abgabe)"
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
# by their first three letters, in English and German
NAMES = (
    "jan feb mar apr may jun jul aug sep oct nov dec",
    "jan feb mär apr mai jun jul aug sep okt nov dez",
)
MONTHS = {name: month for names in NAMES for month, name in enumerate(names.split(), start=1)}
CLOCK = r"(?P<hour>\d{1,2}):(?P<minute>\d\d)\s*(?P<half>[AP]M)?"
FORMS = [
    Pattern(rf"(?i)(?:[{WORD}]+, )?{date},? (?:at |um )?{CLOCK}")
    for date in (
        r"(?P<day>\d{1,2})\.? (?P<month>[\pL_]+)\.? (?P<year>\d{4})",
        r"(?P<month>[\pL_]+)\.? (?P<day>\d{1,2}), (?P<year>\d{4})",
    )
]


def _sort_by_student(items: list[Item], assignment_id: str, known: Collection[str]) -> Contents:
    """Return one submission for each participant. Texts that were written in Moodle itself are
    ignored. `known` is not used.
    """
    people: dict[tuple[str, str], list[File]] = defaultdict(list)
    for item in items:
        content = people[item.said["name"], item.said["number"]]
        if item.said["kind"] == "file":
            own_name = "" if item.is_folder else item.said["file"]
            content += [replace(file, student_name=own_name) for file in item.files]
    return Contents(
        [_handed_in(name, number, content) for (name, number), content in people.items()]
    )


def _handed_in(name: str, number: str, files: list[File]) -> HandedIn:
    student = slug(name, number) if number else slug(name)
    if number and student == slug("", number):  # a name that ASCII cannot say
        student = slug(PLATFORM, number)
    return HandedIn(
        person=Person(student, name.strip(), platform=PLATFORM, number=number),
        label=f"{name}_{number}" if number else name,
        files=tuple(files),
        team=name if not number or TEAM.match(name) else "",
    )


def read_worksheet(path: Path) -> dict[str, tuple[datetime | None, str]]:
    """Read a downloaded grading worksheet; return each participant's time of submission and e-mail,
    by the participant's number.

    The time has no zone; it is None if nothing was handed in. Raises `TableError` if the file is no
    such worksheet, or if a time is in another language than English or German.
    """
    sheet = read_sheet(path)
    identifier, submitted = sheet.column(*IDENTIFIER), sheet.column(*SUBMITTED)
    if identifier is None or submitted is None:
        raise TableError(
            f"`{path}` says no times: there is no column `Identifier` or none "
            f"`{SUBMITTED[0]}` (in German `{SUBMITTED[1]}`)."
        )
    email = sheet.column(*EMAIL)
    participants = {}
    for line, row in zip(sheet.lines[1:], sheet.rows[1:], strict=True):
        cell, who = row[submitted].strip(), final_number(row[identifier])
        when = in_words(cell)
        if when is None and who and cell not in EMPTY_CELLS:
            raise TableError(
                f"`{path}`, line {line}: `{printable(cell)}` is no time in English or German; "
                "download the worksheet in one of these languages."
            )
        address = row[email].strip() if email is not None else ""
        participants[who] = when, address
    return participants


def in_words(text: str) -> datetime | None:
    """Parse a time as Moodle writes it in words, in English or German; return None if the text is
    no such time. The result has no zone.
    """
    words = " ".join(text.split())
    found = next((found for form in FORMS if (found := form.fullmatch(words))), None)
    month = MONTHS.get(found["month"][:3].casefold()) if found else None
    if found is None or month is None:
        return None
    hour, half = int(found["hour"]), (found["half"] or "").upper()
    if half:
        hour = hour % 12 + 12 * (half == "PM") if 1 <= hour <= 12 else 99
    try:
        return datetime(int(found["year"]), month, int(found["day"]), hour, int(found["minute"]))
    except ValueError:
        return None


def _write(of_class: ClassGrades) -> tuple[list[bytes], list[str]]:
    """Return the contents of the worksheet and of the zip of feedback pages, and sentences on them.
    Raises `CommandError` if the downloaded worksheet cannot be used.
    """
    grades = of_class.grades
    filled = _fill_sheet(of_class.sheet, grades) if of_class.sheet else _new_sheet(grades)
    pages = _pages(filled, of_class.parts)
    return [filled.sheet.to_bytes(), zip_bytes(pages)], filled.describe()


def _fill_sheet(path: Path, grades: Sequence[Grade]) -> FilledSheet:
    """Fill the grades into the worksheet downloaded to `path`; return it, without writing a file.

    Raises `CommandError` or `TableError` if it is no such worksheet, or belongs to other students.
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
    """Return the feedback pages by their paths in the zip. `parts` has each student's page."""
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


def _sample(invented: InventedClass) -> Iterator[Member]:
    for index, (one, text) in enumerate(zip(invented.people, invented.notebooks, strict=True)):
        folder = f"{one.full_name}_{one.number}_assignsubmission"
        name, data = f"{invented.assignment}.ipynb", text
        if index % 13 == 5:
            name = f"{invented.assignment} (1).ipynb"
        if index % 29 == 7:  # handed in as a zip
            name, data = "my work.zip", zip_bytes({f"my work/{invented.assignment}.ipynb": text})
        yield Member(f"{folder}_file/{name}", data, one.handed_in)
        if index % 19 == 3:
            words = b"<p>An invented student's words.</p>"
            yield Member(f"{folder}_onlinetext/onlinetext.html", words, one.handed_in)


def _sample_worksheet(invented: InventedClass) -> list[list[object]]:
    rows: list[list[object]] = [[*NEW_HEADER]]
    for one in sorted([*invented.people, *invented.absent], key=lambda one: one.full_name):
        handed_in = one not in invented.absent
        when = f"{one.handed_in:%A, {one.handed_in.day} %B %Y, %I:%M %p}" if handed_in else "-"
        status = "Submitted for grading" if handed_in else "No submission"
        person = f"Participant {one.number}", one.full_name, one.email, status
        rows.append([*person, "", f"{invented.points:.2f}", "Yes", when, "-", ""])
    return rows


RECORD = Platform(
    PLATFORM,
    (Layout(PART, _sort_by_student, files=True, times_in_zip=True),),
    Format(
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
    ),
    Sample(_sample, {"grading-worksheet": _sample_worksheet}),
    manual=(
        "Moodle",
        "*Download all submissions*, and the grading worksheet",
        "the worksheet (`--worksheet`), in the zone of your profile; zips of Moodle before 4.1 have "
        "it, too",
    ),
)
