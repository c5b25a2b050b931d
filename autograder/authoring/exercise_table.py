"""The exercises of a notebook, as its headings, its cards and its cells say them, and as the overview
figure does, whose boxes `progress()` colours.
"""

import ast
import re
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path

from autograder.engine.course.assignment import CHECK, PristineCell
from autograder.toolbox.exercises import ExerciseHeading, worth

HEADING = re.compile(
    r"#{1,6} +Exercise (?P<number>\w+) *[·:.-] *(?P<title>.+?) *\((?P<about>[^()]*)\) *"
)
TITLE = re.compile(r"^#{1,6} +.+$", re.MULTILINE)
MINUTES = re.compile(r"\b(\d+) minutes")
FORM_ONLY = "form-only"  # tag of a check cell that sees whether an answer is filled in, and no more
FIGURE = Path("figures", "overview.svg")
BOX = re.compile(r'<(\w+) data-exercise="([^"]*)"[^>]*?(?:/>|>([^<]*)<)')


def exercise_table(cells: Sequence[PristineCell]) -> dict[str, ExerciseHeading]:
    """Return the exercises by solution cell, in the notebook's order.

    Number, title and points are those of the heading above, minutes those of the card; where a heading
    says nothing, the number counts, the title is the cell's name, and points are the cells' own.
    """
    checks = {cell.id.removeprefix(CHECK): cell for cell in cells if cell.check}
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
            defines=tuple(dict.fromkeys(_defined(cell))),
            by_hand=check is None,
            form_only=check is not None and FORM_ONLY in check.tags,
        )
    return found


def ungraded_exercises(cells: Sequence[PristineCell]) -> Iterator[str]:
    """Yield number and title of each exercise that has a heading and no cell to answer in."""
    answered = {one.number for one in exercise_table(cells).values()}
    headings = (_heading(cell.source) for cell in cells if cell.kind == "markdown")
    for heading in headings:
        if heading and heading["number"] not in answered:
            yield f"{heading['number']} · {heading['title']}"


def _below_cards(cells: Sequence[PristineCell]) -> Iterator[tuple[PristineCell, str]]:
    """Yield each solution cell with the text of the cell that has the heading above it."""
    card = ""
    for cell in cells:
        if cell.solution:
            yield cell, card
        elif cell.kind == "markdown" and TITLE.search(cell.source):
            card = cell.source


def _heading(card: str) -> re.Match | None:
    titles = TITLE.findall(card)
    return HEADING.fullmatch(titles[-1]) if titles else None


def _defined(cell: PristineCell) -> Iterator[str]:
    """What a released cell of code defines at its top: classes, functions, variables."""
    try:
        body = ast.parse(cell.source if cell.kind == "code" else "").body
    except SyntaxError:  # which is said elsewhere
        return
    for node in body:
        if isinstance(node, ast.ClassDef | ast.FunctionDef):
            yield node.name
        targets = node.targets if isinstance(node, ast.Assign) else ()
        yield from (one.id for one in targets if isinstance(one, ast.Name))


def overview_of(folder: Path) -> str | None:
    """Return the figure's text; None where an assignment's source folder has none."""
    figure = folder / FIGURE
    return figure.read_text(encoding="utf-8").strip() if figure.is_file() else None


def disagreements(svg: str, exercises: Mapping[str, ExerciseHeading]) -> Iterator[str]:
    """Yield where the figure has not a box and a text of each exercise, with points and minutes."""
    drawn = exercises_in(svg)
    for id in sorted(drawn.keys() ^ exercises.keys()):
        yield f"`{id}` is in one of {FIGURE} and the notebook, not in both."
    for id in drawn.keys() & exercises.keys():
        if drawn[id] != {worth(exercises[id])}:
            yield f"{FIGURE} says {sorted(drawn[id])} of `{id}`, not `{worth(exercises[id])}`."


def exercises_in(svg: str) -> dict[str, set[str]]:
    """Return the exercises that have a box or a text in the figure, and what the texts say."""
    said: dict[str, set[str]] = {}
    for tag, exercise, text in BOX.findall(svg):
        said.setdefault(exercise, set()).update({text} if tag == "text" else ())
    return said
