"""The kill matrix in short: mistakes are caught and named where they are, and variants are right.

Some 8 rows, whatever the number of assignments; `make test-long` takes the others.

The seed is fixed here, and with it what chance has a part in; `make matrix` takes fresh ones.
"""

from dataclasses import replace

import pytest
from courses import ASSIGNMENTS
from submissions import SHORT, exercise

from autograder.authoring.faults import faults
from autograder.authoring.rows import all_rows
from autograder.authoring.sample_class import SampleSubmission, solutions, write_submission
from autograder.engine.grading import Grader
from autograder.mistakes.exercises import diagnose_exercises

# Caught, and not named in every draw: by which rate it seems to drop is a matter of chance
UNNAMED = "encoder_layer: dropout_on_the_residual"
ROWS = [(assignment, row) for assignment in ASSIGNMENTS for row in all_rows(assignment)]
EVERY = 1 + len(ROWS) // 8
PATIENT = replace(SHORT, diagnosis_seconds=60)  # whose mutants nobody has asked before
PARAMS = [
    pytest.param(
        *(assignment, row),
        id=f"{assignment.id}, {row.id}",
        marks=[pytest.mark.long] * (number % EVERY > 0),
    )
    for number, (assignment, row) in enumerate(ROWS)
]


@pytest.mark.walls
@pytest.mark.parametrize(("assignment", "row"), PARAMS)
def test_a_row_of_the_matrix_is_as_it_has_to_be(assignment, row, walls, tmp_path):
    cells = solutions(assignment) | row.cells
    notebook = write_submission(assignment, tmp_path / "s001", SampleSubmission(cells, row.id))
    grader = Grader(assignment, walls, PATIENT, seed=1, explain=diagnose_exercises)
    wrong = faults(row, grader.grade("s001", notebook))
    assert [one for one in wrong if row.id != UNNAMED or "is not named" not in one] == []


@pytest.mark.parametrize(
    ("name", "cell"),
    [
        ("attention", "return scores.softmax(dim=-1).roll(1, -1) @ value"),
        *(
            pytest.param(*case, marks=pytest.mark.long)
            for case in (
                ("encoder", "return x.cumsum(1)"),
                ("attention", "return torch.zeros_like(scores @ value)"),
                ("multi_head_attention", "return self.output_transform(merged.roll(3, -1))"),
                ("encoder_layer", "return torch.ones_like(x)"),
                (
                    "encoder_layer",
                    "return self.layer_norm_2(z - 3 * self.feature_transformation(z))",
                ),
            )
        ),
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
