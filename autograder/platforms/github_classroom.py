"""GitHub Classroom's repositories, as `gh classroom clone student-repos` lays them out.

    sheet-3-submissions/sheet-3-ada-softmax/        a clone for each student or team
    sheet-3-submissions/classroom_roster.csv        identifier,github_username,github_id,name
    sheet-3-submissions/grades.csv                  ...,student_repository_name,submission_timestamp,...

Whoever accepts an assignment gets a repository that is called after the assignment and the GitHub
user. The two tables are downloads of GitHub Classroom, put beside the clones under any name: the
roster says who a user is in the course (a name alone does not: anybody can take one), the grades say
whose a repository is (of a team, each of its members) and when GitHub received it. Without that, the
time is the one of the commit, which is whatever the student's machine said.

https://github.com/github/gh-classroom (`clone student-repos`, `assignment-grades`)
"""

import csv
import io
from collections import defaultdict
from collections.abc import Collection, Iterator
from dataclasses import dataclass, field, replace
from datetime import datetime
from functools import partial
from pathlib import Path

from autograder.engine.which import in_name
from autograder.files import Entry, entries, kind_of, read_regular
from autograder.people import Person, is_student_id, slug
from autograder.platforms.download import (
    Caps,
    Download,
    File,
    FileRefused,
    Left,
    NoDownload,
    is_junk,
    refusal,
    split_name,
    without_duplicates,
)
from autograder.platforms.git_objects import Clone, CloneRefused, TreeFile
from autograder.platforms.platform import ANY, Contents, HandedIn, Item, Layout, Platform
from autograder.text import printable
from autograder.times import parse_time

PLATFORM = "github-classroom"
SUBMISSIONS = "-submissions"  # ends the name of the folder that gh makes
BY_COMMIT = "the commit, which has it from the student's machine"
BY_GITHUB = "GitHub Classroom's table of grades"
POINTER = b"version https://git-lfs.github.com/spec/"
MOST_TIMES = 50  # notebooks of a clone of which it is asked when they were changed
MAX_TABLE = 16 << 20  # bytes


@dataclass
class Tables:
    """What GitHub Classroom's tables say, by user and by repository, in small letters."""

    people: dict[str, Person] = field(default_factory=dict)
    users: dict[str, list[str]] = field(default_factory=lambda: defaultdict(list))
    times: dict[str, datetime] = field(default_factory=dict)


def holds_clones(folder: Path, asked_for: bool = False) -> bool:
    """Whether a folder holds clones: one is enough if it was `asked_for` or is called as gh does."""
    folders = _folders(folder)
    clones = [one for one in folders if _is_clone(folder / one.name, folder)]
    enough = asked_for or folder.resolve().name.endswith(SUBMISSIONS)
    return bool(clones) and (enough or len(clones) == len(folders))


def open_clones(top: Path, caps: Caps = Caps()) -> Download:
    """Return the files of each clone's newest commit, and the tables beside the clones.

    Their paths begin with the name of the folder. Raises `NoDownload`, `OSError`.
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
            files += _files_of(Clone(top / one.name, top), caps, refused)
        except CloneRefused as error:
            refused.append(Left(one.name, f"`{printable(one.name)}` {error}."))
    files += [_table_file(top, one) for one in entries(top, top) if one.kind == "file"]
    return without_duplicates(Download(name, files, refused))


def _sort_by_student(items: list[Item], assignment_id: str, known: Collection[str]) -> Contents:
    """Give each repository to its student, or to each member of its team. Raises `NoDownload`."""
    clones = [item for item in items if item.files[0].changed_by == BY_COMMIT]
    if not clones:
        raise NoDownload("There is no clone of a repository in the download.")
    tables = Tables()
    for item in items:
        if item.name.lower().endswith(".csv") and item not in clones:
            _read_table(item.files[0], tables)
    prefixes = [clones[0].files[0].parts[0].removesuffix(SUBMISSIONS), assignment_id]
    contents = Contents([])
    for clone in clones:
        try:
            people = _people(clone.name, prefixes, tables)
        except CloneRefused as error:
            sentence = f"`{printable(clone.name)}` {error}."
            readable = [file for file in clone.files if file.may_hold_notebook]
            left = [Left(file.path, sentence, file) for file in readable]
            contents.without_student.extend(left or [Left(clone.name, sentence)])
            continue
        when, by = _handed_in_at(clone.name, clone.files, tables, assignment_id)
        contents.handed_in.extend(
            HandedIn(person, clone.name, tuple(clone.files), when, by) for person in people
        )
    return contents


def _folders(top: Path) -> list[Entry]:
    return [one for one in entries(top, top) if one.kind == "folder" and not is_junk((one.name,))]


def _is_clone(folder: Path, top: Path) -> bool:
    try:
        return kind_of(folder / ".git", top) == "folder"
    except OSError:
        return False


def _files_of(clone: Clone, caps: Caps, refused: list[Left]) -> Iterator[File]:
    commit, _ = clone.handed_in()
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
        file = File(parts, None, BY_COMMIT, partial(_read, clone, found, caps), size=found.size)
        if file.may_hold_notebook and asked < MOST_TIMES:
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


def _table_file(top: Path, entry: Entry) -> File:
    def read() -> bytes:
        try:
            return read_regular(top / entry.name, MAX_TABLE, top)
        except OSError as error:
            raise FileRefused(f"cannot be read ({error})") from error

    return File((top.resolve().name, entry.name), None, "nobody", read)


def _read_table(file: File, tables: Tables) -> None:
    """Add what a table says; one that is neither roster nor grades says nothing."""
    try:
        text = file.read().decode("utf-8-sig")
        rows = list(csv.DictReader(io.StringIO(text, newline="")))
    except (FileRefused, UnicodeDecodeError, csv.Error) as error:
        raise NoDownload(f"`{printable(file.name)}` is no table in UTF-8 ({error}).") from error
    for row in rows:
        cells = {name: value.strip() for name, value in row.items() if name and value}
        user = cells.get("github_username", "")
        if not user:
            continue
        identifier = cells.get("identifier") or cells.get("roster_identifier") or ""
        if identifier:
            tables.people[user.casefold()] = _person(user, identifier, cells.get("name", ""))
        repository = cells.get("student_repository_name", "").casefold()
        if repository:
            tables.users[repository].append(user)
            _add_time(tables, repository, cells.get("submission_timestamp", ""))


def _add_time(tables: Tables, repository: str, said: str) -> None:
    """Keep the latest of several: an older table knows less."""
    when = parse_time(said)
    if when:
        tables.times[repository] = max(when, tables.times.get(repository, when))


def _person(user: str, identifier: str, name: str) -> Person:
    good = is_student_id(identifier)
    student = identifier if good else slug(identifier) or slug(user)
    email = identifier if "@" in identifier else ""
    return Person(student, name or ("" if good else identifier), email, PLATFORM, user)


def _people(repository: str, prefixes: list[str], tables: Tables) -> list[Person]:
    """Whose a repository is. Raises `CloneRefused` where nothing says that.

    A user of GitHub chose that name: without a table, nothing says whose it is in the course.
    """
    known = tables.users.get(repository.casefold())
    users = list(dict.fromkeys(known)) if known else [_user(repository, prefixes)]
    missing = [user for user in users if user.casefold() not in tables.people]
    if tables.people and missing:
        names = ", ".join(f"`{printable(user)}`" for user in missing)
        raise CloneRefused(
            f"is of {names}, who is not linked to anybody in GitHub Classroom's roster: link the "
            "account there, download classroom_roster.csv again, and collect again"
        )
    unknown = [Person("", platform=PLATFORM, number=user) for user in users]
    return unknown if not tables.people else [tables.people[user.casefold()] for user in users]


def _user(repository: str, prefixes: list[str]) -> str:
    """The GitHub user in a repository's name. Raises `CloneRefused`."""
    for prefix in prefixes:
        if prefix and repository.casefold().startswith(f"{prefix.casefold()}-"):
            return repository[len(prefix) + 1 :]
    names = " or ".join(f"`{prefix}-`" for prefix in dict.fromkeys(prefixes) if prefix)
    raise CloneRefused(
        f"does not begin with {names}, so its name says no user: put the table of grades that GitHub "
        "Classroom lets you download beside the clones, and collect again"
    )


def _handed_in_at(
    repository: str, files: list[File], tables: Tables, assignment_id: str
) -> tuple[datetime | None, str]:
    """When it was handed in, and what says so."""
    when = tables.times.get(repository.casefold())
    if when:
        return when, BY_GITHUB
    notebooks = [file for file in files if file.changed]
    called = [file for file in notebooks if in_name(file.name, [assignment_id])]
    times = [file.changed for file in called or notebooks if file.changed]
    return max(times, default=None), BY_COMMIT


RECORD = Platform(
    PLATFORM,
    (
        Layout(
            ANY,
            _sort_by_student,
            lambda items, around, assignment_id: any(
                item.level == 1 and item.files[0].changed_by == BY_COMMIT for item in items
            ),
            files=True,
        ),
    ),
    manual=(
        "GitHub Classroom, until it ended",
        "a folder of clones",
        "its table of grades, else the commit: [github-classroom.md](github-classroom.md)",
    ),
)
