"""A student's cells find their place, and what had to be repaired is said."""

import dataclasses

import pytest

from autograder.engine.notebook import SubmittedCell, Unreadable
from autograder.engine.submission import repair

RIGHT = "class Attention(nn.Module):\n    pass"


@pytest.fixture
def handed_in(assignment):
    """The release as a submission, cell by cell."""
    return [SubmittedCell(cell.kind, cell.source, cell.id, cell.id) for cell in assignment.cells]


def place(cells, name):
    return next(index for index, cell in enumerate(cells) if cell.id == name)


def change(cells, name, **fields):
    index = place(cells, name)
    cells[index] = dataclasses.replace(cells[index], **fields)


def source(submission, name):
    return next(cell.source for cell in submission.cells if cell.id == name)


def test_the_release_needs_no_repair(assignment, handed_in):
    submission = repair(assignment, handed_in)
    assert submission.repairs == []
    assert submission.untouched == {exercise.id for exercise in assignment.exercises}


def test_neither_checks_nor_demos_are_run(assignment, handed_in):
    change(handed_in, "check_attention", source="raise SystemExit")
    names = {cell.id for cell in repair(assignment, handed_in).runs}
    assert {cell.id for cell in assignment.cells if cell.check or cell.skipped}.isdisjoint(names)


@pytest.mark.parametrize("lost", [{"id": None}, {"grade_id": None}, {"id": "x1", "grade_id": "x1"}])
def test_a_cell_is_found_without_one_of_its_ids_or_both(assignment, handed_in, lost):
    change(handed_in, "attention", source=RIGHT, **lost)
    assert source(repair(assignment, handed_in), "attention") == RIGHT


def test_a_renamed_cell_is_found_by_what_it_defines_wherever_it_is(assignment, handed_in):
    cell = handed_in.pop(place(handed_in, "attention"))
    handed_in.append(dataclasses.replace(cell, source=RIGHT, id="x", grade_id="y"))
    submission = repair(assignment, handed_in)
    assert source(submission, "attention") == RIGHT
    assert submission.repairs == [
        "The cell `attention` had lost its id and was found by what it defines."
    ]


def test_a_renamed_cell_without_definitions_is_found_by_its_place(assignment, handed_in):
    change(handed_in, "attention", source="x = (", id="x", grade_id="y")
    submission = repair(assignment, handed_in)
    assert source(submission, "attention") == "x = ("
    assert "found by its place" in submission.repairs[0]


def test_of_two_cells_with_one_id_the_last_counts_and_both_run(assignment, handed_in):
    index = place(handed_in, "attention")
    handed_in.insert(index + 1, dataclasses.replace(handed_in[index], source=RIGHT))
    submission = repair(assignment, handed_in)
    assert source(submission, "attention") == RIGHT
    assert submission.repairs == ["The cell `attention` is there twice: the last one counts."]
    assert any(cell.source == handed_in[index].source for cell in submission.runs)


def test_a_missing_cell_is_said_to_be_missing(assignment, handed_in):
    del handed_in[place(handed_in, "attention")]
    submission = repair(assignment, handed_in)
    assert submission.repairs == ["The cell `attention` is missing from the notebook."]
    assert "attention" in submission.untouched


def test_own_cells_run_behind_the_cell_that_they_follow(assignment, handed_in):
    handed_in.insert(
        place(handed_in, "attention"), SubmittedCell("code", "import string", None, None)
    )
    cells = repair(assignment, handed_in).runs
    index = [cell.source for cell in cells].index("import string")
    assert cells[index + 1].id == "attention"


def test_provided_cells_run_as_released_and_then_as_changed(assignment, handed_in):
    change(handed_in, "imports", source="import string")
    cells = repair(assignment, handed_in).runs
    assert [cell.source for cell in cells[:2]] == [
        next(cell.source for cell in assignment.cells if cell.id == "imports"),
        "import string",
    ]


def test_tags_and_kinds_of_a_student_are_not_believed(assignment, handed_in):
    change(handed_in, "attention", kind="markdown")
    assert "attention" in repair(assignment, handed_in).untouched


def test_comments_alone_are_no_attempt(assignment, handed_in):
    change(handed_in, "attention", source="# later\n\n# really")
    assert "attention" in repair(assignment, handed_in).untouched


def test_another_notebook_is_recognised(assignment):
    other = [SubmittedCell("code", "class Attention: pass", "a", None)] * 5
    with pytest.raises(Unreadable, match="another assignment"):
        repair(assignment, other)


def test_a_notebook_that_lost_all_ids_is_known_by_its_definitions(assignment, handed_in):
    bare = [dataclasses.replace(cell, id=None, grade_id=None) for cell in handed_in]
    submission = repair(assignment, bare)
    assert len(submission.repairs) == len(assignment.exercises)
    assert submission.untouched == {exercise.id for exercise in assignment.exercises}


def test_the_hash_follows_the_text(assignment, handed_in):
    before = repair(assignment, handed_in).hash
    assert repair(assignment, handed_in).hash == before
    change(handed_in, "explain_layer_norm", source="because")
    assert repair(assignment, handed_in).hash != before
