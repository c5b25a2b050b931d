"""The notebook's own checks: which known mistakes they catch, and that they trust what is right.

`make test` takes some exercises and some variants; `matrix --visible` takes all.
"""

import re
from contextlib import suppress

import nbformat
import pytest

from autograder.authoring.edited import find_source
from autograder.authoring.rows import all_rows
from autograder.authoring.toolbox_file import toolbox_module
from autograder.authoring.visible_checks import VisibleChecks
from autograder.authoring.visible_matrix import try_rows

EXERCISES = "feed_forward", "attention", "multi_head_attention", "encoder_layer", "encoder"
LONG = "multi_head_attention", "encoder"
IN_SHORT = [pytest.param(name, marks=[pytest.mark.long] * (name in LONG)) for name in EXERCISES]
OPEN = "class Attention(nn.Module):\n    def __init__(self, *_):\n        raise NotImplementedError"
WRONG = """class Attention(nn.Module):
    def __init__(self, mask_future=False):
        super().__init__()

    def forward(self, query, key, value, attention_mask=None):
        return query"""
ASKED = {  # of a mistake, in its first way: words of the first question that fails, or of its answer
    "feed_forward: dropout_never_rests": "twice",
    "attention: dropout_never_rests": "twice",
    "multi_head_attention: dropout_never_rests": "twice",
    "encoder_layer: dropout_never_rests": "twice",
    "encoder_layer: input_is_changed": "in place",
    "encoder_layer: a_sub_layer_is_missing": "asked once",
    "encoder_layer: feed_forward_first": "comes first",
    "encoder_layer: sub_layers_are_not_registered": "print(layer)",
    "encoder_layer: sizes_of_sub_layers": "(4, 8)",
    "encoder_layer: always_causal": "words after it",
    "encoder_layer: pre_norm": "Query, key and value",
    "encoder_layer: feed_forward_sees_x": "gathered",
    "encoder_layer: no_norm": "the mean 0",
    "encoder_layer: no_residual": "what is added",
    "encoder_layer: attention_of_its_own_scales_wrongly": "exercises 2 and 3",
    "encoder_layer: one_shared_norm": "scale and a shift of its own",
    "encoder_layer: gradient_is_cut": "gradient",
    "encoder_layer: mask_mandatory": "left out",
    "encoder_layer: mask_forgotten": "gets none",
    "encoder_layer: mask_of_one_sentence": "its own mask",
    "encoder_layer: mask_only_of_integers": "True and False",
    "encoder_layer: dropout_rate_is_fixed": "dropout 0.0",
    "encoder_layer: dropout_on_the_sum": "something else dropped",
    "encoder_layer: no_dropout": "is anything dropped",
    "encoder_layer: dropout_of_whole_tokens_or_features": "by itself",
    "encoder_layer: dropout_does_not_scale": "scaled",
    "encoder: nothing_is_returned": "`return`",
    "encoder: dropout_never_rests": "twice",
    "encoder: layers_are_not_registered": "print(encoder)",
    "encoder: shared_layers": "weights of its own",
    "encoder: last_layer_never_used": "2 of them act",
    "encoder: arguments_of_the_layers": "(6, 8, 3)",
    "encoder: rate_is_not_handed_on": "rate of dropout",
    "encoder: embedding_not_scaled": "multiplied",
    "encoder: no_positions": "where a token stands",
    "encoder: positions_begin_at_one": "position 0",
    "encoder: sine_and_cosine_swapped": "Which features are sines",
    "encoder: wrong_angle": "slower",
    "encoder: positions_too_short": "max_len",
    "encoder: positions_are_learned": "what else learns",
    "encoder: layers_are_not_chained": "the one before it",
    "encoder: mask_stops_on_the_way": "get none",
    "encoder: no_dropout": "is anything dropped",
    "encoder: dropout_on_one_of_both": "is the sum dropped",
    "encoder: dropout_between_the_layers": "between the layers",
}
pytestmark = [pytest.mark.filterwarnings("ignore"), pytest.mark.slow]


@pytest.fixture(scope="module")
def edited(course):
    return find_source("encoder-layer", course)


@pytest.fixture(scope="module")
def checks(edited):
    return VisibleChecks(edited)


@pytest.fixture(scope="module")
def rows(edited):
    return all_rows(edited, every_way=True)


@pytest.fixture(scope="module")
def stubs(edited):
    """The solution cells as students get them."""
    texts = {cell.id: cell.source for cell in nbformat.read(edited.source, 4).cells}
    begin_to_end = r"( *)### BEGIN SOLUTION.*?### END SOLUTION"
    raising = r"\1raise NotImplementedError"
    return {
        name: re.sub(begin_to_end, raising, texts[name], flags=re.DOTALL)
        for name in edited.solutions
    }


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


@pytest.mark.parametrize("row", ASKED)
def test_the_question_fits_what_is_wrong(checks, rows, row):
    (mistake,) = (one for one in rows if one.id == row)
    (exercise,) = mistake.exercises
    result = checks.run(mistake.cells, exercise)[exercise]
    assert ASKED[row].lower() in f"{result.question} {result.message}".lower()


@pytest.mark.parametrize("place", range(3, 5))
def test_it_passes_while_what_it_needs_is_still_open(checks, stubs, place):
    name, before = EXERCISES[place], EXERCISES[:place]
    assert checks.run({one: stubs[one] for one in before}, name)[name].state == "done"


@pytest.mark.parametrize("exercise", EXERCISES)
def test_an_open_exercise_is_open(checks, stubs, exercise):
    assert checks.run({exercise: stubs[exercise]}, exercise)[exercise].state == "open"


def test_what_a_cell_raises_is_a_result(checks):
    found = checks.run({"attention": "1 / 0"}, "attention")["attention"]
    assert found.state == "failing" and "ZeroDivisionError" in found.message
