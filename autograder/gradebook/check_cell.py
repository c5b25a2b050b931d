"""How the checks of one exercise are shown below its check cell, in formgrader and in feedback."""

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import groupby

import jinja2
from markupsafe import Markup, escape

from autograder.engine.course.assignment import CHECK
from autograder.engine.verdict.verdict import ExerciseResult, Verdict, points_text
from autograder.text.patterns import Pattern

CODE = Pattern(r"`([^`]+)`")
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


def load_templates(package: str) -> jinja2.Environment:
    """Return the page templates of a package, which may include those of a submission's page.

    What they fill in is escaped; their filter `code` shows words in backticks as code.
    """
    of_submissions = jinja2.PackageLoader("autograder.gradebook", "pages/templates/submission_page")
    templates = jinja2.Environment(
        loader=jinja2.ChoiceLoader([jinja2.PackageLoader(package), of_submissions]),
        autoescape=True,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    templates.filters["code"] = words_as_code
    return templates


def words_as_code(text: str) -> Markup:
    """Return the text, escaped, with words in backticks as code (a filter of Jinja's)."""
    return Markup(CODE.sub(r"<code>\1</code>", str(escape(text))))


TEMPLATES = load_templates("autograder.gradebook")


def as_html(result: ExerciseResult, repairs: Sequence[str] = (), in_notebook: bool = True) -> str:
    """Return a table: what was repaired, known mistakes, checks with points and questions.

    For a notebook it has styles of its own; pages have rules for its classes.
    """
    return _written("check_cell.html.jinja", result, repairs, in_notebook=in_notebook)


def as_text(result: ExerciseResult, repairs: Sequence[str] = ()) -> str:
    """Return the same as plain text."""
    return _written("check_cell.txt.jinja", result, repairs)


def _written(template: str, result: ExerciseResult, repairs: Sequence[str], **more: bool) -> str:
    return TEMPLATES.get_template(template).render(
        result=result,
        repairs=repairs,
        groups=_groups(result),
        total=_of(result.points, result.max_points),
        state=STATES[result.state],
        gone=GONE,
        **more,
    )


def repairs_by_exercise(verdict: Verdict) -> dict[str, list[str]]:
    """Return the sentences about what was repaired, by the exercise below which they are shown: the
    one whose cell they name, else the first one.
    """
    ids = [result.id for result in verdict.exercises]
    places = {cell: id for id in ids for cell in (id, CHECK + id)}
    repairs: dict[str, list[str]] = {id: [] for id in ids}
    for sentence in verdict.repairs if ids else ():
        cell = CODE.search(sentence)
        repairs[places.get(cell[1] if cell else "", ids[0])].append(sentence)
    return repairs


def _groups(result: ExerciseResult) -> list[Group]:
    return [
        Group([(c.sentence, c.passed, _of(c.points, c.max_points)) for c in checks], message)
        for message, group in groupby(result.checks, key=lambda check: check.message)
        if (checks := list(group))
    ]


def _of(points: float, max_points: float) -> str:
    return f"{points_text(points)} / {points_text(max_points)}"
