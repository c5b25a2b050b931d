"""What an answer earns that does nothing of an exercise, or has only what is given or was done before.

The two exercises of single words are not among them: whoever writes "same" everywhere has three of five
predictions right, and whoever writes True everywhere two of the four statements.
"""

import pytest
from idle_norms import GIVEN, NOTHING
from sampling import every
from submissions import UNDIAGNOSED, exercise

OF_ONE_WORD = {  # what is reachable where each answer is one word of two, or a number that a norm is known for
    "prediction = dict.fromkeys(['mean', 'variance', 'order', '10 * x', 'x + 100'], 'same')": 0.6,
    "prediction = dict.fromkeys(['mean', 'variance', 'order', '10 * x', 'x + 100'], 0)": 0.2,
    "answers = dict.fromkeys(['a', 'b', 'c', 'd', 'pre-norm'], True)": 0.8,
    "answers = dict.fromkeys(['a', 'b', 'c', 'd', 'pre-norm'], False)": 0.8,
    "answers = dict.fromkeys(['a', 'b', 'c', 'd', 'pre-norm'], 'left')": 0.4,
}


@pytest.fixture
def more_than(grade_cells):
    """Hand in the row of a table beside other cells: the exercises in which it earns more than a share."""

    def find(share, table, row, **others):
        cells = {name: answers[row] for name, answers in table.items()}
        results = grade_cells(limits=UNDIAGNOSED, **(others | cells)).exercises
        found = {one.id: one for one in results if one.id in table}
        assert all(one.state == "answered" for one in found.values())
        return {name for name, one in found.items() if one.points > share * one.max_points}

    return find


@pytest.mark.walls
@pytest.mark.parametrize("row", every(5, range(10)))
def test_what_does_nothing_earns_at_most_a_tenth(more_than, row):
    assert not more_than(1 / 10, NOTHING, row)


@pytest.mark.walls
@pytest.mark.parametrize("row", every(4, range(5)))
def test_what_is_given_or_was_done_before_earns_at_most_a_third(more_than, solved, row):
    assert not more_than(1 / 3, GIVEN, row, **solved)


@pytest.mark.walls
@pytest.mark.parametrize("cell", every(5, OF_ONE_WORD))
def test_one_word_for_everything_earns_what_is_right_by_chance(grade_cells, cell):
    name = {"prediction": "predict_norm", "answers": "quiz"}[cell.split(" =")[0]]
    verdict = grade_cells(limits=UNDIAGNOSED, **{name: cell})
    assert exercise(verdict, name).points == pytest.approx(OF_ONE_WORD[cell])
