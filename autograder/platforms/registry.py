"""The list of all platforms. To add one, write a module with its record, and add the record here."""

from autograder.platforms import (
    canvas,
    exchange,
    folder,
    git,
    gradescope,
    ilias,
    moodle,
    spreadsheet,
)
from autograder.platforms.platform import Format

RECORDS = (
    spreadsheet.RECORD,
    moodle.RECORD,
    canvas.RECORD,
    ilias.RECORD,
    gradescope.RECORD,
    git.RECORD,
    exchange.RECORD,
    folder.RECORD,
)
PLATFORMS = {record.name: record for record in RECORDS}


def scope_of(platform: str, number: str, assignment: str) -> str:
    """Return the only assignment in which a person has this number on a platform, which is this
    assignment; "" where the number lasts.
    """
    known = PLATFORMS.get(platform)
    return "" if known is None or known.number_lasts(number) else assignment


def formats() -> dict[str, Format]:
    """Return the export format of each platform that takes grades, by the platform's name."""
    return {name: one.format for name, one in PLATFORMS.items() if one.format}
