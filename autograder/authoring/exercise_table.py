"""Make the table of a notebook's exercises, and compare it with the overview figure.

The table comes from the notebook's headings, cards and cells. `progress()` colours the figure. A
card is the Markdown cell with an exercise's heading.
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
FORM_ONLY = "form-only"  # tag of a check cell that only tests whether an answer is filled in
FIGURE = Path("figures", "overview.svg")
BOX = re.compile(r'<(\w+) data-exercise="([^"]*)"[^>]*?(?:/>|>([^<]*)<)')


def exercise_table(cells: Sequence[courses.PristineCell]) -> dict[str, ExerciseHeading]:
    """Return the notebook's exercises by the id of their solution cell, in its order.

    `cells` are all cells. Number and title come from the heading above, minutes from the cell with
    that heading, and points, rounded, from the check cell or else from the solution cell. Without a
    heading, the number is the place among all exercises, and the title is the cell's id.
    """
    checks = {cell.id.removeprefix(courses.CHECK): cell for cell in cells if cell.check}
    exercises = {}
    for number, (cell, card) in enumerate(_below_cards(cells), start=1):
        heading = _heading(card)
        check = checks.get(cell.id)
        minutes = MINUTES.search(card)
        exercises[cell.id] = ExerciseHeading(
            number=heading["number"] if heading else str(number),
            title=heading["title"] if heading else cell.id,
            points=round((check or cell).points),
            minutes=int(minutes[1]) if minutes else 0,
            defines=tuple(_defined(cell)),
            by_hand=check is None,
            form_only=check is not None and FORM_ONLY in check.tags,
        )
    return exercises


def ungraded_exercises(cells: Sequence[courses.PristineCell]) -> Iterator[str]:
    """Yield the number and title of each exercise that has a heading but no solution cell."""
    answered = {exercise.number for exercise in exercise_table(cells).values()}
    headings = (_heading(cell.source) for cell in cells if cell.kind == "markdown")
    for heading in headings:
        if heading and heading["number"] not in answered:
            yield f"{heading['number']} · {heading['title']}"


def _below_cards(
    cells: Sequence[courses.PristineCell],
) -> Iterator[tuple[courses.PristineCell, str]]:
    """Yield each solution cell, with the last Markdown cell above it that has a heading, or ""."""
    card = ""
    for cell in cells:
        if cell.solution:
            yield cell, card
        elif cell.kind == "markdown" and TITLE.search(cell.source):
            card = cell.source


def _heading(card: str) -> re.Match | None:
    """Match HEADING with the last heading in a card."""
    titles = TITLE.findall(card)
    return HEADING.fullmatch(titles[-1]) if titles else None


def _defined(cell: courses.PristineCell) -> dict[str, None]:
    """Return the names that a code cell defines at its top level, in order, as a dict's keys.

    Return {} for a Markdown cell, or if the cell has a syntax error.
    """
    try:
        statements = notes.read_statements(cell.id, cell.source if cell.kind == "code" else "")
    except notes.UNREADABLE:  # reported elsewhere
        return {}
    return dict.fromkeys(name for statement in statements for name in statement.names())


def overview_of(folder: Path) -> str | None:
    """Return the overview figure in an assignment's folder in `source/` as SVG, or None."""
    figure = folder / FIGURE
    return figure.read_text(encoding="utf-8").strip() if figure.is_file() else None


def disagreements(svg: str, exercises: Mapping[str, ExerciseHeading]) -> Iterator[str]:
    """Yield a sentence for each difference between the overview figure and the notebook.

    A difference is an exercise that only one of them has, or other points or minutes. `exercises`:
    by id, from the notebook.
    """
    drawn = exercises_in(svg)
    for id in sorted(drawn.keys() ^ exercises.keys()):
        yield f"`{id}` is in one of {FIGURE} and the notebook, not in both."
    for id in drawn.keys() & exercises.keys():
        if drawn[id] != {worth(exercises[id])}:
            yield f"{FIGURE} says {sorted(drawn[id])} of `{id}`, not `{worth(exercises[id])}`."


def exercises_in(svg: str) -> dict[str, set[str]]:
    """Return the exercises in the overview figure, by id, each with its texts in the figure."""
    texts: dict[str, set[str]] = {}
    for tag, exercise, text in BOX.findall(svg):
        texts.setdefault(exercise, set()).update({text} if tag == "text" else ())
    return texts
