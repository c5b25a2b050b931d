"""ILIAS: read its download of all submissions of an exercise, and make the zip of feedback for its
"Multi-Feedback".

The download has a folder for each person, inside a team's folder for team submissions:

    Sheet_3/Submissions/Softmax_Ada_asoftmax_4711/sheet-3.ipynb
    Sheet_3/Submissions/Softmax_Ada_asoftmax_4711/sheet-3 (2).ipynb           uploaded again
    Sheet_3/Abgaben/Mask_Ben_bmask_4712/Verspaetete Abgabe - sheet-3.ipynb    late
    Sheet_3/Submissions/Team 12/Mask_Ben_bmask_4712/sheet-3.ipynb             the uploading member
    Sheet_3/Sheet_3.xlsx                                                      newer versions

A folder's name is last name, first name, login and number. Each may hold underscores, and letters
without an ASCII form have become underscores, so only the number is certain. It is the person's in
every assignment. A team's number is different in each assignment.

Every upload is kept, and counted in brackets if the name was there before. Older versions pack files
with the times of uploading, newer versions with the time of the download. The spreadsheet has the time
of each participant's last submission, on the server's clock.

The zip for "Multi-Feedback" has a folder named `multi_feedback...`, with a folder for each person.
Its name ends in the person's number: ILIAS reads only that number.
https://github.com/ILIAS-eLearning/ILIAS (`copySubmissionFilesToDir`, `ilFileServicesPolicy`,
`getMultiFeedbackFiles`)
"""

import io
from collections import defaultdict
from collections.abc import Sequence
from dataclasses import replace
from datetime import datetime, timedelta
from html.entities import name2codepoint

from autograder.classroom.new_ids import slug
from autograder.classroom.roster import Person
from autograder.engine import AutograderError, Pattern, limits, plural, printable, texts, verdicts
from autograder.gradebook.grades import Grade
from autograder.gradebook.pages.of_grade import feedback_page, zip_bytes
from autograder.platforms.download import MODIFICATION_TIME, File, FileRefused
from autograder.platforms.platform import (
    ClassGrades,
    Contents,
    Format,
    HandedIn,
    Item,
    Known,
    Layout,
    Platform,
)

PLATFORM = "ilias"
ASIDE = "Feedback_files"  # beside the submissions: feedback between students
SUBMISSIONS = "Submissions", "Abgaben"  # the folder around all, in English and German
A_PERSON = r"(?P<names>.*_.*_.*)_(?P<number>\d+)"
A_TEAM = r"(?P<team>[\pL\pM' ]+ (?P<team_number>\d+))"  # the word in any language
PERSON, TEAM, EITHER = (
    Pattern(f"(?s){text}") for text in (A_PERSON, A_TEAM, f"{A_PERSON}|{A_TEAM}")
)
CERTAIN_TEAM = Pattern(r"(?i)(Team|Gruppe|Group|Équipe|Equipo) \d+")
NUMBER = Pattern(r"[0-9]+")
COUNTED = Pattern(r"(?s)(?P<stem>.+) \((?P<count>[1-9]\d{0,5})\)(?P<suffix>\.[^.]*)?")
MARK = " - "  # between words and the name of a late file
WORDS = Pattern(r"[\pL\pM' ]+")
LATE = {"Late Submission", "Verspaetete Abgabe", "Verspätete Abgabe"}
PACKED_WITHIN = timedelta(minutes=10)
FEEDBACK_ZIP = "multi_feedback"
SPREADSHEET = ".xlsx"
MOST_ROWS, MOST_BYTES = 20_000, 50_000_000  # of a spreadsheet
UMLAUTS = str.maketrans(
    {"Ä": "Ae", "Ö": "Oe", "Ü": "Ue", "ä": "ae", "ö": "oe", "ü": "ue", "ß": "ss"}
)
ENTITIES = {code: name[0] for name, code in name2codepoint.items() if name != "quot"}
FORBIDDEN = str.maketrans(dict.fromkeys('\\/:*?"<>|\x7f' + "".join(map(chr, range(32))), "_"))


# of the spreadsheet: last name, first name, login, time of the last submission, the team's number
Row = tuple[str, str, str, datetime | None, str]


def _recognises(items: list[Item], around: str, assignment_id: str) -> bool:
    """Whether the items are persons' folders with different numbers, or only teams' folders. Teams'
    folders contain persons' folders, or are in ILIAS's folder of submissions (`around`). An
    exercise's title may look like the name of a person or a team.
    """
    folders = [item for item in items if item.is_folder]
    of_persons = (PERSON.fullmatch(item.name) for item in folders if not _is_around(item))
    if numbers := [person["number"] for person in of_persons if person]:
        return len({*numbers}) == len(numbers)
    teams = [item for item in folders if TEAM.fullmatch(item.name)]
    in_ilias_folder = around in SUBMISSIONS
    are_called_so = all(CERTAIN_TEAM.fullmatch(item.name) for item in teams)
    may_be_teams = in_ilias_folder or are_called_so or len(teams) > 1
    are_teams = may_be_teams and all(map(_holds_persons, teams))
    return bool(teams) and teams == folders and (are_teams or (in_ilias_folder and are_called_so))


def _is_around(item: Item) -> bool:
    """Whether a folder is an exercise's, or was made by staff around a download. It contains
    persons' or teams' folders, or several folders. A person's folder contains files.
    """
    names = [inner.name for inner in item.below if inner.is_folder]
    of_ilias = any(name in SUBMISSIONS or EITHER.fullmatch(name) for name in names)
    return of_ilias or len(names) > 1


def _holds_persons(team: Item) -> bool:
    """Whether a team's folder contains only folders with names of persons."""
    below = team.below
    return bool(below) and all(item.is_folder and PERSON.fullmatch(item.name) for item in below)


def _sort_by_student(items: list[Item], assignment_id: str, facts: Known) -> Contents:
    """Return a submission for each of these folders of persons or teams."""
    levels = {item.level for item in items} - {0}
    spreadsheets = [
        file
        for file in facts.others
        if len(file.parts) in levels and file.name.lower().endswith(SPREADSHEET)
    ]
    contents = Contents([])
    rows: dict[str, set[Row]] = defaultdict(set)  # by the names in a folder, and by team
    for row in _read_spreadsheet(spreadsheets[0], contents.notes) if spreadsheets else []:
        names, team = "_".join(row[:3]), row[-1]  # without teams, this column has a file's name
        keys = {names, as_ilias_writes(names), team if NUMBER.fullmatch(team) else names}
        for key in keys:  # an administrator can switch off names in ASCII
            rows[key].add(row)
    has_times = _has_times([file for item in items for file in item.files])
    for item in items:
        files, newest = _order([_numbered(item, file) for file in item.files], has_times)
        folders = {_folder(item, file) for file in newest} or {item.name}
        team, number = item.said["team"], item.said["team_number"]
        own_rows = rows[number or item.said["names"]]
        submitted_at = max(
            (row[3] for row in own_rows if row[3] and (number or len(own_rows) == 1)), default=None
        )
        contents.handed_in.append(
            HandedIn(
                person=_person(folders.pop() if len(folders) == 1 else "", team, rows),
                label=item.name,
                files=tuple(files),
                submitted_at=submitted_at,
                time_from="ILIAS's spreadsheet" if submitted_at else "",
                late=any(_is_late(item, file) for file in newest),
                team=team,
                team_number=number,
            )
        )
    return contents


def _has_times(files: Sequence[File]) -> bool:
    """Whether files have times of uploading, not the time of the download."""
    times = [
        file.changed.replace(tzinfo=None)
        for file in files
        if file.changed and file.changed_by != MODIFICATION_TIME
    ]
    return bool(times) and max(times) - min(times) > PACKED_WITHIN


def _folder(item: Item, file: File) -> str:
    """Return the folder of a file's uploader."""
    return item.name if item.said["number"] else "/".join(file.parts[item.level + 1 : -1])


def _is_late(item: Item, file: File) -> bool:
    """Whether ILIAS marks a file as late, by words before its name, in any language. Words that are
    also in the folder's name belong to the student's own file name, as in `Ada Softmax -
    sheet.ipynb`.
    """
    words, _, name = file.name.partition(MARK)
    is_own_name = {*_folder(item, file).casefold().split("_")} >= {*words.casefold().split()}
    return bool(name and WORDS.fullmatch(words)) and (words in LATE or not is_own_name)


def _numbered(item: Item, file: File) -> File:
    """Return the file with the student's name for it, and with the number of its upload."""
    name = file.name.partition(MARK)[2] if _is_late(item, file) else file.name
    number = 1
    while (counted := COUNTED.fullmatch(name)) and counted["count"] != "1":
        name = counted["stem"] + (counted["suffix"] or "")
        number += int(counted["count"]) - 1
    return replace(file, student_name=name, upload=number)


def _order(files: list[File], has_times: bool) -> tuple[list[File], list[File]]:
    """Return the files, and the newest upload of each name. Files that cannot contain a notebook
    are among the newest only without others.

    With times, uploads are numbered by time. Without times, each member's uploads are counted
    separately. If several members have the same highest number, all these files are among the
    newest, and have no number.
    """
    if has_times:
        files = [replace(file, upload=n) for n, file in enumerate(sorted(files, key=_age), 1)]
    by_name: dict[str, list[File]] = defaultdict(list)
    for file in files:
        by_name[file.student_name].append(file)
    ordered: list[File] = []
    newest: list[File] = []
    for uploads in by_name.values():
        highest = max(file.upload or 0 for file in uploads)
        last_uploads = [file for file in uploads if file.upload == highest]
        number = highest if len(last_uploads) == 1 else None
        ordered += [file for file in uploads if file.upload != highest]
        ordered += [replace(file, upload=number) for file in last_uploads]
        newest += last_uploads
    return ordered, [file for file in newest if file.may_hold_notebook] or newest


def _age(file: File) -> tuple[datetime, int]:
    return (file.changed or datetime.min).replace(tzinfo=None), file.upload or 0


def _person(folder: str, team: str, rows: dict[str, set[Row]]) -> Person:
    """Return the person with this folder, or otherwise an unknown member of the team, without a
    number. The names are those of a single fitting row in the spreadsheet, or otherwise three
    nonempty parts of the folder's name: last name, first name and login.
    """
    parts_of_name = PERSON.fullmatch(folder)
    if parts_of_name is None:
        return Person(slug(team), platform=PLATFORM)
    names, number = parts_of_name["names"], parts_of_name["number"]
    last, first, login = parts if len(parts := names.split("_")) == 3 and all(parts) else [""] * 3
    if len(rows[names]) == 1:
        ((last, first, login, *_),) = rows[names]
    student = login if verdicts.STUDENT.fullmatch(login) else f"{PLATFORM}-{number}"
    name = f"{first} {last}".strip()
    return Person(student, name, platform=PLATFORM, number=number, login=login)


def _read_spreadsheet(file: File, notes: list[str]) -> list[Row]:
    """Return the rows of ILIAS's spreadsheet. If it cannot be read, add a sentence to `notes`."""
    with texts.from_extra("ilias"):
        from python_calamine import CalamineError
    try:
        data = file.read()
        if len(data) > MOST_BYTES:
            raise FileRefused(f"is longer than {MOST_BYTES:,} bytes")
        return limits.run_bounded(lambda: _rows(data))
    except (FileRefused, limits.OutOfBounds, AutograderError, CalamineError, ValueError) as error:
        notes.append(
            f"No time of submission is read from `{printable(file.path)}`, since it is damaged or no "
            f"spreadsheet of ILIAS ({texts.first_line(error, 120)})."
        )
        return []


def _rows(data: bytes) -> list[Row]:
    """Parse a spreadsheet. Raises `CalamineError` or `ValueError` if it cannot be read."""
    from python_calamine import CalamineWorkbook

    workbook = CalamineWorkbook.from_filelike(io.BytesIO(data))
    table = workbook.get_sheet_by_index(0).to_python(skip_empty_area=False, nrows=MOST_ROWS)
    if not table or len(table[0]) < 4:
        raise ValueError("it has fewer than four columns")
    rows = []
    for last, first, login, time, team, *_ in ([*map(_text, row), ""] for row in table[1:]):
        submitted_at = texts.parse_time(time)  # parsed as UTC, but on the server's clock
        rows.append((last, first, login, submitted_at and submitted_at.replace(tzinfo=None), team))
    return rows


def _text(cell: object) -> str:
    return str(int(cell) if isinstance(cell, float) and cell.is_integer() else cell).strip()


def _feedback_zip(of_class: ClassGrades) -> tuple[list[bytes], list[str]]:
    """Return the zip of feedback pages, as a list, and sentences on it."""
    by_path, unknown = of_class.by_name(lambda grade: _feedback_path(grade, of_class))
    pages = {path: of_class.parts[grades[-1].student] for path, grades in by_path.items()}
    return [zip_bytes(pages)], [
        f"{plural(len(pages), 'page')} for ILIAS's Multi-Feedback.",
        *texts.sentence_on(
            unknown,
            "No feedback for ILIAS of {}: no number of theirs is known, or that of a team only. "
            "`collect` the download of ILIAS, and name that folder with --submitted.",
        ),
    ]


def _feedback_path(grade: Grade, of_class: ClassGrades) -> str:
    number = of_class.number_of(grade, PLATFORM)
    if not NUMBER.fullmatch(number):
        return ""
    name = slug(grade.person.name) or "student"
    return f"{FEEDBACK_ZIP}_{of_class.assignment}/{name}_{number}/feedback.html"


def as_ilias_writes(name: str) -> str:
    """Return a name as ILIAS writes it in ASCII: umlauts as two letters, letters with an entity in
    HTML 4 as the entity's first letter, and each byte of other letters as an underscore.
    """
    plain = name.translate(UMLAUTS).translate(ENTITIES).translate(FORBIDDEN)
    return "".join(chr(byte) if byte < 127 else "_" for byte in plain.encode(errors="replace"))


RECORD = Platform(
    PLATFORM,
    (
        Layout(
            EITHER,
            _sort_by_student,
            _recognises,
            aside=ASIDE,
            times_in_zip=True,
            times_of_files=_has_times,
        ),
    ),
    Format(
        files=("ilias-feedback.zip",),
        part=lambda grade, of_class: feedback_page(of_class.course, grade),
        write=_feedback_zip,
        pages=True,
        manual=("a zip of pages", "*Multi-Feedback*"),
    ),
    manual=(
        "ILIAS",
        "*Download All Submissions*",
        "its spreadsheet, or the times in the zip of older versions; `--timezone` is the server's zone",
    ),
)
