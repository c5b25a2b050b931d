"""`new`: begin an assignment, or an exercise of one, with skeleton files."""

from pathlib import Path

import click

from autograder._commands import terminal
from autograder._commands.exit_status import FAILED, OK, Command, refuse
from autograder._commands.options import in_course
from autograder.authoring import new_names
from autograder.engine import Assignment, Course, CourseError, courses, find_course

KINDS = ("module", "function", "value", "choice")
NO_COURSE = (
    "Or begin one: make a file nbgrader_config.py, which may be empty, in a folder of its own."
)


@click.command(
    "new",
    cls=Command,
    statuses={OK: "written", FAILED: "something could not be written"},
)
@click.argument("assignment_id", metavar="ASSIGNMENT")
@click.argument("exercise", required=False)
@click.option(
    "--kind",
    type=click.Choice(KINDS),
    default="module",
    help="what a student defines: a class, a function, a variable, or answers to statements that are true or false (module)",
)
@click.option("--name", metavar="NAME", help="of the class, function or variable (from EXERCISE)")
@in_course
def new(
    assignment_id: str, exercise: str | None, kind: str, name: str | None, course: Path | None
) -> int:
    """Write a skeleton: files that are graded as they are; TODO(author) marks what is missing.

    Without EXERCISE, an assignment is begun; with it, an exercise is added to one, which is begun
    too if it is not there. Nothing that is there is overwritten.
    """
    if name and not exercise:
        return refuse("--name is for an exercise: say which.")
    try:
        found_course = find_course(course)
    except CourseError as error:
        return refuse(f"{error} {NO_COURSE}")
    assignment = Assignment(assignment_id, found_course)
    is_new_assignment = not exercise or not assignment.source.is_file()
    paths = _begin(assignment, is_new_assignment, exercise, kind, name)
    _print_files(f"{assignment_id}: {exercise}" if exercise else assignment_id, paths, found_course)
    command = f"`python -m autograder release --check {assignment_id}`, too."
    terminal.say(f"TODO(author) in them says what is missing, and {command}")
    if is_new_assignment:
        _print_settings(found_course.root)
    return OK


def _begin(
    assignment: Assignment,
    is_new_assignment: bool,
    exercise: str | None,
    kind: str,
    name: str | None,
) -> list[Path]:
    """Write the skeleton of the assignment, the exercise, or both. Return the paths of the files."""
    from autograder.authoring import skeleton  # imports torch

    if exercise:
        name = name or new_names.default_name(exercise, kind)
        new_names.refuse_exercise(exercise, name)
    paths = skeleton.begin_assignment(assignment.id, assignment.course) if is_new_assignment else []
    if exercise and name:
        paths += skeleton.begin_exercise(assignment, exercise, kind, name)
    return paths


def _print_files(title: str, paths: list[Path], course: Course) -> None:
    terminal.say(f"{title} is begun, with these files:")
    for path in dict.fromkeys(paths):
        is_in_course = path.is_relative_to(course.root)
        terminal.say(f"  {path.relative_to(course.root) if is_in_course else path}")


def _print_settings(root: Path) -> None:
    """Print the lines that `nbgrader_config.py` lacks for nbgrader's own commands."""
    from autograder.authoring.skeleton import nbgrader_settings  # imports torch

    if "shown" not in courses.read_config(root).HTMLExporter.get("filters", {}):
        reason = (
            "For `nbgrader autograde` to grade in this way as well, and for formgrader's pages to be "
            "safe, nbgrader_config.py needs:"
        )
        terminal.say(reason, "", *nbgrader_settings().splitlines())
