"""`course grades`: all grades of a course in one table."""

from pathlib import Path

import click

from autograder._commands import terminal
from autograder._commands.exit_status import FAILED, OK, Command
from autograder._commands.options import PATH, in_course, of_gradebook, of_results
from autograder.classroom.roster import Person, read_remembered, read_roster
from autograder.desk.commands.course_data import refuse_existing
from autograder.desk.sources import Sources, find_sources
from autograder.engine import files, plural
from autograder.gradebook.grades import Grade, combine_grades, read_results, without_points
from autograder.gradebook.sync.tables import read_marks


@click.command(
    "grades",
    short_help="the final points of all assignments in one table",
    cls=Command,
    statuses={OK: "written", FAILED: "a file or the gradebook cannot be used"},
)
@click.option("--to", type=PATH, required=True, metavar="FILE.csv", help="the table to write")
@of_results
@in_course
@of_gradebook
def grades(to: Path, results: Path, course: Path | None, gradebook: str | None) -> int:
    """Write a table with a row for each student and a column for each assignment: points of checks
    and by hand, less what being late costs.

    Everybody on a roster that `collect` was given, or with a verdict, is in it. A cell is empty
    where there is no grade: nothing was handed in, it cannot be read, or it is practice.
    """
    refuse_existing(to)
    sources = find_sources(results, None, None, course, gradebook, True)
    rows = course_table(sources)
    for id in sources.assignments:
        verdicts = read_results(sources.results, id, sources.groups.of(id)).verdicts
        if practice := sum(verdict.is_practice for verdict in verdicts):
            sources.without.append(
                f"{id}: {plural(practice, 'cell is', 'cells are')} empty, because the verdicts are "
                "practice, graded without a sandbox."
            )
        sources.without += without_points(verdicts)
    with files.replacing(to) as file:
        file.write(files.csv_text(rows))
    terminal.say(*sources.without, f"-> {to}, {plural(len(rows) - 1, 'student')}")
    return OK


def course_table(sources: Sources) -> list[list[str | float | None]]:
    """Return the table's rows, the header first: student, name, the points of each assignment, and
    their sum; None where there is no grade. Raises `AutograderError` if a table or the gradebook
    cannot be used.
    """
    people: dict[str, Person] = {}
    found: dict[str, dict[str, Grade]] = {}
    for id in sources.assignments:
        people |= read_roster(sources.submitted, id)
        people |= {one.student: one for one in read_remembered(sources.submitted, id)}
        marks = read_marks(sources.gradebook, id) if sources.gradebook else {}
        groups = sources.groups.of(id)
        verdicts = read_results(sources.results, id, groups)
        made = combine_grades(verdicts, people, marks, sources.submitted, groups)
        found[id] = {one.student: one for one in made}
        people = {one.student: one.person for one in made} | people
    most = {id: max(one.max_points for one in of_one.values()) for id, of_one in found.items()}
    header = ["student", "name", *(f"{id} (of {points:g})" for id, points in most.items()), "sum"]
    rows: list[list[str | float | None]] = [[*header]]
    for student, person in sorted(people.items()):
        totals = [one.total if (one := of_one.get(student)) else None for of_one in found.values()]
        given = [one for one in totals if one is not None]
        rows.append([student, person.name, *totals, sum(given) if given else None])
    return rows
