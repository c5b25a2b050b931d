"""The rows of the kill matrix: the solution, the variants, each mistake, the pairs."""

from courses import each_assignment

from autograder.authoring.rows import all_rows
from autograder.engine.mistake import mistakes


def test_the_catalogue_is_large(assignment):
    assert len(mistakes(assignment)) >= 60
    assert sum(not row.mistakes for row in all_rows(assignment)) >= 40


def test_rows_are_the_solution_the_variants_the_mistakes_and_the_pairs(small):
    assert [row.id for row in all_rows(small)] == [
        "the solution",
        "prediction: assigned_twice",
        "rms_norm: functional",
        "softmax: by_torch",
        "rms_norm: mean_not_root",
        "rms_norm: no_scale",
        "softmax: another_axis",
        "softmax: overflow",
        "prediction: weights_grow",
        "rms_norm: mean_not_root + rms_norm: no_scale",
    ]


def test_points_are_lost_where_the_mistakes_of_a_row_are(small):
    rows = {row.id: row for row in all_rows(small)}
    assert rows["the solution"].cells == {} and rows["the solution"].exercises == set()
    assert rows["softmax: by_torch"].exercises == set()
    assert rows["softmax: overflow"].exercises == {"softmax"} == {*rows["softmax: overflow"].cells}


def test_a_pair_has_both_changes_in_one_cell(small):
    (cell,) = all_rows(small)[-1].cells.values()
    assert ".reciprocal()" in cell and "* self.weight" not in cell


@each_assignment
def test_every_way_of_a_mistake_is_a_row_where_that_is_wanted(assignment):
    ways = sum(len(mistake.ways) for mistake in mistakes(assignment))
    alone = [row for row in all_rows(assignment, every_way=True) if len(row.mistakes) == 1]
    assert len(alone) == ways == len({row.id for row in alone})
