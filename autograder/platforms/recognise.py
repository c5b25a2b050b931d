"""Recognise which platform made a download, and sort its files by student.

A platform writes its names at one level of folders: the first level, from the top, at which such
names are found.
"""

from collections.abc import Collection, Iterable, Iterator
from dataclasses import replace

from autograder.classroom.roster import Person
from autograder.engine import AutograderError, printable
from autograder.platforms.download import Download, File, Left, empty_folder
from autograder.platforms.platform import (
    Contents,
    Item,
    Known,
    Layout,
    Platform,
    items_at,
)
from autograder.platforms.registry import PLATFORMS

MOST_AROUND = 4  # folders


def sort_by_student(
    download: Download,
    assignment_id: str,
    named: str | None = None,
    people: Iterable[Person] = (),
    groups: Collection[str] = (),
) -> tuple[Layout, Contents]:
    """Recognise the layout of a download and sort its files; return the layout, and the submissions
    with the files that belong to no student. `times_in_zip` of the layout is true only if this
    download has the times of submission.

    `named`: the platform that the user named; None to recognise it by file names. `people`: the
    people of the course, `groups`: the names of its groups; both help where a file name has several
    readings. Raises `AutograderError` if the platform is not recognised, if several platforms fit, or
    if the platform's files are damaged.
    """
    files = [*download.files, *map(empty_folder, download.empty)]
    platform, layout, items = _recognise(download, files, assignment_id, named)
    written = layout.read(items)
    numbers = {
        person.number for person in people if person.platform.strip().lower() in ("", platform.name)
    }
    paths = {file.parts for item in written for file in item.files}
    others = [file for file in files if file.parts not in paths]
    known = Known(numbers - {""}, groups, others)
    contents = layout.sort_by_student(written, assignment_id, known)
    level = items[0].level + 1 if items else 0
    contents.without_student.extend(
        Left(file.path, f"`{printable(file.path)}` is nobody's: its name says no student.", file)
        for file in others
        if file.may_hold_notebook and (not layout.aside or layout.aside not in file.parts[:level])
    )
    submitted = [file for handed_in in contents.handed_in for file in handed_in.files]
    in_zip = layout.times_in_zip and layout.times_of_files(submitted)
    return replace(layout, times_in_zip=in_zip), contents


def _recognise(
    download: Download, files: list[File], assignment_id: str, named: str | None
) -> tuple[Platform, Layout, list[Item]]:
    """Return the platform and the layout whose names fit the download best, and the items on the
    level that has these names.

    `named`: consider this platform only, if not None; if none of its layouts fits, its first one is
    returned, with the top level. Raises `AutograderError` if several platforms fit equally well, or if
    none fits and none is named.
    """
    levels = list(_levels(download.name, files))
    platforms = [one for one in PLATFORMS.values() if named in (None, one.name)]
    layouts = [(one, layout) for one in platforms for layout in one.layouts]
    places = [(sure, level) for level in levels for sure in (2, 1)]
    for sure, (around, items) in [*places, *((0, level) for level in levels)]:
        found = [
            (one, layout, {item.files[0].parts for item in layout.read(items)})
            for one, layout in layouts
            if layout.certainty == sure and layout.fits(items, around, assignment_id)
        ]
        found = [one for one in found if not any(one[2] < read for _, _, read in found)]
        if len(found) > 1:
            raise AutograderError(
                f"`{printable(download.name)}` has names as "
                f"{' and '.join(one.name for one, *_ in found)} write them: say which it is with "
                "--platform."
            )
        if found:
            return *found[0][:2], items
    if named:
        return *layouts[0], levels[0][1]
    known = ", ".join(one.name for one in platforms if one.layouts)
    raise AutograderError(
        f"Nothing in `{printable(download.name)}` is named as a known platform names it: say which "
        f"it is with --platform ({known})."
    )


def _levels(name: str, files: list[File]) -> Iterator[tuple[str, list[Item]]]:
    """Yield the name of the folder around a level of a download, and the items on that level: first
    the top level, whose name is the download's. While a level has a single folder that counts,
    yield that folder's content in the same way, at most MOST_AROUND times.

    A folder that some platform puts beside the submissions does not count, nor does a file that can
    hold no notebook.
    """
    aside = {layout.aside for one in PLATFORMS.values() for layout in one.layouts} - {""}
    for level in range(MOST_AROUND + 1):
        items = items_at(files, level)
        yield name, items
        holders = [
            one
            for one in items
            if (one.is_folder or one.files[0].may_hold_notebook) and one.name not in aside
        ]
        if len(holders) != 1 or not holders[0].is_folder:
            return
        name, files = holders[0].name, holders[0].files
