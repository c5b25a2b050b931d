"""The verdict files: what is kept beside a verdict, what was before it, and what is only proposed."""

import json
from datetime import datetime

import pytest
from msgspec.structs import replace as with_fields
from submissions import edit

from autograder.engine import AutograderError, Graded, ResultsFolder, RunSettings, Submission
from autograder.engine.grading import graded as results_of
from autograder.engine.notebooks import Cell, pictures, read_submission
from autograder.engine.verdicts import read_dated_history, read_history

OUTPUTS = {"softmax": [{"output_type": "stream", "name": "stdout", "text": "é\x00"}]}
FIRST, SECOND = datetime(2026, 11, 2, 9, 30), datetime(2026, 11, 3)
DAMAGED = "{", "[]", "\xff", "[" * 100_000, '{"cells": 1}'


@pytest.fixture
def results(small, tmp_path) -> ResultsFolder:
    return ResultsFolder(tmp_path / "results", small)


@pytest.fixture
def make(small, tmp_path):
    """Make the result of grading the release with this comment in place of the first answer."""

    def grade(text: str = "# 1", points: float = 1.0, state: str = "graded", **more) -> Graded:
        notebook = tmp_path / "n.ipynb"
        notebook.write_bytes(small.release.read_bytes())
        (first, *_) = small.exercises

        def change(content):
            next(one for one in content["cells"] if one["id"] == first.id)["source"] = text

        submission = read_submission(small, "s001", edit(notebook, change))
        verdict = results_of.empty(RunSettings(small, seed=1), submission, state)
        return Graded(with_fields(verdict, points=points), OUTPUTS, [], submission)

    return grade


def test_what_was_put_is_there_for_the_next_run(results, make, small, tmp_path):
    graded = make()
    results.put(graded, FIRST)
    later = ResultsFolder(tmp_path / "results", small)
    assert later.verdict("s001") == graded.verdict and later.verdict("s002") is None
    answers = later.answers(graded.verdict)
    assert answers.submission.cells == graded.submission.cells
    assert (answers.outputs, answers.submitted) == (OUTPUTS, FIRST)
    assert not read_history(results.results, small.id, "s001")


def test_pictures_and_own_cells_are_kept_and_what_is_as_released_is_not_kept_twice(
    results, make, small
):
    graded = make()
    own = Cell(
        "your-cell-1", "markdown", "mine", None, {"a.png": pictures.Picture("image/png", "QUJD")}
    )
    cells = [*graded.submission.cells, own]
    results.put(Graded(graded.verdict, {}, [], Submission(cells, "s001")))
    assert results.answers(graded.verdict).submission.cells == cells
    (kept,) = (results.folder / "cells").iterdir()
    sources = [one.get("source") for one in json.loads(kept.read_text())["cells"]]
    assert {*sources} == {None, "# 1", "mine"}


@pytest.mark.parametrize("damage", [*DAMAGED, None])
def test_cells_that_are_damaged_or_gone_are_none(results, make, damage):
    graded = make()
    results.put(graded)
    (kept,) = (results.folder / "cells").iterdir()
    kept.unlink() if damage is None else kept.write_text(damage)
    assert results.answers(graded.verdict) is None and results.verdict("s001") == graded.verdict


@pytest.mark.parametrize("damage", DAMAGED)
def test_a_damaged_verdict_is_none(results, make, damage):
    results.put(make())
    results.propose(make(points=2.0))
    for path in (results.folder / "s001.json", results.folder / "proposed" / "s001.json"):
        path.write_text(damage)
    assert results.verdict("s001") is None and results.proposed("s001") is None
    results.accept("s001")
    results.put(make(), SECOND)
    assert results.verdict("s001").points == 1.0


def test_the_history_has_what_was_replaced_and_when_it_was_handed_in(results, make, small):
    first, second, third = make("# 1"), make("# 2", 2.0), make("# 3", 3.0)
    results.put(first, FIRST)
    results.put(first, SECOND)  # it is no other
    results.put(second, None)
    results.put(third, SECOND)
    had = [one[:2] for one in read_dated_history(results.results, small.id, "s001")]
    assert had == [(first.verdict, SECOND), (second.verdict, None)]


def test_what_was_not_graded_is_no_history(results, make, small):
    results.put(make(state="not_graded"))
    results.put(make(), FIRST)
    assert not read_history(results.results, small.id, "s001")


def test_a_proposal_counts_only_when_it_is_accepted(results, make, small):
    before, after = make(points=1.0), make(points=2.0)
    results.put(before, FIRST)
    results.propose(after, FIRST)
    assert results.verdict("s001") == before.verdict and results.proposed("s001") == after.verdict
    results.accept("s001")
    assert results.verdict("s001") == after.verdict and results.proposed("s001") is None
    (had,) = read_dated_history(results.results, small.id, "s001")
    assert had[:2] == (before.verdict, FIRST)
    results.accept("s001")
    assert results.verdict("s001") == after.verdict


def test_two_runs_do_not_write_at_once(results, small, tmp_path):
    with (
        results.exclusively(),
        pytest.raises(AutograderError, match="Another run is grading into .*results"),
        ResultsFolder(tmp_path / "results", small).exclusively(),
    ):
        pass
    with results.exclusively():
        pass
