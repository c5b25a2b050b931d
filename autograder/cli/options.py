"""Options that several commands have."""

from pathlib import Path

import click

PATH = click.Path(path_type=Path)


class PlatformWith(click.ParamType):
    """The name of a platform whose record has this: a layout, a format, a sample."""

    name = "platform"

    def __init__(self, part: str):
        self.part = part

    def _names(self) -> click.Choice:
        from autograder.platforms.registry import PLATFORMS  # not for other commands: slow

        return click.Choice([name for name, one in PLATFORMS.items() if getattr(one, self.part)])

    def convert(self, value, parameter, context) -> str:
        return self._names().convert(value, parameter, context)

    def get_metavar(self, param, ctx) -> str | None:
        return self._names().get_metavar(param, ctx)


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
