"""Whatever else is in a notebook, its page shows what the assignment has and what staff say."""

import json
import shutil
from dataclasses import replace
from pathlib import Path

import nbformat
import pytest
from graded_notebooks import checks
from jinja2 import Environment, FileSystemLoader
from nbformat.v4 import new_code_cell, new_markdown_cell, new_output

from autograder.engine.assignment import Assignment
from autograder.engine.course import read_course
from autograder.engine.notebook import read_notebook
from autograder.engine.submission import repair
from autograder.gradebook.check_cell import as_html
from autograder.gradebook.notebooks import repaired_notebook
from autograder.gradebook.pages import cells as module
from autograder.gradebook.pages.cells import shown
from autograder.gradebook.pages.pristine import read_pristine
from autograder.gradebook.pages.render import AS_WRITTEN

SHARED = Path(module.__file__).parent / "templates" / "submission_page"
PROBLEM = "<br>" * 10_000  # seven of them are as many elements as a page may have


@pytest.fixture
def notebook(small):
    """A graded notebook of the small assignment, with a table and a comment."""
    notebook = nbformat.read(small.release, as_version=4)
    by_id = {cell.id: cell for cell in notebook.cells}
    by_id["check_softmax"].outputs = [
        new_output("display_data", {"text/html": as_html(checks()), "text/plain": "as text"})
    ]
    by_id["explain"].metadata.nbgrader.comment = "**Well** said."
    return notebook


def page(notebook, assignment) -> list[module.ShownCell]:
    """The cells of the page that is made of a notebook in the course's folder."""
    path = str(assignment.course.root / "autograded" / "ada" / assignment.id)
    resources = {"metadata": {"path": path}, "nbgrader": {"assignment": assignment.id}}
    return shown({"resources": resources}, notebook)


def test_a_students_own_cells_leave_room_for_those_that_staff_mark(notebook, small):
    names = [cell.name for cell in page(notebook, small) if cell.name]
    notebook.cells[1:1] = [new_markdown_cell("x") for _ in range(2_000)]
    made = page(notebook, small)
    assert len(made) < 700
    assert [cell.name for cell in made if cell.name] == names
    assert "1,500 more cells that the student added" in made[-1].body


def test_what_a_student_wrote_takes_nothing_from_what_staff_say(notebook, small):
    notebook.cells[1:1] = [new_markdown_cell(PROBLEM, id=f"own{i}") for i in range(8)]
    made = {cell.name: cell for cell in page(notebook, small)}
    assert AS_WRITTEN in "".join(cell.body for cell in made.values())
    assert made["check_softmax"].outputs[0].startswith("<table")
    assert "<strong>Well</strong>" in made["explain"].comment


def test_a_release_of_before_cells_had_ids_can_be_compared_with(tmp_path):
    release = tmp_path / "sheet.ipynb"
    release.write_text('{"cells": [{"cell_type": "code"}, {"cell_type": "code", "id": "a"}]}')
    assert read_pristine(release, changed=0).cells.keys() == {None, "a"}


def test_only_what_came_with_the_notebook_is_folded_away(notebook, small):
    folded = {"jupyter": {"source_hidden": True}}
    for cell in notebook.cells:
        if cell.id == "softmax":
            cell.metadata |= folded
    notebook.cells[1:1] = [
        new_code_cell("theirs", id="theirs", metadata=folded),
        new_code_cell("odd", id="odd", metadata={"jupyter": {"source_hidden": "yes"}}),
    ]
    given = next(cell for cell in notebook.cells if cell.id == "check_softmax")
    given.metadata |= folded
    template = Environment(loader=FileSystemLoader(SHARED), autoescape=True).from_string(
        "{% from 'cells.html.j2' import folded with context %}"
        "{% for cell in cells %}{{ folded(cell) }}{% endfor %}"
    )
    html = template.render(cells=page(notebook, small))
    assert html.count("<details") == 1 and "theirs" in html.partition("<details")[0]


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
