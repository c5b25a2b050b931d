"""Make the table of a notebook's exercises from its headings, cards and cells, and compare it with
the overview figure that `progress()` colours.

A card is the Markdown cell with an exercise's heading.
"""

import re
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path

from autograder.authoring.toolbox.exercises import ExerciseHeading, worth
from autograder.engine import courses, notes

HEADING = re.compile(
    r"#{1,6} +Exercise (?P<number>\w+) *[·:.-] *(?P<title>.+?) *\((?P<about>[^()]*)\) *"
)
TITLE = re.compile(r"^#{1,6} +.+$", re.MULTILINE)
MINUTES = re.compile(r"\b(\d+) minutes")
FORM_ONLY = "form-only"  # tag of a check cell that sees whether an answer is filled in, and no more
FIGURE = Path("figures", "overview.svg")
BOX = re.compile(r'<(\w+) data-exercise="([^"]*)"[^>]*?(?:/>|>([^<]*)<)')


def exercise_table(cells: Sequence[courses.PristineCell]) -> dict[str, ExerciseHeading]:
    """Return the notebook's exercises by the id of their solution cell, in the order of the
    notebook; `cells` are all of its cells.

    Number and title come from the heading above, minutes from the cell with that heading, and
    points, rounded, from the check cell, or without one from the solution cell. Without a heading,
    the number is the place among all exercises, and the title is the cell's id.
    """
    checks = {cell.id.removeprefix(courses.CHECK): cell for cell in cells if cell.check}
    found = {}
    for number, (cell, card) in enumerate(_below_cards(cells), start=1):
        heading = _heading(card)
        check = checks.get(cell.id)
        minutes = MINUTES.search(card)
        found[cell.id] = ExerciseHeading(
            number=heading["number"] if heading else str(number),
            title=heading["title"] if heading else cell.id,
            points=round((check or cell).points),
            minutes=int(minutes[1]) if minutes else 0,
            defines=tuple(_defined(cell)),
            by_hand=check is None,
            form_only=check is not None and FORM_ONLY in check.tags,
        )
    return found


def ungraded_exercises(cells: Sequence[courses.PristineCell]) -> Iterator[str]:
    """Yield the number and title of each exercise that has a heading but no solution cell; `cells`
    are all of the notebook.
    """
    answered = {one.number for one in exercise_table(cells).values()}
    headings = (_heading(cell.source) for cell in cells if cell.kind == "markdown")
    for heading in headings:
        if heading and heading["number"] not in answered:
            yield f"{heading['number']} · {heading['title']}"


def _below_cards(
    cells: Sequence[courses.PristineCell],
) -> Iterator[tuple[courses.PristineCell, str]]:
    """Yield each solution cell, with the text of the last Markdown cell above it that has a
    heading; "" if there is none.
    """
    card = ""
    for cell in cells:
        if cell.solution:
            yield cell, card
        elif cell.kind == "markdown" and TITLE.search(cell.source):
            card = cell.source


def _heading(card: str) -> re.Match | None:
    """Return the match of HEADING with the last heading in a card; None if that is not of an
    exercise.
    """
    titles = TITLE.findall(card)
    return HEADING.fullmatch(titles[-1]) if titles else None


def _defined(cell: courses.PristineCell) -> dict[str, None]:
    """Return the names of the classes, functions and variables that a code cell defines at its top
    level, in order, as the keys of a dict. Return {} for a Markdown cell, or if the cell has a
    syntax error.
    """
    try:
        statements = notes.read_statements(cell.id, cell.source if cell.kind == "code" else "")
    except notes.UNREADABLE:  # which is said elsewhere
        return {}
    return dict.fromkeys(name for one in statements for name in one.names())


def overview_of(folder: Path) -> str | None:
    """Return the overview figure as SVG text; None if `folder`, the assignment's folder in
    `source/`, has none.
    """
    figure = folder / FIGURE
    return figure.read_text(encoding="utf-8").strip() if figure.is_file() else None


def disagreements(svg: str, exercises: Mapping[str, ExerciseHeading]) -> Iterator[str]:
    """Yield a sentence for each exercise that only one of figure and notebook has, or whose points
    or minutes differ between them.

    `svg`: the overview figure; `exercises`: by id, from the notebook.
    """
    drawn = exercises_in(svg)
    for id in sorted(drawn.keys() ^ exercises.keys()):
        yield f"`{id}` is in one of {FIGURE} and the notebook, not in both."
    for id in drawn.keys() & exercises.keys():
        if drawn[id] != {worth(exercises[id])}:
            yield f"{FIGURE} says {sorted(drawn[id])} of `{id}`, not `{worth(exercises[id])}`."


def exercises_in(svg: str) -> dict[str, set[str]]:
    """Return the exercises in the overview figure (`svg`), by id, each with the set of texts that
    the figure shows for it.
    """
    said: dict[str, set[str]] = {}
    for tag, exercise, text in BOX.findall(svg):
        said.setdefault(exercise, set()).update({text} if tag == "text" else ())
    return said
