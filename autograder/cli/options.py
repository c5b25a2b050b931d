"""Options that several commands have."""

from pathlib import Path

import click

PATH = click.Path(path_type=Path)
in_course = click.option(
    "--course", type=PATH, metavar="DIR", help="nbgrader course (the nearest folder upwards)"
)
