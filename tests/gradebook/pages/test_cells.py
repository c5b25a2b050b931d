"""Whatever else is in a notebook, its page shows what the assignment has and what staff say."""

import json
import shutil
from dataclasses import replace

import pytest
from feedback_pages import feedback_page, notebook, verdict
from graded_notebooks import checks
from nbformat.v4 import new_code_cell, new_markdown_cell, new_output

from autograder import Assignment
from autograder.engine.courses import read_course
from autograder.engine.notebooks import read_notebook
from autograder.engine.notebooks.submission import repair
from autograder.gradebook.pages.cells import ShownCell, shown
from autograder.gradebook.pages.pristine import read_pristine
from autograder.gradebook.pages.render import AS_WRITTEN
from autograder.gradebook.sync.notebooks import VERDICT, repaired_notebook

pytestmark = pytest.mark.slow

PROBLEM = "<br>" * 10_000  # six of them are as many elements as a page may have


@pytest.fixture
def graded(small):
    """A graded notebook of the small assignment, with a verdict and a comment."""
    graded = notebook(small, verdict(checks()))
    (explain,) = (cell for cell in graded.cells if cell.id == "explain")
    explain.metadata.nbgrader.comment = "**Well** said."
    return graded


def page(graded, assignment) -> list[ShownCell]:
    """The cells of the page that is made of a notebook in the course's folder."""
    path = str(assignment.course.root / "autograded" / "ada" / assignment.id)
    resources = {"metadata": {"path": path}, "nbgrader": {"assignment": assignment.id}}
    return shown({"resources": resources}, graded)


def test_a_students_own_cells_leave_room_for_those_that_staff_mark(graded, small):
    names = [cell.name for cell in page(graded, small) if cell.name]
    graded.cells[1:1] = [new_markdown_cell("x") for _ in range(2_000)]
    made = page(graded, small)
    assert len(made) < 700
    assert [cell.name for cell in made if cell.name] == names
    assert "1,500 more cells that the student added" in made[-1].body


def test_what_a_student_wrote_takes_nothing_from_what_staff_say(graded, small):
    graded.cells[1:1] = [new_markdown_cell(PROBLEM, id=f"own{i}") for i in range(8)]
    made = page(graded, small)
    assert sum(AS_WRITTEN in cell.body for cell in made) == 3
    by_name = {cell.name: cell for cell in made}
    assert "<strong>Well</strong>" in by_name["explain"].comment
    (table,) = by_name["check_rms_norm"].outputs
    assert table.startswith('<table class="checks">') and "style" not in table
    assert "Is <code>eps</code> added before the root?" in table


def test_html_that_a_notebook_shows_is_never_believed(graded, small):
    html = {"text/html": "<table class='checks'></table>", "text/plain": "as text"}
    graded.metadata.pop(VERDICT)
    for cell in graded.cells:
        if cell.cell_type == "code":
            cell.outputs = [new_output("display_data", html)]
    shown = [output for cell in page(graded, small) for output in cell.outputs]
    assert shown and set(shown) == {"<pre>as text</pre>"}


def test_a_release_of_before_cells_had_ids_can_be_compared_with(tmp_path):
    release = tmp_path / "sheet.ipynb"
    release.write_text('{"cells": [{"cell_type": "code"}, {"cell_type": "code", "id": "a"}]}')
    assert read_pristine(release, changed=0).cells.keys() == {None, "a"}


def test_only_what_came_with_the_notebook_is_folded_away(graded, small):
    folded = {"jupyter": {"source_hidden": True}}
    for cell in graded.cells:
        if cell.id in ("softmax", "imports"):
            cell.metadata |= folded
    graded.cells += [
        new_code_cell("theirs", id="theirs", metadata=folded),
        new_code_cell("odd", id="odd", metadata={"jupyter": {"source_hidden": "yes"}}),
    ]
    html = feedback_page(small, graded)
    (came,) = html.split('<details class="came-along">')[1:]
    assert "torch" in came.partition("</details>")[0]


def test_a_folded_cell_that_a_student_changed_is_not_folded_any_more(small, tmp_path):
    folded = {"jupyter": {"source_hidden": True}}
    content = json.loads(small.release.read_text())
    content["cells"][0:0] = [new_code_cell("given = 1", id="given", metadata=folded)]
    shutil.copytree(small.course.root, tmp_path / "course")
    course = read_course(tmp_path / "course")
    assignment = Assignment(small.id, course)
    assignment.release.write_text(json.dumps(content))
    for changed in (False, True):
        cells = [
            replace(cell, source="mine = 1") if changed and cell.id == "given" else cell
            for cell in read_notebook(assignment.release)
        ]
        made = repaired_notebook(assignment, repair(assignment, cells)).cells
        (given,) = (cell for cell in made if cell.id == "given")
        assert ("jupyter" in given.metadata) != changed
