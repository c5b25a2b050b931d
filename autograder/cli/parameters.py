"""What options of marking take: a part of a class, a share in percent."""

import re

import click

MOST_TUTORS = 100


class PartOf(click.ParamType):
    """`2/5`: the second of five."""

    name = "K/N"

    def convert(
        self, value: str, param: click.Parameter | None, ctx: click.Context | None
    ) -> tuple[int, int]:
        """Return the two numbers."""
        found = re.fullmatch(r"([0-9]{1,3})/([0-9]{1,3})", value)
        which, of = map(int, found.groups()) if found else (0, 0)
        if not 1 <= which <= of <= MOST_TUTORS:
            self.fail(f"{value!r} is no part like 2/5, of {MOST_TUTORS} at most", param, ctx)
        return which, of


class Percent(click.ParamType):
    """`10%`, or `10`."""

    name = "PERCENT"

    def convert(
        self, value: str | float, param: click.Parameter | None, ctx: click.Context | None
    ) -> float:
        """Return the number before the sign."""
        found = re.fullmatch(r"([0-9]{1,3}(?:\.[0-9]{1,2})?)%?", str(value))
        percent = float(found[1]) if found else -1
        if not 0 <= percent <= 100:
            self.fail(f"{value!r} is no share like 10%", param, ctx)
        return percent
