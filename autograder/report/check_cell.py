"""How the checks of one exercise are shown below its check cell, in formgrader and in feedback."""

import re
from dataclasses import dataclass
from itertools import groupby

import jinja2
from markupsafe import Markup, escape

from autograder.verdict import ExerciseResult

TICKS = re.compile(r"`([^`]+)`")
TEMPLATES = jinja2.Environment(
    loader=jinja2.PackageLoader("autograder.report"),
    autoescape=True,
    trim_blocks=True,
    lstrip_blocks=True,
)
TEMPLATES.filters["code"] = lambda text: Markup(TICKS.sub(r"<code>\1</code>", str(escape(text))))
GONE = "Gone since an earlier submission:"
STATES = {
    "answered": "",
    "not_attempted": "not attempted",
    "error": "stopped with an error",
    "timed_out": "ran out of time",
    "out_of_memory": "ran out of memory",
    "crashed": "ended its process",
}


@dataclass(frozen=True)
class Group:
    """Neighbouring checks with one message."""

    lines: list[tuple[str, bool, str]]  # sentence, passed, points
    message: str | None


def as_html(result: ExerciseResult) -> str:
    """A table of the checks, their points and their questions."""
    page = TEMPLATES.get_template("check_cell.html.jinja")
    state = STATES[result.state]
    return page.render(
        result=result, groups=_groups(result), total=_total(result), state=state, gone=GONE
    )


def as_text(result: ExerciseResult) -> str:
    """The same for a terminal."""
    lines = [f"     {mistake.sentence}" for mistake in result.mistakes]
    lines += [f"     {GONE} {mistake.sentence}" for mistake in result.gone]
    for group in _groups(result):
        lines += [
            f"{'yes' if ok else ' no'}  {points:>9}  {name}" for name, ok, points in group.lines
        ]
        if group.message:
            lines.append(f"                {group.message}")
    return "\n".join([*lines, f"     {_total(result):>9}  {STATES[result.state]}".rstrip()])


def sentence(check_id: str) -> str:
    """`test_projections_have_no_bias` -> `projections have no bias`"""
    return check_id.removeprefix("test_").replace("_", " ")


def number(points: float) -> str:
    return f"{points:g}"


def _groups(result: ExerciseResult) -> list[Group]:
    return [
        Group(
            [
                (sentence(c.id), c.passed, f"{number(c.points)} / {number(c.max_points)}")
                for c in checks
            ],
            message,
        )
        for message, group in groupby(result.checks, key=lambda check: check.message)
        if (checks := list(group))
    ]


def _total(result: ExerciseResult) -> str:
    return f"{number(result.points)} / {number(result.max_points)}"
