"""The overview figure as text in a folded cell, where `progress()` finds it to colour its boxes."""

import re
from pathlib import Path

import nbformat

from autograder.engine.assignment import Assignment

CELL = "overview_map"
FIGURE = Path("figures", "overview.svg")
BOX = re.compile(r'<(\w+) data-exercise="([^"]*)"[^>]*?(?:/>|>([^<]*)<)')


def overview_source(assignment: Assignment) -> str:
    """Return the cell's text. Raises `FileNotFoundError` where there is no such figure."""
    svg = (assignment.source.parent / FIGURE).read_text(encoding="utf-8").strip()
    return f'FIGURES["overview"] = """{svg}"""'


def write_overview(assignment: Assignment) -> bool:
    """Bring the cell in the assignment's source up to date; return whether it was not."""
    notebook = nbformat.read(assignment.source, as_version=4)
    if not any(cell.id == CELL for cell in notebook.cells):
        return False
    text = overview_source(assignment)
    stale = [cell for cell in notebook.cells if cell.id == CELL and cell.source != text]
    for cell in stale:
        cell.source = text
    if stale:
        nbformat.write(notebook, assignment.source)
    return bool(stale)


def exercises_in(svg: str) -> dict[str, set[str]]:
    """Return the exercises that have a box or a text in the figure, and what the texts say."""
    said: dict[str, set[str]] = {}
    for tag, exercise, text in BOX.findall(svg):
        said.setdefault(exercise, set()).update({text} if tag == "text" else ())
    return said
