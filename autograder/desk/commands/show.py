"""`show`: print everything about one student."""

import difflib
from pathlib import Path

import click

from autograder._commands import terminal
from autograder._commands.exit_status import FAILED, OK, USAGE, Command
from autograder._commands.options import PATH, in_course, of_gradebook, of_results, one_in_results
from autograder.classroom.identify import spellings
from autograder.desk.commands.student_record import read_everybody, read_record
from autograder.desk.report.student import student_page
from autograder.desk.sources import find_sources
from autograder.engine import AutograderError

WIDTH = 80  # columns, where nobody says how wide the terminal is


@click.command(
    "show",
    cls=Command,
    statuses={
        OK: "shown",
        FAILED: "the gradebook cannot be read",
        USAGE: "wrong usage, or nobody is called so",
    },
)
@click.argument("student", metavar="STUDENT", help="id, name or e-mail")
@one_in_results
@of_results
@click.option(
    "--submitted",
    type=PATH,
    metavar="DIR",
    help="the folder that `collect` filled: who is who, and what was received (the course's submitted/)",
)
@in_course
@of_gradebook
@click.option("--no-gradebook", is_flag=True, help="automatic points only")
def show(
    student: str,
    assignment: str | None,
    results: Path,
    submitted: Path | None,
    course: Path | None,
    gradebook: str | None,
    no_gradebook: bool,
) -> int:
    """Say what is known of one student: points and mistakes by exercise, what a person marked, late
    penalties, what was repaired or fixed since, and what was handed in before.
    """
    sources = find_sources(results, assignment, submitted, course, gradebook, not no_gradebook)
    people = read_everybody(sources)
    person = people[id_called(student, people)]
    records = [read_record(sources, one, person) for one in sources.assignments]
    console = terminal.console(WIDTH)
    for part in student_page(person, records):
        console.print(part)
    terminal.say(*sources.without)
    return OK


def id_called(called: str, people: dict) -> str:
    """Return the id of the student in `people` whose id, e-mail or name is `called`. Raises
    `AutograderError` if nobody is called so, or several are.
    """
    if called in people:
        return called
    wanted, words = called.casefold().strip(), spellings(called)
    found = [
        id
        for id, one in people.items()
        if wanted in (id.casefold(), one.email.casefold()) or words & spellings(one.name)
    ]
    if len(found) != 1:
        raise AutograderError(_why_nobody(called, found, people))
    return found[0]


def _why_nobody(called: str, found: list[str], people: dict) -> str:
    """Return a message on why no student is shown: several are called so (up to five ids are
    listed), or nobody is, and then with the most similar names. `found`: the ids of those who are
    called so.
    """
    if found:
        return f"Several are called `{called}`: say one of {', '.join(sorted(found)[:5])}."
    spellings: dict[str, str] = {}
    for id, one in people.items():
        for spelling in filter(None, (id, one.name, one.email)):
            spellings.setdefault(spelling.casefold(), id)
    close = difflib.get_close_matches(called.casefold(), spellings, n=5, cutoff=0.5)
    meant = list(dict.fromkeys(spellings[one] for one in close))[:3]
    hint = f" Did you mean {' or '.join(meant)}?" if meant else ""
    return f"No student is called `{called}` among {len(people)}.{hint}"
