"""The type of an option that names a platform."""

import click


class PlatformWith(click.ParamType):
    """The type of an option whose value is the name of a platform. Those platforms are allowed
    whose record has a value for `part`: `layouts` or `format`.
    """

    name = "platform"

    def __init__(self, part: str):
        self.part = part

    def _names(self) -> click.Choice:
        from autograder.platforms.registry import PLATFORMS  # not for --help: slow

        return click.Choice([name for name, one in PLATFORMS.items() if getattr(one, self.part)])

    def convert(self, value, parameter, context) -> str:
        return self._names().convert(value, parameter, context)

    def get_metavar(self, param, ctx) -> str | None:
        return self._names().get_metavar(param, ctx)
