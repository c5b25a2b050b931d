"""`show`: print all data on a student."""

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

WIDTH = 80  # columns, if the width of the terminal is not known


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
    records = [read_record(sources, assignment_id, person) for assignment_id in sources.assignments]
    console = terminal.console(WIDTH)
    for part in student_page(person, records):
        console.print(part)
    terminal.say(*sources.without)
    return OK


def id_called(query: str, people: dict) -> str:
    """Return the id of the student with this id, e-mail or name. Raises `AutograderError` if there
    is none or several.
    """
    if query in people:
        return query
    text, words = query.casefold().strip(), spellings(query)
    ids = [
        id
        for id, person in people.items()
        if text in (id.casefold(), person.email.casefold()) or words & spellings(person.name)
    ]
    if len(ids) != 1:
        raise AutograderError(_why_nobody(query, ids, people))
    return ids[0]


def _why_nobody(query: str, ids: list[str], people: dict) -> str:
    """Return a message with up to five matching ids, or else with the most similar names."""
    if ids:
        return f"Several are called `{query}`: say one of {', '.join(sorted(ids)[:5])}."
    spellings: dict[str, str] = {}
    for id, person in people.items():
        for spelling in filter(None, (id, person.name, person.email)):
            spellings.setdefault(spelling.casefold(), id)
    close = difflib.get_close_matches(query.casefold(), spellings, n=5, cutoff=0.5)
    similar_ids = list(dict.fromkeys(spellings[spelling] for spelling in close))[:3]
    hint = f" Did you mean {' or '.join(similar_ids)}?" if similar_ids else ""
    return f"No student is called `{query}` among {len(people)}.{hint}"
