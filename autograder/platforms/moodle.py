"""Moodle: read its download ("Download all submissions"), and the times in its grading worksheet.

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
"""

from collections import defaultdict
from collections.abc import Collection, Iterator
from dataclasses import replace
from datetime import datetime
from pathlib import Path

from autograder.files.csv_text import TableError
from autograder.people.new_ids import slug
from autograder.people.roster import Person
from autograder.platforms.download import File
from autograder.platforms.feedback import zip_bytes
from autograder.platforms.moodle_worksheet import EMAIL, FORMAT, IDENTIFIER, NEW_HEADER, PLATFORM
from autograder.platforms.platform import Contents, HandedIn, Item, Layout, Platform
from autograder.platforms.sample import InventedClass, Member, Sample
from autograder.platforms.sheet import EMPTY_CELLS, final_number, read_sheet, refuse_duplicates
from autograder.text.patterns import WORD, Pattern
from autograder.text.printable import printable

PART = Pattern(
    r"(?P<name>[^_]*)(?:_(?P<number>\d+))?_assignsubmission_(?P<kind>[a-z]+)(?:_(?P<file>.*))?"
)
TEAM = Pattern(r"(?i)(group|gruppe|groupe|grupo|gruppo|groep|team)\b")
SUBMITTED = "Last modified (submission)", "Zuletzt geändert (Abgabe)"  # of the worksheet

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
    """Return one submission for each participant or group. `items`: the folders or files that
    Moodle named. Texts that were written in Moodle itself are ignored. `assignment_id` and `known`
    are not used.
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
    by the participant's number. A row without a number is left out.

    The time has no zone; it is None if nothing was handed in. Raises `TableError` if the file is no
    such worksheet, or if a time is in another language than English or German; `CommandError` if
    two rows have one number.
    """
    sheet = read_sheet(path)
    identifier, submitted = sheet.column(*IDENTIFIER), sheet.column(*SUBMITTED)
    if identifier is None or submitted is None:
        raise TableError(
            f"`{path}` says no times: there is no column `Identifier` or none "
            f"`{SUBMITTED[0]}` (in German `{SUBMITTED[1]}`)."
        )
    email = sheet.column(*EMAIL)
    numbers = (final_number(row[identifier]) for row in sheet.rows[1:])
    refuse_duplicates(path, "identifier", numbers)
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
        if who:
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
    FORMAT,
    Sample(_sample, {"grading-worksheet": _sample_worksheet}),
    manual=(
        "Moodle",
        "*Download all submissions*, and the grading worksheet",
        "the worksheet (`--worksheet`), in the zone of your profile; zips of Moodle before 4.1 have "
        "it, too",
    ),
)
