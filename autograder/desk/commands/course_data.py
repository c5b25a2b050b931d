"""The options and locks that `student` and `course` share."""

from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path

import click

from autograder._commands.options import in_course, of_gradebook
from autograder.classroom.records.structs import import_earlier
from autograder.desk import returns
from autograder.desk.marking import given
from autograder.engine import AutograderError, files, find_course, grading
from autograder.gradebook import inquiries
from autograder.gradebook.sync.database import gradebook_of
from autograder.platforms import exports

WITH_RECORDS = given, returns, inquiries, exports  # imported, because each defines records

BUSY = (
    "Somebody is grading, collecting or answering in this course: do this again when that is done."
)


def about_course(command: Callable) -> Callable:
    """Add `--yes`, `--course` and `--gradebook` to a command (a decorator)."""
    yes_option = click.option("--yes", is_flag=True, help="without being asked")
    return yes_option(in_course(of_gradebook(command)))


@contextmanager
def alone_in(course: Path | None, gradebook: str | None) -> Iterator[tuple[Path, str | None]]:
    """Yield the folder of a course and the URL of its gradebook. Within the block, `grade`,
    `collect` and `inquiries answer` are locked out. The arguments are the options.

    Raises `CourseError` or `AutograderError` if the course or gradebook does not exist or another
    command is running, `OSError` if a lock cannot be made.
    """
    found_course = find_course(course)
    root = found_course.root
    submitted, results = root / "submitted", root / grading.RESULTS
    entries = files.entries(results, results) if results.is_dir() else []
    locks = [submitted if submitted.is_dir() else root]  # as `collect` does
    folders = [results / entry.name for entry in entries if entry.kind == "folder"]
    locks += [lock for folder in folders for lock in (folder, folder / grading.LOCK)]
    with ExitStack() as stack:
        for lock in locks:
            stack.enter_context(files.locked(lock, BUSY))
        import_earlier(results)
        yield root, gradebook_of(found_course, gradebook)


def refuse_existing(to: Path) -> None:
    """Raise `AutograderError` if this path exists or its folder is missing."""
    if not to.parent.is_dir():
        raise AutograderError(f"There is no folder `{to.parent}`: make it, or name another --to.")
    if files.kind_of(to, to.parent) is not None:
        raise AutograderError(f"`{to}` is there: move it away, or name another --to.")
