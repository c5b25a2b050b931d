"""A student's cells find their place, and what had to be repaired is said."""

import dataclasses

import pytest

from autograder.engine.notebook import SubmittedCell, Unreadable
from autograder.engine.submission import repair

RIGHT = "def softmax(scores):\n    return scores"


@pytest.fixture
def handed_in(small):
    """The release as a submission, cell by cell."""
    return [SubmittedCell(cell.kind, cell.source, cell.id, cell.id) for cell in small.cells]


def place(cells, name):
    return next(index for index, cell in enumerate(cells) if cell.id == name)


def change(cells, name, **fields):
    index = place(cells, name)
    cells[index] = dataclasses.replace(cells[index], **fields)


def source(submission, name):
    return next(cell.source for cell in submission.cells if cell.id == name)


def test_the_release_needs_no_repair(small, handed_in):
    submission = repair(small, handed_in)
    assert submission.repairs == []
    assert submission.untouched == {exercise.id for exercise in small.exercises}


def test_neither_checks_nor_demos_are_run(small, handed_in):
    change(handed_in, "check_softmax", source="raise SystemExit")
    names = {cell.id for cell in repair(small, handed_in).runs}
    assert {cell.id for cell in small.cells if cell.check or cell.skipped}.isdisjoint(names)


@pytest.mark.parametrize("lost", [{"id": None}, {"grade_id": None}, {"id": "x1", "grade_id": "x1"}])
def test_a_cell_is_found_without_one_of_its_ids_or_both(small, handed_in, lost):
    change(handed_in, "softmax", source=RIGHT, **lost)
    assert source(repair(small, handed_in), "softmax") == RIGHT


def test_a_renamed_cell_is_found_by_what_it_defines_wherever_it_is(small, handed_in):
    cell = handed_in.pop(place(handed_in, "softmax"))
    handed_in.append(dataclasses.replace(cell, source=RIGHT, id="x", grade_id="y"))
    submission = repair(small, handed_in)
    assert source(submission, "softmax") == RIGHT
    assert submission.repairs == [
        "The cell `softmax` had lost its id and was found by what it defines."
    ]


def test_a_renamed_cell_without_definitions_is_found_by_its_place(small, handed_in):
    change(handed_in, "softmax", source="x = (", id="x", grade_id="y")
    submission = repair(small, handed_in)
    assert source(submission, "softmax") == "x = ("
    assert "found by its place" in submission.repairs[0]


def test_of_two_cells_with_one_id_the_last_counts_and_both_run(small, handed_in):
    index = place(handed_in, "softmax")
    handed_in.insert(index + 1, dataclasses.replace(handed_in[index], source=RIGHT))
    submission = repair(small, handed_in)
    assert source(submission, "softmax") == RIGHT
    assert submission.repairs == ["The cell `softmax` is there twice: the last one counts."]
    assert any(cell.source == handed_in[index].source for cell in submission.runs)


def test_a_missing_cell_is_said_to_be_missing(small, handed_in):
    del handed_in[place(handed_in, "softmax")]
    submission = repair(small, handed_in)
    assert submission.repairs == ["The cell `softmax` is missing from the notebook."]
    assert "softmax" in submission.untouched


def test_own_cells_run_behind_the_cell_that_they_follow(small, handed_in):
    handed_in.insert(
        place(handed_in, "softmax"), SubmittedCell("code", "import string", None, None)
    )
    cells = repair(small, handed_in).runs
    index = [cell.source for cell in cells].index("import string")
    assert cells[index + 1].id == "softmax"


def test_provided_cells_run_as_released_and_then_as_changed(small, handed_in):
    change(handed_in, "imports", source="import string")
    cells = repair(small, handed_in).runs
    assert [cell.source for cell in cells[:2]] == [
        next(cell.source for cell in small.cells if cell.id == "imports"),
        "import string",
    ]


def test_tags_and_kinds_of_a_student_are_not_believed(small, handed_in):
    change(handed_in, "softmax", kind="markdown")
    assert "softmax" in repair(small, handed_in).untouched


def test_comments_alone_are_no_attempt(small, handed_in):
    change(handed_in, "softmax", source="# later\n\n# really")
    assert "softmax" in repair(small, handed_in).untouched


def test_another_notebook_is_recognised(small):
    other = [SubmittedCell("code", "class Decoder: pass", "a", None)] * 5
    with pytest.raises(Unreadable, match="another assignment"):
        repair(small, other)


def test_a_notebook_that_lost_all_ids_is_known_by_its_definitions(small, handed_in):
    """A value has none: its cell is told to be missing."""
    bare = [dataclasses.replace(cell, id=None, grade_id=None) for cell in handed_in]
    submission = repair(small, bare)
    assert submission.repairs == [
        "The cell `rms_norm` had lost its id and was found by what it defines.",
        "The cell `softmax` had lost its id and was found by what it defines.",
        "The cell `prediction` is missing from the notebook.",
    ]
    assert submission.untouched == {exercise.id for exercise in small.exercises}


def test_the_hash_follows_the_text(small, handed_in):
    before = repair(small, handed_in).hash
    assert repair(small, handed_in).hash == before
    change(handed_in, "explain", source="because")
    assert repair(small, handed_in).hash != before
