"""The type of an option that names a platform."""

import click


class PlatformWith(click.ParamType):
    """An option's type: a platform that has `part` (`layouts` or `format`) in its record."""

    name = "platform"

    def __init__(self, part: str):
        self.part = part

    def _names(self) -> click.Choice:
        # imported here because it is slow, and --help does not need it
        from autograder.platforms.registry import PLATFORMS

        return click.Choice(
            [name for name, platform in PLATFORMS.items() if getattr(platform, self.part)]
        )

    def convert(self, value, parameter, context) -> str:
        return self._names().convert(value, parameter, context)

    def get_metavar(self, param, ctx) -> str | None:
        return self._names().get_metavar(param, ctx)
