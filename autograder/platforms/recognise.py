"""Recognise the platform that made a download, and sort the files by student.

A platform writes its names on a single level of folders. This is the first level, from the top,
with such names.
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
    """Recognise the layout of a download and sort its files. Return the layout, and the submissions
    with the files that belong to no student. `times_in_zip` of the layout is true only if this
    download has the times of submission.

    `named`: name of the platform; None to recognise it by file names. `people`: people in the
    course. `groups`: names of the course's groups. Both help with ambiguous file names. Raises
    `AutograderError` if the platform is not recognised, if several platforms fit, or if the
    platform's files are damaged.
    """
    files = [*download.files, *map(empty_folder, download.empty)]
    platform, layout, items = _recognise(download, files, assignment_id, named)
    named_items = layout.read(items)
    numbers = {
        person.number for person in people if person.platform.strip().lower() in ("", platform.name)
    }
    paths = {file.parts for item in named_items for file in item.files}
    other_files = [file for file in files if file.parts not in paths]
    facts = Known(numbers - {""}, groups, other_files)
    contents = layout.sort_by_student(named_items, assignment_id, facts)
    level = items[0].level + 1 if items else 0
    contents.without_student.extend(
        Left(file.path, f"`{printable(file.path)}` is nobody's: its name says no student.", file)
        for file in other_files
        if file.may_hold_notebook and (not layout.aside or layout.aside not in file.parts[:level])
    )
    submitted = [file for submission in contents.handed_in for file in submission.files]
    in_zip = layout.times_in_zip and layout.times_of_files(submitted)
    return replace(layout, times_in_zip=in_zip), contents


def _recognise(
    download: Download, files: list[File], assignment_id: str, platform_name: str | None
) -> tuple[Platform, Layout, list[Item]]:
    """Return the best fitting platform and layout, and the items on the level with such names.

    `platform_name`: the only platform to consider, or None. If no layout fits, return its first
    layout and the top level. Raises `AutograderError` if several platforms fit equally well, or if
    nothing fits and no platform is named.
    """
    levels = list(_levels(download.name, files))
    platforms = [
        platform for platform in PLATFORMS.values() if platform_name in (None, platform.name)
    ]
    layouts = [(platform, layout) for platform in platforms for layout in platform.layouts]
    passes = [(certainty, level) for level in levels for certainty in (2, 1)]
    for certainty, (folder_name, items) in [*passes, *((0, level) for level in levels)]:
        matches = [
            (platform, layout, {item.files[0].parts for item in layout.read(items)})
            for platform, layout in layouts
            if layout.certainty == certainty and layout.fits(items, folder_name, assignment_id)
        ]
        matches = [match for match in matches if not any(match[2] < read for _, _, read in matches)]
        if len(matches) > 1:
            raise AutograderError(
                f"`{printable(download.name)}` has names as "
                f"{' and '.join(platform.name for platform, *_ in matches)} write them: say which it is with "
                "--platform."
            )
        if matches:
            return *matches[0][:2], items
    if platform_name:
        return *layouts[0], levels[0][1]
    names = ", ".join(platform.name for platform in platforms if platform.layouts)
    raise AutograderError(
        f"Nothing in `{printable(download.name)}` is named as a known platform names it: say which "
        f"it is with --platform ({names})."
    )


def _levels(name: str, files: list[File]) -> Iterator[tuple[str, list[Item]]]:
    """Yield the items on each level of a download, from the top, with the name of the folder around
    them. Stop if a level has several folders, or after MOST_AROUND levels. Folders beside the
    submissions, and files that cannot contain a notebook, are not counted.
    """
    aside = {layout.aside for platform in PLATFORMS.values() for layout in platform.layouts} - {""}
    for level in range(MOST_AROUND + 1):
        items = items_at(files, level)
        yield name, items
        holders = [
            item
            for item in items
            if (item.is_folder or item.files[0].may_hold_notebook) and item.name not in aside
        ]
        if len(holders) != 1 or not holders[0].is_folder:
            return
        name, files = holders[0].name, holders[0].files
