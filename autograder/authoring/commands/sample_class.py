"""`sample-class`: write a class of invented students to try things on."""

from pathlib import Path

import click

from autograder._commands import terminal
from autograder._commands.exit_status import FAILED, OK, Command
from autograder._commands.options import PATH, in_course
from autograder.authoring.sample_class import TABLE, write_class
from autograder.authoring.sample_download import write_download
from autograder.authoring.sample_platforms import SAMPLE_DOWNLOADS
from autograder.engine import Assignment, courses, find_assignment, find_course


@click.command(
    "sample-class",
    cls=Command,
    statuses={OK: "written", FAILED: "an assignment could not be read, and is left out"},
)
@click.argument("place", type=PATH, metavar="SUBMITTED")
@click.option("--assignment", "assignment_id", metavar="ID", help="one only (all)")
@click.option("--students", type=click.IntRange(min=1), default=40, metavar="N", help="(40)")
@click.option("--seed", type=int, default=1, help="of what each student hands in (1)")
@click.option(
    "--as",
    "platform",
    type=click.Choice([*SAMPLE_DOWNLOADS]),
    help="a zip as this platform hands it out, with its table beside it if it has one",
)
@in_course
def sample_class(
    place: Path,
    assignment_id: str | None,
    students: int,
    seed: int,
    platform: str | None,
    course: Path | None,
) -> int:
    """Write invented submissions: right, differently right, mistaken, unfinished, broken.

    SUBMITTED is the folder to fill, or with --as the zip, which is of one assignment.
    """
    found_course = find_course(course)
    requested = [find_assignment(assignment_id, found_course)] if assignment_id else []
    chosen, damaged = (requested, []) if requested else courses.with_exercises(found_course)
    if platform and len(chosen) > 1:
        raise courses.cannot_tell(
            f"A download of {platform} is of one", [assignment.id for assignment in chosen]
        )
    for assignment in chosen:
        _write(assignment, place, platform, students, seed)
    terminal.complain(*damaged)
    return FAILED if damaged else OK


def _write(
    assignment: Assignment, place: Path, platform: str | None, students: int, seed: int
) -> None:
    if platform:
        _write_download(assignment, place, platform, students, seed)
        return
    write_class(assignment, place, students, seed)
    terminal.say(
        f"{students} submissions of {assignment.id} are in {place}/; {TABLE} there says what each "
        "of them is."
    )


def _write_download(
    assignment: Assignment, path: Path, platform: str, students: int, seed: int
) -> None:
    """Write the class as a zip of this platform to `path`, and print the paths of all files."""
    files = write_download(assignment, path, platform, students, seed)
    title = f"{students} submissions of {assignment.id}, as {platform} has them:"
    terminal.say(title, *(f"  {file}" for file in files))
