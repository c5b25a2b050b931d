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
