"""The kill matrix in short: each mistake is caught and named where it is, and variants are right.

The seed is fixed here, and with it what chance has a part in; `make matrix` takes fresh ones.
"""

from collections import Counter

import pytest
from conftest import SHORT, exercise

from autograder.engine.assignment import find_assignment
from autograder.engine.grade import Grader
from autograder.engine.mistake import Overlap, merge
from autograder.engine.mistake import DoesNotFit, mistakes
from autograder.authoring.margins import ROOM, Margin, ask_every_row
from autograder.authoring.kill_matrix import faults, main
from autograder.authoring.rows import all_rows

ASSIGNMENT = find_assignment("encoder-layer")
ROWS = all_rows(ASSIGNMENT)
CATALOGUE = mistakes(ASSIGNMENT)


@pytest.mark.parametrize("row", ROWS, ids=lambda row: row.id)
def test_a_row_of_the_matrix_is_as_it_has_to_be(row, walls, hand_in):
    graded = Grader(ASSIGNMENT, walls, SHORT, seed=1).grade("s001", hand_in(**row.cells))
    assert faults(row, graded) == []


def test_the_catalogue_is_large_and_each_mistake_has_a_name_of_its_own():
    names = Counter((mistake.exercise, mistake.id) for mistake in CATALOGUE)
    assert len(names) >= 60 and max(names.values()) == 1
    assert sum(not row.mistakes for row in ROWS) >= 40


def test_every_check_is_there_for_a_mistake(judge):
    checks = {(r.id, check.id) for r in judge().exercises for check in r.checks}
    caught = {(m.exercise, f"test_{name}") for m in CATALOGUE for name in m.caught_by}
    assert caught == checks


@pytest.mark.parametrize("mistake", CATALOGUE, ids=lambda m: f"{m.exercise}: {m.id}")
def test_every_way_of_a_mistake_is_code_and_its_sentence_is_one(mistake):
    solution = ASSIGNMENT.solutions[mistake.exercise]
    for way in range(len(mistake.ways)):
        cell = mistake.make(solution, way)
        compile(cell, mistake.id, "exec")
        assert cell != solution
    assert (mistake.sentence[0].isupper() or mistake.sentence[0] == "`") and mistake.sentence[
        -1
    ] in ".?"


def test_a_mistake_that_no_longer_fits_the_solution_is_told():
    with pytest.raises(DoesNotFit, match="is not in the cell"):
        CATALOGUE[0].make("class Another: pass")


@pytest.mark.parametrize(
    ("name", "cell"),
    [
        ("attention", "return scores.softmax(dim=-1).roll(1, -1) @ value"),
        ("attention", "return scores.softmax(dim=-1) @ value * 1.5"),
        ("attention", "return torch.zeros_like(scores @ value)"),
        ("multi_head_attention", "return self.output_transform(merged.roll(3, -1))"),
        ("encoder_layer", "return torch.ones_like(x)"),
        ("encoder_layer", "return self.layer_norm_2(z - 3 * self.feature_transformation(z))"),
        ("encoder", "return x.cumsum(1)"),
    ],
)
def test_what_nobody_knows_loses_points_and_gets_no_name(judge, solved, name, cell):
    last = solved[name].rstrip().splitlines()[-1]
    result = exercise(judge(**{name: solved[name].replace(last.strip(), cell)}), name)
    assert result.points < result.max_points and result.mistakes == []
    assert any(check.message for check in result.checks)


def test_the_sentence_is_in_the_verdict_and_the_answer_is_not(judge, solved):
    wrong = solved["attention"].replace("math.sqrt(query.size(-1))", "query.size(-1)")
    result = exercise(judge(attention=wrong), "attention")
    assert [mistake.id for mistake in result.mistakes] == ["wrong_scale"]
    assert "sqrt" not in result.mistakes[0].sentence


def test_comparisons_stay_far_from_their_limits():
    margins = {}
    rows = {row.id: row for row in ROWS}
    for double in (True, False):
        for name, check, row, normalised_error, passed in ask_every_row(ASSIGNMENT, (2, double, 1)):
            margin = margins.setdefault((name, check), Margin(name, check))
            margin.add(rows[row], normalised_error, passed)
    for margin in margins.values():
        assert margin.others == [] and margin.right * ROOM <= 1 and margin.wrong >= ROOM, margin


def test_two_changes_are_merged_unless_they_meet():
    assert merge("a b c d", "x b c d", "a b c y") == "x b c y"
    with pytest.raises(Overlap):
        merge("a b c d", "a x c d", "a y c d")


def test_the_verb_prints_and_writes_its_tables(tmp_path, capsys, monkeypatch):
    some = [row for row in ROWS if row.exercises <= {"feed_forward"} and len(row.mistakes) < 2]
    monkeypatch.setattr("autograder.authoring.kill_matrix.all_rows", lambda *_: some[:1] + some[-4:])
    status = main(["--jobs", "1", "--seeds", "0", "--into", str(tmp_path)])
    said = capsys.readouterr().out
    assert status == 1 and "names no mistake" in said  # most are left out here
    assert "constructor_never_begins" in said and "caught and named" in said
    assert (tmp_path / "matrix.csv").read_text().count("\n") == 6
