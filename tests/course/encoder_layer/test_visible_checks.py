"""The notebook's own checks: which known mistakes they catch, and that they trust what is right.

Each mistake in its first way here; every way of all of them, and every variant, by the verb
`visible-checks`.
"""

from contextlib import suppress

import pytest

from autograder.authoring.edited import find_source
from autograder.authoring.row import MatrixRow
from autograder.authoring.rows import all_rows
from autograder.authoring.toolbox.exercises import Result
from autograder.authoring.toolbox_file import toolbox_module
from autograder.authoring.visible_checks import VisibleChecks
from autograder.authoring.visible_matrix import VisibleResult, table_of, try_rows

EXERCISES = "feed_forward", "attention", "multi_head_attention"
IN_SHORT = *EXERCISES[:2], pytest.param(EXERCISES[2], marks=pytest.mark.long)
OPEN = "class Attention(nn.Module):\n    def __init__(self, *_):\n        raise NotImplementedError"
WRONG = """class Attention(nn.Module):
    def __init__(self, mask_future=False):
        super().__init__()

    def forward(self, query, key, value, attention_mask=None):
        return query"""
NEVER_RESTS = "dropout_never_rests"
pytestmark = pytest.mark.filterwarnings("ignore")  # mistakes may do what torch warns of


@pytest.fixture(scope="module")
def edited(course):
    return find_source("encoder-layer", course)


@pytest.fixture(scope="module")
def checks(edited):
    return VisibleChecks(edited)


@pytest.fixture(scope="module")
def rows(edited):
    return all_rows(edited, every_way=True)


@pytest.mark.slow
@pytest.mark.parametrize("exercise", IN_SHORT)
def test_every_mistake_is_caught(checks, rows, exercise):
    made = [row for row in rows if not row.is_right and not row.id.endswith(")")]
    silent = {tried.row.id for tried in try_rows(checks, made, exercise) if tried.is_silent}
    assert silent == set()


@pytest.mark.slow
@pytest.mark.parametrize("exercise", IN_SHORT)
def test_nothing_right_is_complained_about(checks, rows, exercise):
    right = [row for row in rows if row.is_right and exercise in row.cells]
    tried = try_rows(checks, right[::3], exercise)
    assert not [one.row.id for one in tried if one.is_false_alarm]


@pytest.mark.parametrize(
    ("line", "said"),
    [
        ("assert d_model % num_heads == 0", "Yours is an AssertionError."),
        ("if d_model % num_heads: raise AssertionError", "Yours is an AssertionError."),
        ("if d_model % num_heads: raise ValueError", ""),
    ],
)
def test_an_assertion_in_the_place_of_a_value_error_passes_and_is_told(checks, capsys, line, said):
    class Refuses:
        def __init__(self, d_model, num_heads):
            exec(line)

    steps = checks.declared["multi_head_attention"]
    with toolbox_module().notebook_is({"MultiHeadAttention": Refuses}), suppress(Exception):
        for _ in steps():
            pass
    assert capsys.readouterr().out.partition(" It counts")[0] == said


@pytest.mark.parametrize("exercise", EXERCISES)
def test_the_solution_passes_whatever_the_random_numbers(checks, exercise):
    states = [checks.run({}, exercise, seed=seed)[exercise].state for seed in range(4)]
    assert states == ["done"] * 4


@pytest.mark.parametrize("attention", [OPEN, WRONG], ids=["open", "wrong"])
def test_heads_are_checked_without_the_attention_of_the_student(checks, attention):
    heads = "multi_head_attention"
    found = checks.run({"attention": attention}, "attention", heads)
    assert found["attention"].state != "done" and found[heads].state == "done"


@pytest.mark.parametrize("exercise", EXERCISES)
def test_dropout_that_always_acts_is_first_asked_for_the_same_answer_twice(checks, rows, exercise):
    (row,) = [row for row in rows if row.id == f"{exercise}: {NEVER_RESTS}"]
    result = checks.run(row.cells, exercise)[exercise]
    assert result.question.startswith("After eval()") and "twice" in result.question


@pytest.mark.long
@pytest.mark.parametrize("exercise", EXERCISES)
def test_unlike_mistakes_are_asked_unlike_questions(checks, rows, exercise):
    firsts = [row for row in rows if row.kind == "mistake" and row.exercises == {exercise}]
    firsts = [row for row in firsts if not row.id.endswith(")")]
    questions = [checks.run(row.cells, exercise)[exercise].question for row in firsts]
    assert max(map(questions.count, questions)) <= max(6, len(firsts) // 8)


def test_what_a_cell_raises_is_a_result(checks):
    found = checks.run({"attention": "1 / 0"}, "attention")["attention"]
    assert found.state == "failing" and "ZeroDivisionError" in found.message


def test_the_table_counts_silent_ways_and_false_alarms(rows):
    wrong = [row for row in rows if row.kind == "mistake" and row.exercises == {"attention"}][:2]
    tried = [VisibleResult(row, "attention", Result("done")) for row in wrong]
    tried.append(VisibleResult(MatrixRow("right", {}), "attention", Result("failing")))
    cells = [next(iter(column.cells)) for column in table_of(tried).columns]
    assert cells == ["attention", "2", "2 (100%)", "2", "1"]
