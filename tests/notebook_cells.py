"""Cells of a practical, run in a notebook of their own, beside what they show."""

import contextlib
import io
import sys
from functools import cache
from types import ModuleType
from unittest import mock

import matplotlib
import nbformat
from matplotlib import pyplot as plt
from matplotlib.figure import Figure

from autograder import Course
from autograder.authoring.edited import as_edited, find_source
from autograder.authoring.toolbox_file import toolbox_module
from autograder.authoring.visible_checks import checks_file, declared_checks

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


def checks_of(id: str, course: Course) -> ModuleType:
    """The file of checks beside a notebook, imported."""
    assignment = find_source(id, course)
    declared_checks(assignment)
    return sys.modules[checks_file(assignment).stem]


def run(cells: dict[str, str], ids: str, *modules: ModuleType) -> dict:
    """Run cells, return what they define. `modules` are those of checks, if cells import one.

    What they print is `said`, the tables that they show are `tables`, the last picture is `figure`
    and `alt`.
    """
    matplotlib.use("agg")
    space = {"__name__": "__main__", "tables": []}
    toolbox = toolbox_module()

    def show(figure: Figure, alt: str) -> None:
        plt.close(figure)
        space.update(figure=figure, alt=alt)

    shown = {"table": lambda *table: space["tables"].append(table), "show": show}
    with contextlib.ExitStack() as stack:
        said = stack.enter_context(contextlib.redirect_stdout(io.StringIO()))
        stack.enter_context(toolbox.notebook_is(space))
        for module in (toolbox, *modules):
            stack.enter_context(mock.patch.multiple(module, **shown))
        for id in ids.split():
            exec(compile(cells[id], f"<{id}>", "exec"), space)
    return space | {"said": said.getvalue()}
