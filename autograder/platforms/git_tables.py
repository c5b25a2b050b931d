"""Tables beside clones of git repositories: whose a repository is, its address, and when it was
handed in.

A table is recognised by its columns, each of which may be missing: the course's own, Classroom 50's
roster.csv, GitHub Classroom's roster and grades. A user is a name at the host; only a table says
which student a user is, because anybody can choose a name there.
"""

from collections import defaultdict
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from datetime import datetime
from functools import partial
from pathlib import Path

from autograder.files.csv_text import table_in
from autograder.files.reading import entries, opened
from autograder.people.new_ids import slug
from autograder.people.roster import Person, is_student_id
from autograder.platforms.download import File, FileRefused, reader
from autograder.platforms.git_objects import CloneRefused
from autograder.text.errors import CommandError
from autograder.text.patterns import Pattern
from autograder.text.printable import printable
from autograder.text.times import parse_time

PLATFORM = "git"
BY_TABLE = "the table beside the clones"
MAX_TABLE = 16 << 20  # bytes
ADDRESS = Pattern(r"(?:(?:https|ssh|file)://)?(?:[\w.-]+@)?/*([\w~][\w.~:/-]*?)(?:\.git)?/*")
USER = ("github_username", "username", "github")
IDENTIFIER = ("student", "identifier", "roster_identifier", "email")
REPOSITORY = ("student_repository_name", "repository")
Key = tuple[str, str]  # a user, in small letters; else an id in the course


@dataclass
class Tables:
    """The content of the tables beside the clones: students; and by each repository's name, in
    small letters, its owners and when it was handed in; and by the folder for a clone, the address.
    """

    people: dict[Key, Person] = field(default_factory=dict)
    owners: dict[str, list[Key]] = field(default_factory=lambda: defaultdict(list))
    times: dict[str, datetime] = field(default_factory=dict)
    addresses: dict[str, str] = field(default_factory=dict)


def addresses(top: Path) -> dict[str, str]:
    """Read the tables in the folder `top`, and return each repository's address by the name of the
    folder for its clone.

    Raises `CommandError` if a table cannot be read, or if none has an address.
    """
    found = read_tables(table_files(top)).addresses
    if not found:
        raise CommandError(f"There is no table that names a repository by its address in `{top}`.")
    return found


def table_files(top: Path) -> list[File]:
    """Return a `File` for each file, CSV or not, that lies in the folder `top` itself."""
    return [
        File(
            (top.resolve().name, entry.name),
            None,
            BY_TABLE,
            reader(partial(opened, top / entry.name, top), entry.size, MAX_TABLE),
        )
        for entry in entries(top, top)
        if entry.kind == "file"
    ]


def read_tables(files: Iterable[File]) -> Tables:
    """Return the content of those of the files that are CSV tables by their names.

    Raises `CommandError` if one cannot be read, or if the text in its column for a repository is
    neither a name nor an address.
    """
    tables = Tables()
    for file in files:
        if file.name.lower().endswith(".csv"):
            for cells in _rows(file):
                _add_row(cells, tables)
    return tables


def owners_of(repository: str, prefixes: list[str], tables: Tables) -> list[Person]:
    """Return the owners of the repository with this name: those in the tables, else the user in its
    name. An owner whom no table calls a student is a `Person` without an id, whose number is the
    user's name.

    `prefixes`: beginnings of repository names, before the user's name. Raises `CloneRefused` if
    several repositories in the tables have this name, or if the name fits no prefix.
    """
    ends = "+" + repository.casefold()
    folders = [name for name in map(str.casefold, tables.addresses) if name.endswith(ends)]
    if len(folders) > 1:
        raise CloneRefused(
            "is the name of several repositories in the tables: --fetch tells them apart"
        )
    owners = tables.owners.get(repository.casefold()) or tables.owners.get("".join(folders), [])
    keys = dict.fromkeys(owners) or [(_user(repository, prefixes), "")]
    return [tables.people.get(key) or Person("", platform=PLATFORM, number=key[0]) for key in keys]


def _rows(file: File) -> Iterator[dict[str, str]]:
    try:
        table = table_in(file.read(), file.name)
    except FileRefused as error:
        raise CommandError(f"`{printable(file.name)}` {error}.") from error
    for _, row in table.records():
        yield {column: cell.strip() for column, cell in row.items()}


def _add_row(cells: dict[str, str], tables: Tables) -> None:
    """Add a row of a table to `tables`. A row without any known column adds nothing.

    Raises `CommandError` if its repository is neither a name nor an address.
    """
    user, identifier, repository = (
        next((cells[column] for column in columns if cells.get(column)), "")
        for columns in (USER, IDENTIFIER, REPOSITORY)
    )
    key = user.casefold(), "" if user else identifier
    if identifier:
        tables.people[key] = _person(user, identifier, cells)
    if not repository or not any(key):
        return
    address = ADDRESS.fullmatch(repository)
    if not address:
        raise CommandError(
            f"`{printable(repository)}` in a table is not an address of a repository."
        )
    folder = "+".join(part for part in address[1].replace(":", "/").split("/") if part.strip("."))
    tables.owners[folder.casefold()].append(key)
    if "/" in repository:
        tables.addresses[folder] = repository
    time = parse_time(cells.get("submission_timestamp", ""))
    if time:  # the last of several counts
        tables.times[folder.casefold()] = max(time, tables.times.get(folder.casefold(), time))


def _person(user: str, identifier: str, cells: dict[str, str]) -> Person:
    is_id = is_student_id(identifier)
    student = identifier if is_id else slug(identifier) or slug(user)
    email = cells.get("email") or (identifier if "@" in identifier else "")
    both = f"{cells.get('first_name', '')} {cells.get('last_name', '')}".strip()
    name = cells.get("name") or both or ("" if is_id else identifier)
    return Person(student, name, email, PLATFORM, user, cells.get("section", ""))


def _user(repository: str, prefixes: list[str]) -> str:
    """Return the user's name in a repository's name: all that follows the first of the `prefixes`
    that fits. Raises `CloneRefused` if none fits.
    """
    for prefix in prefixes:
        if prefix and repository.casefold().startswith(f"{prefix.casefold()}-"):
            return repository[len(prefix) + 1 :].casefold()
    names = " or ".join(f"`{prefix}-`" for prefix in dict.fromkeys(prefixes) if prefix)
    raise CloneRefused(
        f"does not begin with {names}, so its name does not say its user: put a table with the columns "
        "student and repository beside the clones, and collect again"
    )
