"""Tables beside clones of git repositories: whose a repository is, its address, and when it was
handed in.

A table is recognised by its columns, each of which may be missing: the course's own, Classroom 50's
roster.csv, GitHub Classroom's roster and grades. A user is a name at the host; only a table says
which student a user is, because anybody can choose a name there.
"""

from collections import defaultdict
from collections.abc import Iterable
from dataclasses import dataclass, field
from datetime import datetime
from pathlib import Path

from autograder.files.csv_text import table_in
from autograder.files.reading import Entry, entries, read_regular
from autograder.people.new_ids import slug
from autograder.people.roster import Person, is_student_id
from autograder.platforms.download import File, FileRefused
from autograder.platforms.git_objects import CloneRefused
from autograder.text.errors import CommandError
from autograder.text.patterns import Pattern
from autograder.text.printable import printable
from autograder.text.times import parse_time

PLATFORM = "git"
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
    """Return a `File` for each file, CSV or not, that lies in the folder `top` itself. Nothing is
    read yet: `File.read` does that, and raises `FileRefused` if the file cannot be read.
    """
    return [_table_file(top, one) for one in entries(top, top) if one.kind == "file"]


def read_tables(files: Iterable[File]) -> Tables:
    """Return the content of those of the files that are CSV tables by their names.

    Raises `CommandError` if one cannot be read, or if the text in its column for a repository is
    neither a name nor an address.
    """
    tables = Tables()
    for file in files:
        if file.name.lower().endswith(".csv"):
            _read_table(file, tables)
    return tables


def owners_of(repository: str, prefixes: list[str], tables: Tables) -> list[Person]:
    """Return the owners of the repository with this name: those in the tables, else the user in its
    name. If the tables name no students, each is a `Person` without an id, and its number is the
    user's name.

    `prefixes`: beginnings of repository names, before the user's name. Raises `CloneRefused` if the
    tables name students and not this owner, if several repositories in the tables have this name,
    or if the name fits no prefix.
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


def _table_file(top: Path, entry: Entry) -> File:
    def read() -> bytes:
        try:
            return read_regular(top / entry.name, MAX_TABLE, top)
        except OSError as error:
            raise FileRefused(f"cannot be read ({error})") from error

    return File((top.resolve().name, entry.name), None, "nobody", read)


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
