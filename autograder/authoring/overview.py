"""The overview figure as text in a folded cell, where `progress()` finds it to colour its boxes."""

import re
from pathlib import Path

import nbformat

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
    if text is None:  # which `lint` says
        return False
    notebook = nbformat.read(assignment.source, as_version=4)
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
