"""The kill matrix in short: each mistake is caught and named where it is, and variants are right.

The seed is fixed here, and with it what chance has a part in; `make matrix` takes fresh ones.
"""

from collections import Counter
from pathlib import Path

import pytest
from submissions import SHORT, exercise

from autograder.authoring.kill_matrix import faults
from autograder.authoring.margins import FACTOR, Conditions, Margin, measure_rows
from autograder.authoring.rows import all_rows
from autograder.authoring.sample_class import SampleSubmission, solutions, write_submission
from autograder.cli.main import main
from autograder.engine.assignment import find_assignment, released
from autograder.engine.course import find_course
from autograder.engine.examiner.session import PRECISIONS
from autograder.engine.grade import Grader
from autograder.engine.mistake import DoesNotFit, Overlap, merge, mistakes

TOP = Path(__file__).parents[2]
ASSIGNMENTS = [
    find_assignment(id, course)
    for course in (find_course(TOP), find_course(TOP / "tests" / "course"))
    for id in released(course)
]
ROWS = [(assignment, row) for assignment in ASSIGNMENTS for row in all_rows(assignment)]
CATALOGUE = [(assignment, one) for assignment in ASSIGNMENTS for one in mistakes(assignment)]
each_assignment = pytest.mark.parametrize("assignment", ASSIGNMENTS, ids=lambda one: one.id)


@pytest.mark.parametrize(
    ("assignment", "row"), ROWS, ids=[f"{one.id}, {row.id}" for one, row in ROWS]
)
def test_a_row_of_the_matrix_is_as_it_has_to_be(assignment, row, walls, tmp_path):
    sample = SampleSubmission(solutions(assignment) | row.cells, row.id)
    notebook = write_submission(assignment, tmp_path / "s001", sample)
    graded = Grader(assignment, walls, SHORT, seed=1).grade("s001", notebook)
    assert faults(row, graded) == []


@each_assignment
def test_each_mistake_has_a_name_of_its_own(assignment):
    names = Counter((mistake.exercise, mistake.id) for mistake in mistakes(assignment))
    assert max(names.values()) == 1


def test_the_catalogue_is_large(assignment):
    assert len(mistakes(assignment)) >= 60
    assert sum(not row.mistakes for row in all_rows(assignment)) >= 40


@each_assignment
def test_every_check_is_there_for_a_mistake(assignment, walls, tmp_path):
    solved = SampleSubmission(solutions(assignment), "the solution")
    notebook = write_submission(assignment, tmp_path / "s001", solved)
    runs = Grader(assignment, walls, SHORT).grade("s001", notebook).runs
    checks = {(run.exercise, run.name) for run in runs}
    caught = {(m.exercise, f"test_{name}") for m in mistakes(assignment) for name in m.caught_by}
    assert caught == checks


@pytest.mark.parametrize(
    ("assignment", "mistake"),
    CATALOGUE,
    ids=[f"{one.id}, {mistake.exercise}: {mistake.id}" for one, mistake in CATALOGUE],
)
def test_every_way_of_a_mistake_is_code_and_its_sentence_is_one(assignment, mistake):
    solution = assignment.solutions[mistake.exercise]
    for way in range(len(mistake.ways)):
        cell = mistake.make(solution, way)
        compile(cell, mistake.id, "exec")
        assert cell != solution
    assert (mistake.sentence[0].isupper() or mistake.sentence[0] == "`") and mistake.sentence[
        -1
    ] in ".?"


def test_a_mistake_that_no_longer_fits_the_solution_is_told():
    with pytest.raises(DoesNotFit, match="is not in the cell"):
        CATALOGUE[0][1].make("class Another: pass")


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
def test_what_nobody_knows_loses_points_and_gets_no_name(grade_cells, solved, name, cell):
    last = solved[name].rstrip().splitlines()[-1]
    result = exercise(grade_cells(**{name: solved[name].replace(last.strip(), cell)}), name)
    assert result.points < result.max_points and result.mistakes == []
    assert any(check.message for check in result.checks)


def test_the_sentence_is_in_the_verdict_and_the_answer_is_not(grade_cells, solved):
    wrong = solved["attention"].replace("math.sqrt(query.size(-1))", "query.size(-1)")
    result = exercise(grade_cells(attention=wrong), "attention")
    assert [mistake.id for mistake in result.mistakes] == ["wrong_scale"]
    assert "sqrt" not in result.mistakes[0].sentence


@pytest.mark.slow
@each_assignment
def test_comparisons_stay_far_from_their_limits(assignment):
    margins = {}
    rows = {row.id: row for row in all_rows(assignment)}
    for precisions in (PRECISIONS, (False,)):
        for one in measure_rows(assignment, Conditions(2, precisions, threads=1)):
            key = one.exercise, one.check
            margin = margins.setdefault(key, Margin(*key))
            margin.add(rows[one.row], one.normalised_error, one.passed)
    for margin in margins.values():
        assert margin.others == [] and margin.right * FACTOR <= 1 and margin.wrong >= FACTOR, margin


def test_two_changes_are_merged_unless_they_meet():
    assert merge("a b c d", "x b c d", "a b c y") == "x b c y"
    with pytest.raises(Overlap):
        merge("a b c d", "a x c d", "a y c d")


@pytest.mark.walls
def test_the_command_prints_and_writes_its_tables(assignment, tmp_path, capsys, monkeypatch):
    rows = all_rows(assignment)
    some = [row for row in rows if row.exercises <= {"feed_forward"} and len(row.mistakes) < 2]
    monkeypatch.setattr(
        "autograder.authoring.kill_matrix.all_rows", lambda *_: some[:1] + some[-4:]
    )
    words = ["--jobs", "1", "--seeds", "0", "--into", str(tmp_path)]
    status = main(["matrix", assignment.id, *words])
    said = capsys.readouterr().out
    assert status == 1 and "names no mistake" in said  # most are left out here
    assert "constructor_never_begins" in said and "caught and named" in said
    assert (tmp_path / "matrix.csv").read_text().count("\n") == 6


@pytest.mark.walls
def test_a_matrix_without_a_fault_ends_well(small, tmp_path, capsys):
    words = ["--course", str(small.course.root), "--seeds", "0", "--into", str(tmp_path)]
    assert main(["matrix", small.id, "--jobs", "1", *words]) == 0
    assert "5 mistakes, 1 pairs, 4 correct submissions" in capsys.readouterr().out


def test_a_matrix_of_mistakes_that_no_longer_fit_says_which(small, monkeypatch, capsys):
    monkeypatch.setitem(small.solutions, "softmax", "softmax = None")
    assert main(["matrix", small.id, "--course", str(small.course.root)]) == 1
    assert "another_axis: " in capsys.readouterr().err
