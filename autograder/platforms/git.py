"""Read submissions from git repositories, a folder with a clone for each student or team, and write
feedback for them.

    sheet-3-submissions/sheet-3-ada-softmax/        a clone for each student or team
    sheet-3/github.com+ada+homework/                the same, of a repository that `--fetch` cloned
    sheet-3/roster.csv                              student,username,repository

A repository's name has the assignment and a user (ghclass, Classroom 50, GitHub Classroom), or a
table beside the clones names its owners: each member of a team.

The time of submission is that in a table, else that of Classroom 50's tag, else that of the commit,
which comes from the student's machine.

https://github.com/foundation50/classroom50/wiki and https://rundel.github.io/ghclass/

A table has a repository's owner, address and time of submission. It is recognised by its columns,
each of which may be missing: the course's own, Classroom 50's roster.csv, GitHub Classroom's roster
and grades. A user is a name at the host. Only a table can match a user with a student, because
anybody can choose a name there.

Feedback is a Markdown file for each repository, and a shell script that opens each as a GitHub
issue. An issue needs no branch and no push, and leaves the student's files unchanged.
https://cli.github.com/manual/gh_issue_create
"""

from collections import defaultdict
from collections.abc import Iterable
from contextlib import suppress
from dataclasses import dataclass, field
from datetime import datetime
from functools import partial
from pathlib import Path

from autograder.classroom.new_ids import slug
from autograder.classroom.roster import Person, is_student_id
from autograder.engine import AutograderError, Pattern, courses, files, printable, texts
from autograder.gradebook.grades import Grade
from autograder.gradebook.pages.of_grade import markdown_parts, zip_bytes
from autograder.platforms.download import (
    Caps,
    Download,
    File,
    FileRefused,
    Left,
    Listing,
    is_junk,
    reader,
)
from autograder.platforms.git_objects import Clone, CloneRefused, TreeFile
from autograder.platforms.platform import (
    ANY,
    ClassGrades,
    Contents,
    Format,
    HandedIn,
    Item,
    Known,
    Layout,
    Platform,
    lefts,
)

PLATFORM = "git"
BY_TABLE = "the table beside the clones"
MAX_TABLE = 16 << 20  # bytes
ADDRESS = Pattern(r"(?:(?:https|ssh|file)://)?(?:[\w.-]+@)?/*([\w~][\w.~:/-]*?)(?:\.git)?/*")
USER = ("github_username", "username", "github")
IDENTIFIER = ("student", "identifier", "roster_identifier", "email")
REPOSITORY = ("student_repository_name", "repository")
Key = tuple[str, str]  # (user in small letters, "") or ("", id in the course)
SCRIPT = "hand-back.sh"
TEXT = """#!/bin/sh
# Opens an issue with its feedback in each repository: sh hand-back.sh OWNER
# OWNER is whose repositories they are, where names of files do not say it.
for file in ./*.md; do
  name="$(basename "$file" .md | tr + /)"
  case "$name" in */*) ;; *) name="${1:?say whose repositories they are}/$name" ;; esac
  gh issue create --repo "$name" --title Feedback --body-file "$file" || exit
done
"""
SUBMISSIONS = "-submissions"  # end of the name of gh's folder
BY_COMMIT = "the commit, which has it from the student's machine"
BY_TAG = "the tag, which whoever may push can make"
POINTER = b"version https://git-lfs.github.com/spec/"


@dataclass
class Tables:
    """The content of the tables beside the clones. `people`: students. `owners`, `times`: owners
    and time of submission by repository name, in small letters. `addresses`: by the name of the
    folder for the clone.
    """

    people: dict[Key, Person] = field(default_factory=dict)
    owners: dict[str, list[Key]] = field(default_factory=lambda: defaultdict(list))
    times: dict[str, datetime] = field(default_factory=dict)
    addresses: dict[str, str] = field(default_factory=dict)


def addresses(top: Path) -> dict[str, str]:
    """Read the tables in the folder `top`, and return each repository's address by the name of the
    folder for its clone.

    Raises `AutograderError` if a table cannot be read, or if they have no address.
    """
    addresses_by_folder = read_tables(table_files(top)).addresses
    if not addresses_by_folder:
        raise AutograderError(
            f"There is no table that names a repository by its address in `{top}`."
        )
    return addresses_by_folder


def table_files(top: Path) -> list[File]:
    """Return a `File` for each file directly in the folder `top`, whether or not it is a CSV table."""
    return [
        File(
            (top.resolve().name, entry.name),
            None,
            BY_TABLE,
            reader(partial(files.opened, top / entry.name, top), entry.size, MAX_TABLE),
        )
        for entry in files.entries(top, top)
        if entry.kind == "file"
    ]


def read_tables(committed: Iterable[File]) -> Tables:
    """Return the content of the CSV tables among these files, by their names.

    Raises `AutograderError` if a table cannot be read, or if a cell in its column for repositories
    is neither a name nor an address.
    """
    tables = Tables()
    for file in committed:
        if file.name.lower().endswith(".csv"):
            try:
                table = files.table_in(file.read(), file.name)
            except FileRefused as error:
                raise AutograderError(f"`{printable(file.name)}` {error}.") from error
            for _, row in table.records():
                _add_row({column: cell.strip() for column, cell in row.items()}, tables)
    return tables


def owners_of(repository: str, prefixes: list[str], tables: Tables) -> list[Person]:
    """Return the owners of a repository: those in the tables, or otherwise the user in its name.
    Owners that no table matches with a student have the user's name as their number, and no id.

    `prefixes`: beginnings of repository names, before the user's name. Raises `CloneRefused` if
    several repositories in the tables have this name, or if no prefix fits.
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


def _add_row(cells: dict[str, str], tables: Tables) -> None:
    """Add a row of a table to `tables`. Raises `AutograderError` if its repository is not an
    address.
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
        raise AutograderError(
            f"`{printable(repository)}` in a table is not an address of a repository."
        )
    folder = "+".join(part for part in address[1].replace(":", "/").split("/") if part.strip("."))
    tables.owners[folder.casefold()].append(key)
    if "/" in repository:
        tables.addresses[folder] = repository
    time = texts.parse_time(cells.get("submission_timestamp", ""))
    if time:  # of several times, the latest counts
        tables.times[folder.casefold()] = max(time, tables.times.get(folder.casefold(), time))


def _person(user: str, identifier: str, cells: dict[str, str]) -> Person:
    is_id = is_student_id(identifier)
    student = identifier if is_id else slug(identifier) or slug(user)
    email = cells.get("email") or (identifier if "@" in identifier else "")
    full_name = f"{cells.get('first_name', '')} {cells.get('last_name', '')}".strip()
    name = cells.get("name") or full_name or ("" if is_id else identifier)
    id_number = identifier if is_id else ""
    return Person(student, name, email, PLATFORM, user, cells.get("section", ""), "", id_number)


def _user(repository: str, prefixes: list[str]) -> str:
    """Return the user's name, after the first fitting prefix. Raises `CloneRefused` if none fits."""
    for prefix in prefixes:
        if prefix and repository.casefold().startswith(f"{prefix.casefold()}-"):
            return repository[len(prefix) + 1 :].casefold()
    names = " or ".join(f"`{prefix}-`" for prefix in dict.fromkeys(prefixes) if prefix)
    raise CloneRefused(
        f"does not begin with {names}, so its name does not say its user: put a table with the columns "
        "student and repository beside the clones, and collect again"
    )


def _part(grade: Grade, of_class: ClassGrades) -> tuple[str, bytes]:
    """Return the name of the student's repository (or ""), and the Markdown text for it."""
    received = of_class.received.get(grade.student)
    folders = received.path.split("/")[1:-1] if received else []
    text = "\n".join(markdown_parts(grade))
    return (folders or [""])[0], text.encode("utf-8", "backslashreplace")


def _write(of_class: ClassGrades) -> tuple[list[bytes], list[str]]:
    grades_by_name, unknown = of_class.by_name(lambda grade: of_class.parts[grade.student][0])
    files = {
        f"{name}.md": of_class.parts[grades[-1].student][1]
        for name, grades in grades_by_name.items()
    }
    return [zip_bytes({**files, SCRIPT: TEXT.encode()}, executable=(SCRIPT,))], [
        f"{len(files)} texts for repositories: unpack them, and `sh {SCRIPT}` opens issues.",
        *texts.sentence_on(unknown, "No text for {}: no repository of theirs was collected."),
    ]


FORMAT = Format(
    files=("git-feedback.zip",),
    part=_part,
    write=_write,
    manual=("a text for each repository, and a script", "`sh hand-back.sh` opens issues, by `gh`"),
)


def holds_clones(folder: Path) -> bool:
    """Whether a folder contains only clones, or at least one and its name ends in `-submissions`."""
    clones = [_is_clone(folder / entry.name, folder) for entry in _folders(folder)]
    return (
        any(clones) if folder.resolve().name.endswith(SUBMISSIONS) else any(clones) and all(clones)
    )


def open_clones(top: Path, caps: Caps = Caps(), by: datetime | None = None) -> Download:
    """Return the files of all clones in the folder `top`, and the tables beside them, as a
    download. Unreadable clones are listed as refused files.

    `caps`: limits on the number and size of files. `by`: ignore later commits and tags. The files
    of a clone are those of the commit to grade (see `Clone.submission`). File paths begin with the
    name of `top`.
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
        for tree_file in files:
            changed, source = (tagged, BY_TAG) if tagged else (tree_file.changed, BY_COMMIT)
            file = File((), changed, source, partial(_read, clone, tree_file, caps.file_bytes))
            refusal = "" if tree_file.is_regular else "is a link or a submodule, not a file"
            listing.add(f"{name}/{folder.name}/{tree_file.name}", file, refusal)
        if len(listing.files) + len(listing.refused) == reported:
            listing.refused.append(Left(folder.name, f"`{printable(folder.name)}` holds no file."))
    return listing.download(name)


def _sort_by_student(items: list[Item], assignment_id: str, facts: Known) -> Contents:
    """Return a submission per repository and owner: the student, or each member of the team. Clones
    with unclear owners are listed as without a student.

    Raises `AutograderError` if nothing here is of git, or if a table cannot be read.
    """
    if not _are_of_git(items):
        raise AutograderError("There is no clone of a repository in the download.")
    tables = read_tables(item.files[0] for item in items if item.files[0].changed_by == BY_TABLE)
    prefixes = [items[0].files[0].parts[0].removesuffix(SUBMISSIONS), assignment_id]
    contents = Contents([])
    clones = [item for item in items if item.files[0].changed_by in (BY_COMMIT, BY_TAG)]
    for clone in clones:
        try:
            people = owners_of(clone.name, prefixes, tables)
        except CloneRefused as error:
            contents.without_student.extend(lefts(clone.name, clone.files, str(error)))
            continue
        in_table = tables.times.get(clone.name.casefold())
        submitted_at, source = _submitted_at(clone.files, in_table, assignment_id)
        contents.handed_in.extend(
            HandedIn(person, clone.name, tuple(clone.files), submitted_at, source)
            for person in people
        )
    return contents


def _are_of_git(items: list[Item], around: str = "", assignment_id: str = "") -> bool:
    sources = {item.files[0].changed_by for item in items if item.level == 1}
    return bool(sources & {BY_COMMIT, BY_TAG, BY_TABLE})


def _folders(top: Path) -> list[files.Entry]:
    return [
        entry
        for entry in files.entries(top, top)
        if entry.kind == "folder" and not is_junk((entry.name,))
    ]


def _is_clone(folder: Path, top: Path) -> bool:
    with suppress(OSError):
        return files.kind_of(folder / ".git", top) == "folder"
    return False


def _read(clone: Clone, file: TreeFile, max_bytes: int) -> bytes:
    try:
        data = clone.read(file, max_bytes)
    except CloneRefused as error:
        raise FileRefused(f"cannot be read: the repository {error}") from error
    if data.startswith(POINTER):
        raise FileRefused("is in Git LFS, not in the repository; it has to be committed itself")
    return data


def _submitted_at(
    files: list[File], in_table: datetime | None, assignment_id: str
) -> tuple[datetime | None, str]:
    """Return a repository's time of submission (None if unknown) and its source: a table, the tag,
    or the commit. Without `in_table`, it is the latest time of the notebooks with the assignment's
    name, or otherwise of all notebooks.
    """
    if in_table:
        return in_table, BY_TABLE
    named_files = [
        file for file in files if file.changed and courses.in_name(file.name, [assignment_id])
    ]
    times = [file.changed for file in named_files or files if file.changed]
    return max(times, default=None), files[0].changed_by


RECORD = Platform(
    PLATFORM,
    (Layout(ANY, _sort_by_student, _are_of_git, files=True),),
    FORMAT,
    manual=(
        "git repositories",
        "a folder of clones, or nothing: `--fetch` clones them",
        "a table, the tag, else the commit",
    ),
)
