"""Cells of a practical, run in a notebook of their own, beside what they show."""

import contextlib
import io
from functools import cache

import matplotlib
import nbformat

from autograder.authoring.edited import as_edited, find_source
from autograder.engine.course import Course

OPEN = """
class {name}(nn.Module):
    def __init__(self, d_model):
        raise NotImplementedError()
"""


@cache
def sources_of(id: str, course: Course) -> dict[str, str]:
    """What a notebook's cells say in `source/`, by id."""
    return {cell.id: cell.source for cell in as_edited(find_source(id, course)).cells}


def cells_of(id: str, course: Course) -> dict[str, str]:
    """A notebook's cells by id, the exercises solved."""
    assignment = as_edited(find_source(id, course))
    found = nbformat.read(assignment.source, as_version=4).cells
    return {cell.id: cell.source for cell in found} | assignment.solutions


def run(cells: dict[str, str], ids: str) -> dict:
    """Run cells, return what they define.

    What they print is `said`, the tables that they show are `tables`, the last picture is `figure`
    and `alt`.
    """
    matplotlib.use("agg")
    space = {"__name__": "__main__", "tables": []}
    with contextlib.redirect_stdout(io.StringIO()) as said:
        for id in ids.split():
            exec(compile(cells[id], f"<{id}>", "exec"), space)
            if id == "toolbox":
                space["table"] = lambda *table: space["tables"].append(table)
                space["show"] = lambda figure, alt: space.update(figure=figure, alt=alt)
    return space | {"said": said.getvalue()}
