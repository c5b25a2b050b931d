"""The overview figure as text in a folded cell, where `progress()` finds it to colour its boxes."""

import re
from pathlib import Path

from autograder.authoring.toolbox_cell import write_made_cell
from autograder.engine.assignment import Assignment

CELL = "overview_map"
FIGURE = Path("figures", "overview.svg")
BOX = re.compile(r'<(\w+) data-exercise="([^"]*)"[^>]*?(?:/>|>([^<]*)<)')


def overview_source(assignment: Assignment) -> str | None:
    """Return the cell's text; None where there is no such figure."""
    figure = assignment.source.parent / FIGURE
    if not figure.is_file():
        return None
    return f'FIGURES["overview"] = """{figure.read_text(encoding="utf-8").strip()}"""'


def write_overview(assignment: Assignment) -> bool:
    """Bring the cell in the assignment's source up to date; return whether it was not."""
    text = overview_source(assignment)
    return text is not None and write_made_cell(
        assignment, CELL, text
    )  # `lint` says what is missing


def exercises_in(svg: str) -> dict[str, set[str]]:
    """Return the exercises that have a box or a text in the figure, and what the texts say."""
    said: dict[str, set[str]] = {}
    for tag, exercise, text in BOX.findall(svg):
        said.setdefault(exercise, set()).update({text} if tag == "text" else ())
    return said
