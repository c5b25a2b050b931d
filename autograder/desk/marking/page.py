"""Write the page for a tutor: the answers beside the marking scheme, in one HTML file that loads
nothing from a network.
"""

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

Track = Callable[[Sequence], Iterable]  # passes on what it gets, and shows how far it is


@dataclass(frozen=True)
class ShownAnswer:
    """A group of equal answers, shown once on a tutor's page: `students` are those that the tutor
    marks, `elsewhere` the equal ones that the tutor does not; `body` is their text as HTML.
    """

    students: list[WrittenAnswer]  # whose they are
    elsewhere: list[WrittenAnswer]  # others who wrote the same
    body: Markup


def write_page(
    path: Path,
    title: str,
    assignment: Assignment,
    groups: Sequence[Sequence[WrittenAnswer]],
    wanted: Sequence[WrittenAnswer],
    blind: bool,
    track: Track = iter,
    template: jinja2.Template | None = None,
    **more: Any,
) -> None:
    """Write the answers in `wanted` beside their marking schemes as an HTML page to `path`, and
    replace an earlier one; equal answers are shown once.

    `title`: the page's heading. `groups`: all answers of the class, grouped by equal ones. `blind`:
    for second marks, so the page neither shows nor links to first marks. `track`: a function that
    returns an iterator over its argument, and may show progress. `template`: one that extends a
    tutor's page, None for that page itself; `more`: further values for it.
    """
    sections = sections_of(assignment, groups, wanted, track)
    page = (template or TEMPLATES.get_template("tutor.html.jinja")).render(
        title=title,
        assignment=assignment.id,
        sections=sections,
        schemes=defaultdict(MarkingHelp, rendered_schemes(assignment)),
        points=points_text,
        blind=blind,
        **more,
    )
    with files.replacing(path) as file:
        file.write(page)


def sections_of(
    assignment: Assignment,
    groups: Sequence[Sequence[WrittenAnswer]],
    wanted: Iterable[WrittenAnswer],
    track: Track,
) -> list[tuple[str, list[ShownAnswer]]]:
    """Return each exercise of the answers in `wanted` with these answers, equal ones together; in
    the order of the notebook.

    `groups`: all answers of the class, grouped by equal ones. `track`: see `write_page`.
    """
    names = {one.name for one in wanted}
    pictures = Pictures(assignment.release.parent, assignment.figures)
    sections: dict[str, list[ShownAnswer]] = defaultdict(list)
    for group in track([group for group in groups if any(one.name in names for one in group)]):
        here = [one for one in group if one.name in names]
        others = [one for one in group if one.name not in names]
        body = render(here[0].kind, here[0].text, Budget(pictures), here[0].attachments)
        sections[here[0].exercise].append(ShownAnswer(here, others, body))
    order = {cell.id: number for number, cell in enumerate(assignment.cells)}
    return sorted(sections.items(), key=lambda one: order.get(one[0], len(order)))
