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
    """Return the table's rows, the header first: student, name, points of each assignment, sum. A
    missing grade is None. Raises `AutograderError` if a table or the gradebook cannot be used.
    """
    people: dict[str, Person] = {}
    grades_by_id: dict[str, dict[str, Grade]] = {}
    for id in sources.assignments:
        people |= read_roster(sources.submitted, id)
        people |= {person.student: person for person in read_remembered(sources.submitted, id)}
        marks = read_marks(sources.gradebook, id) if sources.gradebook else {}
        groups = sources.groups.of(id)
        verdicts = read_results(sources.results, id, groups)
        graded = combine_grades(verdicts, people, marks, sources.submitted, groups)
        grades_by_id[id] = {grade.student: grade for grade in graded}
        people = {grade.student: grade.person for grade in graded} | people
    max_points = {
        id: max(grade.max_points for grade in by_student.values())
        for id, by_student in grades_by_id.items()
    }
    header = [
        "student",
        "name",
        *(f"{id} (of {points:g})" for id, points in max_points.items()),
        "sum",
    ]
    rows: list[list[str | float | None]] = [[*header]]
    for student, person in sorted(people.items()):
        totals = [
            grade.total if (grade := by_student.get(student)) else None
            for by_student in grades_by_id.values()
        ]
        known_totals = [total for total in totals if total is not None]
        rows.append([student, person.name, *totals, sum(known_totals) if known_totals else None])
    return rows
