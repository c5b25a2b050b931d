"""The notebook that formgrader and feedback show: repaired, with points where nbgrader reads them."""

import json
from collections.abc import Iterator
from functools import cache
from pathlib import Path

import nbformat
from nbformat.notebooknode import NotebookNode
from nbformat.v4 import new_code_cell, new_markdown_cell, new_raw_cell
from nbgrader.preprocessors import LimitOutput

from autograder.assignment import Assignment
from autograder.repair import Submission
from autograder.report.check_cell import as_html, as_text
from autograder.verdict import ExerciseResult, Verdict

STAMP = "autograder"  # the key under which a notebook's metadata say which verdict it shows


def repaired_notebook(assignment: Assignment, submission: Submission) -> NotebookNode:
    """Return the repaired notebook: pristine metadata, the student's text, no outputs."""
    notebook = nbformat.from_dict(json.loads(_text(assignment.release)))
    for cell in notebook.cells:
        cell.source = "".join(cell.source)
    pristine = {cell.id: cell for cell in notebook.cells}
    make = {"code": new_code_cell, "markdown": new_markdown_cell}
    cells = []
    for page in submission.pages:
        cell = pristine.get(page.id) or make.get(page.kind, new_raw_cell)(id=page.id)
        cell.source = page.source
        cells.append(cell)
    notebook.cells = cells
    return notebook


def graded_notebook(
    assignment: Assignment, submission: Submission, verdict: Verdict, outputs: dict[str, list[dict]]
) -> NotebookNode:
    """Return the repaired notebook with checks and points, and with what the student's cells showed."""
    notebook = repaired_notebook(assignment, submission)
    results = {f"check_{result.id}": result for result in verdict.exercises}
    for cell in notebook.cells:
        if cell.cell_type == "code":
            if result := results.get(cell.id):
                cell.outputs = list(_checks(result))
            else:
                cell.outputs = [nbformat.from_dict(one) for one in outputs.get(cell.id, ())]
    notebook.metadata[STAMP] = verdict.stamp
    return LimitOutput().preprocess(notebook, {})[0]


def _checks(result: ExerciseResult) -> Iterator[NotebookNode]:
    """The checks for people, then the points for nbgrader: a plain float, the only result there is."""
    shown = {"text/plain": as_text(result), "text/html": as_html(result)}
    points = {"text/plain": repr(float(result.points))}
    for kind in (
        {"output_type": "display_data", "data": shown},
        {"output_type": "execute_result", "data": points, "execution_count": None},
    ):  # not `new_output`, which validates each: a millisecond
        yield nbformat.from_dict(kind | {"metadata": {}})


@cache
def _text(path: Path) -> str:
    return path.read_text(encoding="utf-8")
