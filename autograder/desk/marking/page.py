"""Write the page for a tutor: answers beside the marking scheme, in a self-contained HTML file."""

from collections import defaultdict
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import jinja2
from markupsafe import Markup

from autograder.classroom.blocks.html import load_templates
from autograder.desk.marking.answers import WrittenAnswer
from autograder.engine import Assignment, files, points_text
from autograder.gradebook.pages.marking import MarkingHelp, rendered_schemes
from autograder.gradebook.pages.pictures import Pictures
from autograder.gradebook.pages.render import Budget, render

CELLS = jinja2.PackageLoader("autograder.gradebook.pages", "templates/submission_page")
TEMPLATES = load_templates("autograder.desk.marking", CELLS)

Track = Callable[[Sequence], Iterable]  # yields the elements of its argument, and shows progress


@dataclass(frozen=True)
class ShownAnswer:
    """A group of equal answers, shown once on a tutor's page."""

    students: list[WrittenAnswer]  # those that the tutor marks
    elsewhere: list[WrittenAnswer]  # equal answers that the tutor does not mark
    body: Markup  # the text


def write_page(
    path: Path,
    title: str,
    assignment: Assignment,
    groups: Sequence[Sequence[WrittenAnswer]],
    answers: Sequence[WrittenAnswer],
    blind: bool,
    track: Track = iter,
    template: jinja2.Template | None = None,
    **values: Any,
) -> None:
    """Write answers beside their marking schemes as an HTML page to `path`. Equal answers are shown
    once. An earlier page is replaced.

    `title`: the page's heading. `groups`: all answers of the class in groups of equal answers.
    `blind`: neither show nor link to first marks. `track`: returns an iterator over its argument,
    and may show progress. `template`: extends the tutor's page, None for that page itself.
    `values`: further values for the template.
    """
    sections = sections_of(assignment, groups, answers, track)
    page = (template or TEMPLATES.get_template("tutor.html.jinja")).render(
        title=title,
        assignment=assignment.id,
        sections=sections,
        schemes=defaultdict(MarkingHelp, rendered_schemes(assignment)),
        points=points_text,
        blind=blind,
        **values,
    )
    with files.replacing(path) as file:
        file.write(page)


def sections_of(
    assignment: Assignment,
    groups: Sequence[Sequence[WrittenAnswer]],
    answers: Iterable[WrittenAnswer],
    track: Track,
) -> list[tuple[str, list[ShownAnswer]]]:
    """Return (exercise, answers) in the order of the notebook, with equal answers together. The
    arguments are those of `write_page`.
    """
    names = {answer.name for answer in answers}
    pictures = Pictures(assignment.release.parent, assignment.figures)
    sections: dict[str, list[ShownAnswer]] = defaultdict(list)
    for group in track(
        [group for group in groups if any(answer.name in names for answer in group)]
    ):
        tutor_answers = [answer for answer in group if answer.name in names]
        other_answers = [answer for answer in group if answer.name not in names]
        body = render(
            tutor_answers[0].kind,
            tutor_answers[0].text,
            Budget(pictures),
            tutor_answers[0].attachments,
        )
        sections[tutor_answers[0].exercise].append(ShownAnswer(tutor_answers, other_answers, body))
    order = {cell.id: number for number, cell in enumerate(assignment.cells)}
    return sorted(sections.items(), key=lambda section: order.get(section[0], len(order)))
