"""When Moodle's participants handed in, as its grading worksheet says it.

The column `Last modified (submission)` has a time in words, in the language and the time zone of
whoever downloads the worksheet:

    Friday, 20 November 2026, 3:04 PM        Freitag, 20. November 2026, 15:04
"""

from datetime import datetime
from pathlib import Path

from autograder.patterns import WORD, Pattern
from autograder.platforms.download import NoDownload
from autograder.platforms.downloaded_sheet import EMPTY_CELLS, read_sheet
from autograder.platforms.errors import ExportError
from autograder.platforms.matching import final_number
from autograder.platforms.moodle import EMAIL, IDENTIFIER
from autograder.text import printable

SUBMITTED = "Last modified (submission)", "Zuletzt geändert (Abgabe)"
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


def read_worksheet(path: Path) -> dict[str, tuple[datetime | None, str]]:
    """Return when participants handed in, without a zone, and their addresses, by number.

    Raises `NoDownload`, `OSError`.
    """
    try:
        sheet = read_sheet(path)
    except ExportError as error:
        raise NoDownload(str(error)) from error
    identifier, submitted = sheet.column(*IDENTIFIER), sheet.column(*SUBMITTED)
    if identifier is None or submitted is None:
        raise NoDownload(
            f"`{path}` says no times: there is no column `Identifier` or none "
            f"`{SUBMITTED[0]}` (in German `{SUBMITTED[1]}`)."
        )
    email = sheet.column(*EMAIL)
    participants = {}
    for number, row in enumerate(sheet.rows[1:], start=2):
        cell, who = row[submitted].strip(), final_number(row[identifier])
        when = in_words(cell)
        if when is None and who and cell not in EMPTY_CELLS:
            raise NoDownload(
                f"`{path}`, row {number}: `{printable(cell)}` is no time in English or German; "
                "download the worksheet in one of these languages."
            )
        address = row[email].strip() if email is not None else ""
        participants[who] = when, address
    return participants


def in_words(text: str) -> datetime | None:
    """Return the time that Moodle writes in these words, None where they are no time."""
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
