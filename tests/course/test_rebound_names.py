"""Whatever a student calls their names, no check and no picture says anything else."""

import ast
import builtins
import contextlib
import io
import linecache
import sys
from collections.abc import Iterator
from unittest.mock import MagicMock

import matplotlib
import nbformat
import pytest
import torch
from courses import OURS, long_but_one

from autograder.authoring.edited import find_source
from autograder.authoring.exercise_table import exercise_table
from autograder.authoring.toolbox_file import toolbox_module
from autograder.authoring.visible_checks import checks_file, declared_checks

pytestmark = pytest.mark.slow

TORCH = {"torch", "Tensor", "nn", "F"}
LIKELY = (  # what students call things, and what helpers are called
    "same re table html show check panel io picture words steps names student replaced learns build "
    "progress play heatmaps layer x mask encoder weights plt json toolbox pytest"
).split()
# cells that look at files, at how often they ran, or at a clock
ELSEWHERE = {"set_up", "hand_in", "progress", "claims_fast_code"}
SHORTER = {"last_step=400": "last_step=20"}  # a training takes as many steps


class Notebook:
    """An assignment's source with its solutions, whose cells can be run again under other names."""

    def __init__(self, assignment):
        source = find_source(assignment.id, assignment.course)
        declared_checks(source)
        self.module = checks_file(source).stem
        self.table = exercise_table(source.cells)
        self.cells = {
            cell.id: source.solutions.get(cell.id, cell.source)
            for cell in nbformat.read(source.source, as_version=4).cells
            if cell.cell_type == "code" and cell.id not in ELSEWHERE
        }
        self.needed = {name for id in source.solutions for name in read_in(self.cells.get(id, ""))}
        self.space = {"__name__": "__main__"}
        self.names = {}
        self.before = {}  # what each cell shows when all are run in order

    def run_all(self) -> None:
        self.before = {id: self.run(id) for id in self.cells}
        self.names = dict(self.space)

    @property
    def asking(self) -> list[str]:
        """The cells that import the toolbox or the checks and show something."""
        imports = "import toolbox", f"import {self.module}"
        return [id for id, source in self.cells.items() if any(one in source for one in imports)]

    @property
    def given(self) -> list[str]:
        """The global names that the notebook defines, but for torch's and the answers."""
        answers = {name for one in self.table.values() for name in one.defines}
        kept = TORCH | answers | self.needed
        return [name for name in self.names if name not in kept and not name.startswith("_")]

    def said(self, id: str, *rebound: str) -> str:
        """What a cell shows, where these names are the student's own; tests are what a cell looks at."""
        others = [name for name in rebound if not name.startswith("test_")]
        self.space.clear()
        self.space.update(self.names | {name: object() for name in others})
        return self.run(id)

    def run(self, id: str) -> str:
        source = self.cells[id]
        for text, shorter in SHORTER.items():
            source = source.replace(text, shorter)
        torch.manual_seed(1)
        lines, name = source.replace("%%ipytest", ""), f"<{id}>"
        linecache.cache[name] = len(lines), None, lines.splitlines(keepends=True), name
        with contextlib.redirect_stdout(io.StringIO()) as shown:
            exec(compile(lines, name, "exec"), self.space)
        return shown.getvalue()


def read_in(source: str) -> set[str]:
    """The names that code reads."""
    return {node.id for node in ast.walk(ast.parse(source)) if isinstance(node, ast.Name)}


@pytest.fixture(scope="module")
def notebook(assignment) -> Iterator[Notebook]:
    matplotlib.use("agg")
    toolbox = toolbox_module()
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(toolbox, "display", lambda data, **_: print(getattr(data, "data", data)))
        patch.setattr(toolbox, "_ipywidgets", lambda: None)  # then the still pictures are drawn
        patch.setitem(sys.modules, "ipytest", MagicMock())
        made = Notebook(assignment)
        with toolbox.notebook_is(made.space):
            made.run_all()
            yield made


@long_but_one(OURS)
def test_all_names_may_be_the_students_own(notebook):
    names = [*notebook.given, *LIKELY]
    before = {id: notebook.before[id] for id in notebook.asking}
    assert len(before) > 10
    assert [id for id, said in before.items() if "No picture yet" in said] == []
    assert [id for id in before if notebook.said(id, *names) != before[id]] == []


@long_but_one(OURS)
def test_few_names_are_ours(notebook):
    assert len(notebook.given) <= 15, notebook.given
    assert not set(notebook.given) & set(dir(builtins))
