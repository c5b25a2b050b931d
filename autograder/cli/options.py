"""Options that several commands have."""

from pathlib import Path

import click

PATH = click.Path(path_type=Path)
some_assignments = click.argument(
    "names", nargs=-1, metavar="[ASSIGNMENT]...", help="(all that are in source/)"
)
in_course = click.option(
    "--course", type=PATH, metavar="DIR", help="nbgrader course (the nearest folder upwards)"
)
of_gradebook = click.option(
    "--gradebook", metavar="URL", help="database of the gradebook (the course's)"
)
in_results = click.argument(
    "results", type=PATH, metavar="RESULTS", help="where verdicts are, of all assignments or of one"
)
one_in_results = click.option(
    "--assignment", metavar="ID", help="one only (all that are in RESULTS)"
)
one_submitted = click.option(
    "--assignment", metavar="ID", help="one only (all of which there are submissions)"
)
