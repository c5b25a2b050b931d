"""`export`: grades as files that a learning platform takes back."""

from pathlib import Path

import click

from autograder.cli.exit_status import FAILED, NOT_GRADED, OK, refuse
from autograder.engine.course import NoCourse

PATH = click.Path(path_type=Path)
FORMATS = ("csv", "canvas", "moodle", "gradescope")


@click.command("export", short_help="grades for a spreadsheet, Canvas, Moodle or Gradescope")
@click.argument("results", type=PATH, metavar="RESULTS", help="where verdicts are")
@click.option("--format", required=True, type=click.Choice(FORMATS))
@click.option("--assignment", metavar="ID", help="where RESULTS holds several")
@click.option(
    "--out", type=PATH, metavar="PATH", help="file or folder (RESULTS/<assignment>/export/)"
)
@click.option(
    "--submitted",
    type=PATH,
    default=Path("submitted"),
    metavar="DIR",
    help="the folder that `collect` filled: who is who on the platform (submitted/)",
)
@click.option("--sheet", type=PATH, metavar="FILE", help="the table as Canvas or Moodle exports it")
@click.option("--column", metavar="NAME", help="the assignment's column in Canvas' table")
@click.option(
    "--course", type=PATH, metavar="DIR", help="nbgrader course (the nearest folder upwards)"
)
@click.option("--gradebook", metavar="URL", help="database of the gradebook (the course's)")
@click.option("--no-gradebook", is_flag=True, help="automatic points only")
def export(no_gradebook: bool, **options) -> int:
    """Write grades for a spreadsheet (csv), or to be taken back by Canvas, Moodle or Gradescope.

    A grade is the automatic points and those given by hand less the late penalty, as the gradebook
    has them. Exit status 0: written. 1: a file could not be. 2: wrong usage. 3: written, without
    verdicts that are damaged.
    """
    from autograder.gradebook.marks import NoSuchGradebook, UnreadableGradebook
    from autograder.platforms.errors import ExportError
    from autograder.platforms.export import ExportRequest, export_grades  # not for --help: slow

    try:
        exported = export_grades(ExportRequest(**options, use_gradebook=not no_gradebook))
    except (ExportError, NoSuchGradebook, NoCourse) as error:
        return refuse(str(error))
    except UnreadableGradebook as error:
        return refuse(str(error), FAILED)
    print(*exported.sentences, *(f"-> {path}" for path in exported.paths), sep="\n")
    return OK if exported.complete else NOT_GRADED
