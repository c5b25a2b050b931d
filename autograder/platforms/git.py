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

from collections.abc import Collection, Iterator
from dataclasses import replace
from datetime import datetime
from functools import partial
from pathlib import Path

from autograder.engine.course.which import in_name
from autograder.files.reading import Entry, entries, kind_of
from autograder.platforms.download import (
    Caps,
    Download,
    File,
    FileRefused,
    Left,
    is_junk,
    refusal,
    split_name,
    without_duplicates,
)
from autograder.platforms.git_feedback import FORMAT
from autograder.platforms.git_objects import Clone, CloneRefused, TreeFile
from autograder.platforms.git_tables import PLATFORM, owners_of, read_tables, table_files
from autograder.platforms.platform import ANY, Contents, HandedIn, Item, Layout, Platform
from autograder.text.errors import CommandError
from autograder.text.printable import printable

SUBMISSIONS = "-submissions"  # ends the name of the folder that gh made
BY_COMMIT = "the commit, which has it from the student's machine"
BY_TAG = "the tag, which whoever may push can make"
BY_TABLE = "the table beside the clones"
POINTER = b"version https://git-lfs.github.com/spec/"
MOST_TIMES = 50  # notebooks of a clone of which it is asked when they were changed


def holds_clones(folder: Path, asked_for: bool = False) -> bool:
    """Whether a folder holds clones of repositories: each folder in it is a clone; or at least one
    is, if `asked_for` is set or the folder's name ends in `-submissions`.

    `asked_for`: the user named git as the platform.
    """
    folders = _folders(folder)
    clones = [one for one in folders if _is_clone(folder / one.name, folder)]
    enough = asked_for or folder.resolve().name.endswith(SUBMISSIONS)
    return bool(clones) and (enough or len(clones) == len(folders))


def open_clones(top: Path, caps: Caps = Caps(), by: datetime | None = None) -> Download:
    """Return the files of each clone in the folder `top`, and the tables beside the clones, as a
    download.

    `caps`: limits on the number and size of files. `by`: only commits and tags up to this time
    count; None for all. Of each clone, the files are those of the commit to grade (see
    `Clone.handed_in`). File paths begin with the name of `top`.
    """
    name = top.resolve().name
    files: list[File] = []
    refused: list[Left] = []
    for one in _folders(top):
        if not _is_clone(top / one.name, top):
            sentence = f"`{printable(one.name)}` is no clone of a repository: it was not read."
            refused.append(Left(one.name, sentence))
            continue
        try:
            files += _files_of(Clone(top / one.name, top), caps, by, refused)
        except CloneRefused as error:
            refused.append(Left(one.name, f"`{printable(one.name)}` {error}."))
    files += table_files(top)
    return without_duplicates(Download(name, files, refused))


def _sort_by_student(items: list[Item], assignment_id: str, known: Collection[str]) -> Contents:
    """Return one submission per repository and owner: the student, or each member of the team.
    `items`: the clones, and the tables beside them; `known` is not used. A clone whose owner is
    unclear is listed as without a student.

    Raises `CommandError` if there are no clones, or if a table cannot be read.
    """
    clones = [item for item in items if _is_of_clone(item)]
    if not clones:
        raise CommandError("There is no clone of a repository in the download.")
    tables = read_tables(item.files[0] for item in items if item not in clones)
    prefixes = [clones[0].files[0].parts[0].removesuffix(SUBMISSIONS), assignment_id]
    contents = Contents([])
    for clone in clones:
        try:
            people = owners_of(clone.name, prefixes, tables)
        except CloneRefused as error:
            sentence = f"`{printable(clone.name)}` {error}."
            readable = [file for file in clone.files if file.may_hold_notebook]
            left = [Left(file.path, sentence, file) for file in readable]
            contents.without_student.extend(left or [Left(clone.name, sentence)])
            continue
        when, by = _handed_in_at(
            clone.files, tables.times.get(clone.name.casefold()), assignment_id
        )
        contents.handed_in.extend(
            HandedIn(person, clone.name, tuple(clone.files), when, by) for person in people
        )
    return contents


def _is_of_clone(item: Item) -> bool:
    return item.files[0].changed_by in (BY_COMMIT, BY_TAG)


def _folders(top: Path) -> list[Entry]:
    return [one for one in entries(top, top) if one.kind == "folder" and not is_junk((one.name,))]


def _is_clone(folder: Path, top: Path) -> bool:
    try:
        return kind_of(folder / ".git", top) == "folder"
    except OSError:
        return False


def _files_of(clone: Clone, caps: Caps, by: datetime | None, refused: list[Left]) -> Iterator[File]:
    commit, tagged = clone.handed_in(by)
    asked = 0
    for found in clone.files(commit):
        written = f"{clone.top.resolve().name}/{clone.folder.name}/{found.path}"
        try:
            parts = split_name(written, caps)
            if not found.regular:
                raise FileRefused("is a link or a submodule, no file")
        except FileRefused as error:
            refused += refusal(written, error)
            continue
        if is_junk(parts):
            continue
        said_by = BY_TAG if tagged else BY_COMMIT
        file = File(parts, tagged, said_by, partial(_read, clone, found, caps), size=found.size)
        if file.may_hold_notebook and not tagged and asked < MOST_TIMES:
            asked += 1
            file = replace(file, changed=clone.changed(commit, found.path))
        yield file


def _read(clone: Clone, file: TreeFile, caps: Caps) -> bytes:
    if file.size > caps.file_bytes:
        raise FileRefused(f"says that it has {file.size} bytes; {caps.file_bytes} are read")
    try:
        data = clone.read(file, caps.file_bytes)
    except CloneRefused as error:
        raise FileRefused(f"cannot be read: the repository {error}") from error
    if data.startswith(POINTER):
        raise FileRefused("is in Git LFS, not in the repository; it has to be committed itself")
    return data


def _handed_in_at(
    files: list[File], in_table: datetime | None, assignment_id: str
) -> tuple[datetime | None, str]:
    """Return when the repository with these files was handed in, None if unknown; and what says so:
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
    (
        Layout(
            ANY,
            _sort_by_student,
            lambda items, around, assignment_id: any(
                item.level == 1 and _is_of_clone(item) for item in items
            ),
            files=True,
        ),
    ),
    FORMAT,
    manual=(
        "repositories of git",
        "a folder of clones, or nothing: `--fetch` clones them",
        "a table, the tag, else the commit",
    ),
)
