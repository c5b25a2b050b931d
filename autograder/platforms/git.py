"""Read submissions from git repositories: a folder with a clone for each student or team.

    sheet-3-submissions/sheet-3-ada-softmax/        a clone for each student or team
    sheet-3/github.com+ada+homework/                the same, of a repository that `--fetch` cloned
    sheet-3/roster.csv                              student,username,repository

A repository's name has the assignment and a user (ghclass, Classroom 50, GitHub Classroom), or a
table beside the clones names its owners: each member of a team (see `git_tables`).

The time of submission is that in a table, else that of Classroom 50's tag, else that of the commit,
which comes from the student's machine.

https://github.com/foundation50/classroom50/wiki and https://rundel.github.io/ghclass/
"""

from contextlib import suppress
from datetime import datetime
from functools import partial
from pathlib import Path

from autograder.engine.course.which import in_name
from autograder.files.reading import Entry, entries, kind_of
from autograder.platforms.download import Caps, Download, File, FileRefused, Left, Listing, is_junk
from autograder.platforms.git_feedback import FORMAT
from autograder.platforms.git_objects import Clone, CloneRefused, TreeFile
from autograder.platforms.git_tables import (
    BY_TABLE,
    PLATFORM,
    owners_of,
    read_tables,
    table_files,
)
from autograder.platforms.platform import ANY, Contents, HandedIn, Item, Known, Layout, Platform
from autograder.text.errors import CommandError
from autograder.text.printable import printable

SUBMISSIONS = "-submissions"  # ends the name of the folder that gh made
BY_COMMIT = "the commit, which has it from the student's machine"
BY_TAG = "the tag, which whoever may push can make"
POINTER = b"version https://git-lfs.github.com/spec/"


def holds_clones(folder: Path) -> bool:
    """Whether a folder holds clones of repositories: each folder in it is a clone; or at least one
    is, if the folder's name ends in `-submissions`.
    """
    clones = [_is_clone(folder / entry.name, folder) for entry in _folders(folder)]
    return (
        any(clones) if folder.resolve().name.endswith(SUBMISSIONS) else any(clones) and all(clones)
    )


def open_clones(top: Path, caps: Caps = Caps(), by: datetime | None = None) -> Download:
    """Return the files of each clone in the folder `top`, and the tables beside the clones, as a
    download. A clone that cannot be read is one of the refused files.

    `caps`: limits on the number and size of files. `by`: only commits and tags up to this time
    count; None for all. Of each clone, the files are those of the commit to grade (see
    `Clone.submission`). File paths begin with the name of `top`.
    """
    name, listing = top.resolve().name, Listing(caps, table_files(top))
    for folder in _folders(top):
        clone = Clone(top / folder.name, top)
        try:
            if not _is_clone(clone.folder, top):
                raise CloneRefused("is not a clone of a repository: it was not read")
            files, tagged = clone.submission(by)
        except CloneRefused as error:
            listing.refused.append(Left(folder.name, f"`{printable(folder.name)}` {error}."))
            continue
        reported = len(listing.files) + len(listing.refused)
        for found in files:
            changed, said_by = (tagged, BY_TAG) if tagged else (found.changed, BY_COMMIT)
            file = File((), changed, said_by, partial(_read, clone, found, caps.file_bytes))
            refusal = "" if found.is_regular else "is a link or a submodule, not a file"
            listing.add(f"{name}/{folder.name}/{found.name}", file, refusal)
        if len(listing.files) + len(listing.refused) == reported:
            listing.refused.append(Left(folder.name, f"`{printable(folder.name)}` holds no file."))
    return listing.download(name)


def _sort_by_student(items: list[Item], assignment_id: str, known: Known) -> Contents:
    """Return one submission per repository and owner: the student, or each member of the team.
    `items`: the clones, and the tables beside them; `known` is not used. A clone whose owner is
    unclear is listed as without a student.

    Raises `CommandError` if nothing here is of git, or if a table cannot be read.
    """
    if not _are_of_git(items):
        raise CommandError("There is no clone of a repository in the download.")
    tables = read_tables(item.files[0] for item in items if item.files[0].changed_by == BY_TABLE)
    prefixes = [items[0].files[0].parts[0].removesuffix(SUBMISSIONS), assignment_id]
    contents = Contents([])
    for clone in filter(_is_clone_item, items):
        try:
            people = owners_of(clone.name, prefixes, tables)
        except CloneRefused as error:
            sentence = f"`{printable(clone.name)}` {error}."
            notebooks = [file for file in clone.files if file.may_hold_notebook]
            lefts = [Left(file.path, sentence, file) for file in notebooks]
            contents.without_student.extend(lefts or [Left(clone.name, sentence)])
            continue
        in_table = tables.times.get(clone.name.casefold())
        when, by = _submitted_at(clone.files, in_table, assignment_id)
        contents.handed_in.extend(
            HandedIn(person, clone.name, tuple(clone.files), when, by) for person in people
        )
    return contents


def _is_clone_item(item: Item) -> bool:
    return item.files[0].changed_by in (BY_COMMIT, BY_TAG)


def _are_of_git(items: list[Item], around: str = "", assignment_id: str = "") -> bool:
    sources = {item.files[0].changed_by for item in items if item.level == 1}
    return bool(sources & {BY_COMMIT, BY_TAG, BY_TABLE})


def _folders(top: Path) -> list[Entry]:
    return [one for one in entries(top, top) if one.kind == "folder" and not is_junk((one.name,))]


def _is_clone(folder: Path, top: Path) -> bool:
    with suppress(OSError):
        return kind_of(folder / ".git", top) == "folder"
    return False


def _read(clone: Clone, file: TreeFile, most: int) -> bytes:
    try:
        data = clone.read(file, most)
    except CloneRefused as error:
        raise FileRefused(f"cannot be read: the repository {error}") from error
    if data.startswith(POINTER):
        raise FileRefused("is in Git LFS, not in the repository; it has to be committed itself")
    return data


def _submitted_at(
    files: list[File], in_table: datetime | None, assignment_id: str
) -> tuple[datetime | None, str]:
    """Return when the repository with these files was submitted, None if unknown; and what says so:
    a table, the tag, or the commit.

    `in_table`: the time in a table, which is used if it is not None. Otherwise it is the latest
    time of a notebook: of those with the assignment's name, if there are any.
    """
    if in_table:
        return in_table, BY_TABLE
    notebooks = [file for file in files if file.changed]
    called = [file for file in notebooks if in_name(file.name, [assignment_id])]
    times = [file.changed for file in called or notebooks if file.changed]
    return max(times, default=None), files[0].changed_by


RECORD = Platform(
    PLATFORM,
    (Layout(ANY, _sort_by_student, _are_of_git, files=True),),
    FORMAT,
    manual=(
        "repositories of git",
        "a folder of clones, or nothing: `--fetch` clones them",
        "a table, the tag, else the commit",
    ),
)
