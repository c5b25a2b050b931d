"""Which platform a download is from, and whose is what in it: the one place that reads names.

Names count at one level of a download, the first at which a platform writes some: at the top, or in the
folders around it all.
"""

from collections.abc import Iterable, Iterator

from autograder.people import Person
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
    File,
    Item,
    NoDownload,
    Platform,
    empty_folder,
    items_at,
    without_student,
)
from autograder.text import printable

MOST_AROUND = 4  # folders
RECORDS = [one.RECORD for one in (github_classroom, gradescope, moodle, exchange, canvas, ilias)]
PLATFORMS = {one.name: one for one in (*RECORDS, folder.RECORD)}


def sort_by_student(
    download: Download,
    assignment_id: str,
    named: str | None = None,
    people: Iterable[Person] = (),
) -> tuple[Platform, Contents]:
    """Return the platform, `named` or told by its names, and what each student handed in.

    Where a name may say several users, the numbers of `people` decide.

    Raises `NoDownload`.
    """
    files = [*download.files, *map(empty_folder, download.empty)]
    platform, items = _recognise(download, files, assignment_id, named)
    written = platform.read(items)
    numbers = {one.number for one in people if one.platform.strip().lower() in ("", platform.name)}
    contents = platform.sort_by_student(written, assignment_id, numbers)
    known = {file.parts for item in written for file in item.files}
    others = [
        file
        for file in files
        if file.parts not in known and ilias.FEEDBACK not in file.parts[: items[0].level + 1]
    ]
    contents.without_student.extend(without_student(others))
    return platform, contents


def _recognise(
    download: Download, files: list[File], assignment_id: str, named: str | None
) -> tuple[Platform, list[Item]]:
    """The platform, and what is at the level at which it writes names. Raises `NoDownload`."""
    levels = list(_levels(download.name, files))
    # names that a platform makes, then folders as nbgrader has them, and last a folder a student
    places = [(group, level) for level in levels for group in (RECORDS, [exchange.SUBMITTED])]
    for group, (around, items) in [*places, *(([folder.RECORD], level) for level in levels)]:
        found = [
            one
            for one in group
            if named in (None, one.name)
            and (one.is_of(items, around, assignment_id) if one.is_of else one.read(items))
        ]
        read = {one.name: {item.files[0].parts for item in one.read(items)} for one in found}
        found = [one for one in found if not any(read[one.name] < of for of in read.values())]
        if len(found) > 1:
            names = " and ".join(one.name for one in found)
            raise NoDownload(
                f"`{printable(download.name)}` has names as {names} write them: say which it is "
                "with --platform."
            )
        if found:
            return found[0], items
    if named:
        return PLATFORMS[named], levels[0][1]
    raise NoDownload(
        f"Nothing in `{printable(download.name)}` is named as a known platform names it: say which "
        f"it is with --platform ({', '.join(PLATFORMS)})."
    )


def _levels(name: str, files: list[File]) -> Iterator[tuple[str, list[Item]]]:
    """The top, and what is in a folder around it all; with the name of what is around."""
    for level in range(MOST_AROUND + 1):
        items = items_at(files, level)
        yield name, items
        holders = [
            one
            for one in items
            if (one.is_folder or one.files[0].may_hold_notebook) and one.name != ilias.FEEDBACK
        ]
        if len(holders) != 1 or not holders[0].is_folder:
            return
        name, files = holders[0].name, holders[0].files
