"""The options of the commands of `marking`, and the answers of each assignment that people mark."""

import os
import re
from collections.abc import Iterator, Sequence
from pathlib import Path

import click

from autograder._commands import terminal
from autograder._commands.options import PATH, Percent
from autograder._commands.progress import with_progress
from autograder.desk.marking.agreement import agreement_table
from autograder.desk.marking.answers import WrittenAnswer, read_answers
from autograder.desk.marking.second_marks import MarkComparison, about_compared
from autograder.engine import (
    Assignment,
    AutograderError,
    Course,
    courses,
    find_assignment,
    grading,
    texts,
)
from autograder.gradebook.commands.next_step import why_no_grades
from autograder.gradebook.pages.details import groups_of
from autograder.gradebook.sync.database import folders_of, gradebook_of
from autograder.gradebook.sync.group_marks import share_group_marks
from autograder.gradebook.sync.tables import read_marks

FORMGRADER = "http://localhost:8888/formgrader"
# the part before formgrader in the address of its pages, or of pages of JupyterLab
SERVER = re.compile(
    r"(https?://[^/?#\s\"'<>]+(?:[^?#\s\"'<>]*?/(?:user|services)/[^/?#\s\"'<>]+)?[^?#\s\"'<>]*?)"
    r"/?(?:/(?:formgrader|lab|tree|notebooks)(?:[/?#].*)?|[?#].*)?"
)
one_assignment = click.option(
    "--assignment", "named", metavar="ID", help="one only (all in the gradebook)"
)
into_folder = click.option(
    "--out", type=PATH, metavar="DIR", help="where to write (results/<assignment>/marking/)"
)
by_student_or_answer = click.option(
    "--split",
    "by",
    type=click.Choice(("student", "answer")),
    default="student",
    help="what stays with one tutor: all of a student, or each answer by itself (student)",
)
some_twice = click.option(
    "--second",
    "percent",
    type=Percent(),
    default=0.0,
    help="how many answers are marked twice, such as 10% (none)",
)


def answers_in_gradebook(
    course: Course, named: str | None, gradebook: str | None, address: str
) -> Iterator[tuple[Assignment, list[WrittenAnswer], list[str]]]:
    """Yield each assignment with answers to mark by hand, these answers, and students with an
    unreadable graded notebook. Without any such assignment, print a sentence.

    `named`: the id of an assignment, None for all. `gradebook`: a URL, None for the course's.
    `address`: formgrader's URL, for links. Raises `CourseError` if `named` is not known,
    `AutograderError` if the gradebook cannot be used.
    """
    url = gradebook_url(course, gradebook)
    ids = [find_assignment(named, course).id] if named else courses.assignments(course)
    has_answers = False
    for id in ids:
        give_members_their_groups_marks(course, url, id)
        if answers := read_answers(url, course, id, address):
            has_answers = True
            yield find_assignment(id, course), *answers
    if not has_answers:
        scope = f"of `{named}` " if named else ""
        has_grades = any(read_marks(url, id) for id in ids)
        reason = "No exercise asks for it." if has_grades else why_no_grades(course, named)
        terminal.say(f"Nothing {scope}in the gradebook is marked by hand. {reason}")


def give_members_their_groups_marks(course: Course, url: str, id: str) -> None:
    """Give all members of a group the marks that a member has for the same answer, and print
    differences. `url`: the gradebook's. Raises `AutograderError` if the gradebook cannot be used.
    """
    terminal.say(*share_group_marks(url, id, groups_of(folders_of(course), id)))


def formgrader_address(address: str | None) -> str:
    """Return formgrader's address for links, from the address of any page of its server. By
    default, use the JupyterHub of this process, else a JupyterLab on this computer.

    Raises `AutograderError` if `address` is invalid, or if JupyterHub's own is not known.
    """
    hub_prefix = os.environ.get("JUPYTERHUB_SERVICE_PREFIX", "")
    address = address or os.environ.get("JUPYTERHUB_PUBLIC_URL", "")
    if hub_prefix and not address:
        raise AutograderError(
            "For the links, name this JupyterHub: `--formgrader https://HUB"
            + hub_prefix
            + "formgrader`."
        )
    server = SERVER.fullmatch(address or FORMGRADER)
    if server is None:
        raise AutograderError(f"--formgrader takes an address like {FORMGRADER}.")
    return f"{server[1]}/formgrader"


def gradebook_url(course: Course, address: str | None) -> str:
    """Return the URL of the gradebook, by default the course's. Raises `AutograderError` if it does
    not exist.
    """
    url = gradebook_of(course, address)
    if url is None:
        raise AutograderError(
            f"This course has no gradebook yet. {why_no_grades(course)}", texts.FAILED
        )
    return url


def say_compared(compared: MarkComparison) -> None:
    """Print the agreement of first and second marks, and the marks that could not be compared."""
    if compared.pairs:
        terminal.console().print(agreement_table(compared))
    terminal.say(*about_compared(compared))


def marking_folder(out: Path | None, assignment: Assignment, named: str | None) -> Path:
    """Return the folder for an assignment's files. `out`: the option `--out`. `named`: the option
    `--assignment`. If it is None, each assignment gets a folder in `out`.
    """
    if out is None:
        return terminal.from_here(
            assignment.course.root / grading.RESULTS / assignment.id / "marking"
        )
    return out if named else out / assignment.id


def track_pages(groups: Sequence) -> Iterator:
    """Yield these groups of answers, and show progress."""
    return with_progress(groups, "pages", len(groups))
