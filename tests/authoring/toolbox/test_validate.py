"""nbgrader's Validate, which students press before they submit: it takes silence for success."""

import shutil

import nbformat
import pytest
from nbgrader.validator import Validator

pytestmark = [pytest.mark.database, pytest.mark.long]  # imports nbgrader, and starts a kernel


def test_open_and_wrong_exercises_fail_with_their_sentence_and_right_ones_pass(
    assignment, solved, unscaled, tmp_path
):
    folder = shutil.copytree(assignment.release.parent, tmp_path / assignment.id)
    notebook = nbformat.read(folder / assignment.release.name, as_version=4)
    right = assignment.exercises[0].id
    assert right != unscaled.exercise
    answers = {right: solved[right], unscaled.exercise: unscaled.cells[0]}
    for cell in notebook.cells:
        cell.source = answers.get(cell.id, cell.source)
    nbformat.write(notebook, folder / assignment.release.name)
    failed = Validator().validate(str(folder / assignment.release.name))["failed"]
    errors = {
        exercise.id: cell["error"]
        for cell in failed
        for exercise in assignment.exercises
        if f'"{exercise.id}"' in cell["source"]
    }
    assert errors.keys() == {one.id for one in assignment.exercises} - {right}
    said = errors.pop(unscaled.exercise)
    assert said.startswith("Exercise 3a: By which number is a score divided?"), said
    assert "Traceback" not in said
    assert all("is still open." in one for one in errors.values())
