"""The list of all platforms. To add a platform, write a module with its record, and add the record
here.
"""

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
    """Return the assignment to which a person's number on a platform is limited, or ""."""
    record = PLATFORMS.get(platform)
    return "" if record is None or record.number_lasts(number) else assignment


def formats() -> dict[str, Format]:
    """Return the export formats, by the name of the platform."""
    return {name: record.format for name, record in PLATFORMS.items() if record.format}
