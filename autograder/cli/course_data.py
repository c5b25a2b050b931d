"""What `student` and `course` share: the options on where data are, locks, and the question."""

from collections.abc import Callable, Iterable, Iterator
from contextlib import ExitStack, contextmanager
from functools import reduce
from pathlib import Path

import click

from autograder.cli.options import PATH, in_course, of_gradebook
from autograder.engine.course.course import find_course
from autograder.engine.results import LOCK, RESULTS
from autograder.files.locks import locked
from autograder.files.reading import entries, kind_of
from autograder.gradebook.database import gradebook_of
from autograder.people.roster import RECEIVED
from autograder.report import terminal
from autograder.staff.student_data.course_files import Folders
from autograder.text.errors import CommandError

BUSY = "Somebody is grading, or collecting, in this course: do this again when that is done."
OPTIONS: list[Callable] = [
    of_gradebook,
    in_course,
    click.option("--results", type=PATH, metavar="DIR", help="(the course's results/)"),
    click.option("--submitted", type=PATH, metavar="DIR", help="(the course's submitted/)"),
    click.option("--yes", is_flag=True, help="without being asked"),
]


def in_course_folders(command: Callable) -> Callable:
    """Add the options `--yes`, `--submitted`, `--results`, `--course` and `--gradebook` to a command
    (a decorator).
    """
    return reduce(lambda inner, option: option(inner), OPTIONS, command)


def find_folders(
    course: Path | None, submitted: Path | None, results: Path | None, gradebook: str | None
) -> tuple[Folders, str | None]:
    """Return the folders of a course, and the URL of its gradebook, None if it has none. Raises
    `CourseError` or `CommandError` if one that was named is none.
    """
    where = find_course(course)
    folders = Folders(
        where.root, submitted or where.root / "submitted", results or where.root / RESULTS
    )
    for named in (submitted, results):
        if named and not named.is_dir():
            raise CommandError(f"There is no folder `{named}`.")
    return folders, gradebook_of(where, gradebook)


def assignments_of(folders: Folders) -> list[str]:
    """Return the ids of the assignments of which there are results, or something received."""
    tops = folders.results, folders.submitted / RECEIVED
    there = [entries(top, top) for top in tops if top.is_dir()]
    return sorted({one.name for each in there for one in each if one.kind == "folder"})


@contextmanager
def alone_in(folders: Folders) -> Iterator[None]:
    """Within the block, keep `grade` and `collect` out of a course. Raises `Busy` if one of them is
    running, `OSError` if a lock cannot be made.
    """
    with ExitStack() as stack:
        if folders.submitted.is_dir():
            stack.enter_context(locked(folders.submitted, BUSY))
        for id in assignments_of(folders):
            if kind_of(folders.results / id, folders.results) == "folder":
                stack.enter_context(locked(folders.results / id / LOCK, BUSY))
        yield


def refuse_existing(to: Path) -> None:
    """Raise `CommandError` if there is something at a path to which a file is to be written, or no
    folder for it.
    """
    if not to.parent.is_dir():
        raise CommandError(f"There is no folder `{to.parent}`: make it, or name another --to.")
    if kind_of(to, to.parent) is not None:
        raise CommandError(f"`{to}` is there: move it away, or name another --to.")


def agreed(said: Iterable[str], question: str, yes: bool) -> bool:
    """Print what would be done, and return whether to do it: with `--yes`, or if a person at the
    terminal agrees.
    """
    terminal.say(*said)
    if yes or (terminal.is_there_to_answer() and terminal.ask(question)):
        return True
    terminal.say(
        "Nothing is done." if terminal.is_there_to_answer() else "Nothing is done: add --yes."
    )
    return False
