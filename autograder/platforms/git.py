"""Read submissions from git repositories: a folder with a clone for each student or team.

    sheet-3-submissions/sheet-3-ada-softmax/        a clone for each student or team
    sheet-3/github.com+ada+homework/                the same, of a repository that `--fetch` cloned
    sheet-3/roster.csv                              student,username,repository

A repository's name has the assignment and a user (ghclass, Classroom 50, GitHub Classroom), or a
table beside the clones names its owners: each member of a team. Tables are recognised by their
columns, each of which may be missing: the course's own, Classroom 50's roster.csv, GitHub
Classroom's roster and grades. Only a table says which student a user is: anybody can choose a name.

The time of submission is that in a table, else that of Classroom 50's tag, else that of the commit,
which comes from the student's machine.

https://github.com/foundation50/classroom50/wiki and https://rundel.github.io/ghclass/
"""

from collections import defaultdict
from collections.abc import Collection, Iterable, Iterator
from dataclasses import dataclass, field, replace
from datetime import datetime
from functools import partial
from pathlib import Path

from autograder.engine.course.which import in_name
from autograder.files.csv_text import table_in
from autograder.files.reading import Entry, entries, kind_of, read_regular
from autograder.people.new_ids import slug
from autograder.people.roster import Person, is_student_id
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
from autograder.platforms.platform import ANY, Contents, HandedIn, Item, Layout, Platform
from autograder.text.errors import CommandError
from autograder.text.patterns import Pattern
from autograder.text.printable import printable
from autograder.text.times import parse_time

PLATFORM = "git"
SUBMISSIONS = "-submissions"  # ends the name of the folder that gh made
BY_COMMIT = "the commit, which has it from the student's machine"
BY_TAG = "the tag, which whoever may push can make"
BY_TABLE = "the table beside the clones"
POINTER = b"version https://git-lfs.github.com/spec/"
MOST_TIMES = 50  # notebooks of a clone of which it is asked when they were changed
MAX_TABLE = 16 << 20  # bytes
ADDRESS = Pattern(r"(?:(?:https|ssh|file)://)?(?:[\w.-]+@)?/*([\w~][\w.~:/-]*?)(?:\.git)?/*")
USER = ("github_username", "username", "github")
IDENTIFIER = ("student", "identifier", "roster_identifier", "email")
REPOSITORY = ("student_repository_name", "repository")
Key = tuple[str, str]  # a user, in small letters; else an id in the course


@dataclass
class Tables:
    """The content of the tables beside the clones: students, the owners of repositories, times and
    addresses.
    """

    people: dict[Key, Person] = field(default_factory=dict)
    owners: dict[str, list[Key]] = field(default_factory=lambda: defaultdict(list))  # by repository
    times: dict[str, datetime] = field(default_factory=dict)  # by repository
    addresses: dict[str, str] = field(default_factory=dict)  # by the folder for a clone of it


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
    files += _table_files(top)
    return without_duplicates(Download(name, files, refused))


def _sort_by_student(items: list[Item], assignment_id: str, known: Collection[str]) -> Contents:
    """Return one submission per repository and owner: the student, or each member of the team.
    `known` is not used.

    Raises `CommandError` if there are no clones, or if a table cannot be read.
    """
    clones = [item for item in items if _is_of_clone(item)]
    if not clones:
        raise CommandError("There is no clone of a repository in the download.")
    tables = _read_tables(item.files[0] for item in items if item not in clones)
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


def addresses(top: Path) -> dict[str, str]:
    """Read the tables in the folder `top`, and return each repository's address by the name of the
    folder for its clone.

    Raises `CommandError` if no table has an address.
    """
    found = _read_tables(_table_files(top)).addresses
    if not found:
        raise CommandError(f"There is no table that names a repository by its address in `{top}`.")
    return found


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


def _table_files(top: Path) -> list[File]:
    return [_table_file(top, one) for one in entries(top, top) if one.kind == "file"]


def _table_file(top: Path, entry: Entry) -> File:
    def read() -> bytes:
        try:
            return read_regular(top / entry.name, MAX_TABLE, top)
        except OSError as error:
            raise FileRefused(f"cannot be read ({error})") from error

    return File((top.resolve().name, entry.name), None, "nobody", read)


def _read_tables(files: Iterable[File]) -> Tables:
    tables = Tables()
    for file in files:
        if file.name.lower().endswith(".csv"):
            _read_table(file, tables)
    return tables


def _read_table(file: File, tables: Tables) -> None:
    """Parse a table and add its content to `tables`. A table without any known column adds nothing.

    Raises `CommandError` if it cannot be read.
    """
    try:
        table = table_in(file.read(), file.name)
    except FileRefused as error:
        raise CommandError(f"`{printable(file.name)}` {error}.") from error
    for _, row in table.records():
        cells = {name: cell.strip() for name, cell in row.items()}
        user, identifier, repository = (
            next((cells[name] for name in names if cells.get(name)), "")
            for names in (USER, IDENTIFIER, REPOSITORY)
        )
        key = user.casefold(), "" if user else identifier
        if identifier:
            tables.people[key] = _person(user, identifier, cells)
        if repository and any(key):
            _add_repository(tables, repository, key)
            _add_time(tables, repository.casefold(), cells.get("submission_timestamp", ""))


def _add_repository(tables: Tables, repository: str, key: Key) -> None:
    """Add to `tables` that the repository, a name or an address, belongs to the user or student in
    `key`.

    Raises `CommandError` if the text is neither a name nor an address.
    """
    found = ADDRESS.fullmatch(repository)
    if not found:
        raise CommandError(f"`{printable(repository)}` in a table is no address of a repository.")
    folder = "+".join(part for part in found[1].replace(":", "/").split("/") if part.strip("."))
    tables.owners[folder.casefold()].append(key)
    if "/" in repository:
        tables.addresses[folder] = repository


def _add_time(tables: Tables, repository: str, said: str) -> None:
    """Add a repository's time of submission to `tables`; if it has one already, the later one is
    kept.

    `said` is the time as text; if it is no time, nothing is added.
    """
    when = parse_time(said)
    if when:
        tables.times[repository] = max(when, tables.times.get(repository, when))


def _person(user: str, identifier: str, cells: dict[str, str]) -> Person:
    good = is_student_id(identifier)
    student = identifier if good else slug(identifier) or slug(user)
    email = cells.get("email") or (identifier if "@" in identifier else "")
    names = (
        cells.get("name") or f"{cells.get('first_name', '')} {cells.get('last_name', '')}".strip()
    )
    name = names or ("" if good else identifier)
    return Person(student, name, email, PLATFORM, user, cells.get("section", ""))


def _people(repository: str, prefixes: list[str], tables: Tables) -> list[Person]:
    """Return the owners of a repository.

    `prefixes`: beginnings of repository names, before the user's name. Raises `CloneRefused` if the
    tables do not tell the owner: users choose their own names on git servers, so only a table can
    tell which student a user is.
    """
    ends = "+" + repository.casefold()
    folders = [name for name in map(str.casefold, tables.addresses) if name.endswith(ends)]
    if len(folders) > 1:
        raise CloneRefused(
            "is the name of several repositories in the tables: --fetch tells them apart"
        )
    owners = tables.owners.get(repository.casefold()) or tables.owners.get("".join(folders), [])
    known = list(dict.fromkeys(owners))
    keys = known or [(_user(repository, prefixes).casefold(), "")]
    missing = [key for key in keys if key not in tables.people]
    if tables.people and missing:
        names = ", ".join(f"`{printable(user)}`" for user, _ in missing)
        raise CloneRefused(
            f"is of {names}, who has no id in the tables beside the clones: add a row, and collect again"
        )
    if missing:
        return [Person("", platform=PLATFORM, number=user) for user, _ in keys]
    return [tables.people[key] for key in keys]


def _user(repository: str, prefixes: list[str]) -> str:
    """Return the user's name in a repository's name: what follows the first of the `prefixes` that
    fits. Raises `CloneRefused` if none fits.
    """
    for prefix in prefixes:
        if prefix and repository.casefold().startswith(f"{prefix.casefold()}-"):
            return repository[len(prefix) + 1 :]
    names = " or ".join(f"`{prefix}-`" for prefix in dict.fromkeys(prefixes) if prefix)
    raise CloneRefused(
        f"does not begin with {names}, so its name says no user: put a table with the columns student "
        "and repository beside the clones, and collect again"
    )


def _handed_in_at(
    repository: str, files: list[File], tables: Tables, assignment_id: str
) -> tuple[datetime | None, str]:
    """Return when a repository was handed in, None if unknown; and what says so: a table, the tag,
    or the commit.
    """
    when = tables.times.get(repository.casefold())
    if when:
        return when, BY_TABLE
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
        "a table, the tag, else the commit: [git.md](git.md)",
    ),
)
