"""Which platform a download is from, and whose is what in it: the one place that reads names.

Names count at one level of a download, the first at which a platform writes some: at the top, or in the
folders around it all.
"""

from collections.abc import Iterator

from autograder.platforms import (
    canvas,
    exchange,
    folder,
    github_classroom,
    gradescope,
    ilias,
    moodle,
)
from autograder.platforms.download import (
    Contents,
    Download,
    Entry,
    File,
    NoDownload,
    Platform,
    empty_folder,
    entries_at,
    without_student,
)
from autograder.text import printable

MOST_AROUND = 4  # folders
RECORDS = (
    *(module.RECORD for module in (github_classroom, gradescope, moodle, exchange, canvas, ilias)),
    exchange.SUBMITTED,
    folder.RECORD,
)
PLATFORMS = list(dict.fromkeys(record.name for record in RECORDS))


def sort_by_student(
    download: Download, assignment_id: str, named: str | None = None
) -> tuple[Platform, Contents]:
    """Return the platform, `named` or told by its names, and what each student handed in.

    Raises `NoDownload`.
    """
    files = [*download.files, *map(empty_folder, download.empty)]
    platform, entries = _recognise(download, files, assignment_id, named)
    written = platform.read(entries)
    contents = platform.sort_by_student(written, assignment_id)
    known = {file.parts for entry in written for file in entry.files}
    depth = entries[0].level + 1 if entries else 0
    others = [
        file
        for file in files
        if file.parts not in known and ilias.FEEDBACK not in file.parts[:depth]
    ]
    contents.without_student.extend(without_student(others))
    return platform, contents


def _recognise(
    download: Download, files: list[File], assignment_id: str, named: str | None
) -> tuple[Platform, list[Entry]]:
    """The platform, and what is at the level at which it writes names. Raises `NoDownload`.

    Names that a platform makes count before the shape of folders with no more than students' names.
    """
    records = [one for one in RECORDS if named in (None, one.name)]
    by_name = [one for one in records if not one.by_shape]
    levels = list(_levels(download.name, files))
    for group in (by_name, *([one] for one in records if one.by_shape)):
        for around, entries in levels:
            found = [one for one in group if _is_of(one, entries, around, assignment_id)]
            if len(found) > 1:
                names = " and ".join(one.name for one in found)
                raise NoDownload(
                    f"`{printable(download.name)}` has names as {names} write them: say which it is "
                    "with --platform."
                )
            if found:
                return found[0], entries
    if named:
        return records[-1], levels[0][1]
    raise NoDownload(
        f"Nothing in `{printable(download.name)}` is named as a known platform names it: say which "
        f"it is with --platform ({', '.join(PLATFORMS)})."
    )


def _is_of(platform: Platform, entries: list[Entry], around: str, assignment_id: str) -> bool:
    known = platform.is_of
    return known(entries, around, assignment_id) if known else bool(platform.read(entries))


def _levels(name: str, files: list[File]) -> Iterator[tuple[str, list[Entry]]]:
    """The top, and what is in a folder around it all; with the name of what is around."""
    for level in range(MOST_AROUND + 1):
        entries = [one for one in entries_at(files, level) if one.name != ilias.FEEDBACK]
        yield name, entries
        holders = [one for one in entries if one.is_folder or one.files[0].may_hold_notebook]
        if len(holders) != 1 or not holders[0].is_folder:
            return
        name, files = holders[0].name, holders[0].files
