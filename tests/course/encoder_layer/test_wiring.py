"""The graders of encoder layer and encoder: each fault costs its own check, and right code costs none."""

import pytest
from sampling import every

from autograder.authoring.without_walls import examine_without_walls

SUMS = "each_sub_layer_is_added_and_then_normalised"
RATE = "dropout_rate_is_the_argument"
REST = "dropout_rests_in_evaluation_and_at_rate_zero"
REGISTERED = "whatever_it_learns_is_among_its_parameters"
LEFT_OUT = "mask_may_be_left_out"
PADDING = "padding_mask_reaches_the_attention"
EXERCISES = "encoder_layer", "encoder"

ATTENDED = "self.self_attention(x, x, x, attention_mask)"
ATTENTION = "MultiHeadAttention(d_model, num_heads)"
FEATURES = "PositionWiseFeedForward(d_model, d_ff)"
STEP = "x = layer(x, attention_mask)"


@pytest.fixture
def change(solved):
    """The solution of one exercise with pieces of it replaced."""

    def changed(name: str, *edits: tuple[str, str]) -> dict[str, str]:
        cell = solved[name]
        for old, new in edits:
            assert old in cell
            cell = cell.replace(old, new)
        return {name: cell}

    return changed


@pytest.fixture
def failed(assignment):
    """By exercise: the checks that fail, of those that are asked in it."""

    def ask(cells: dict[str, str], exercises=EXERCISES, seed: int = 1) -> dict[str, set[str]]:
        runs = examine_without_walls(assignment, assignment.solved_cells() | cells, seed)
        wrong = [run for run in runs if not run.passed and run.exercise in exercises]
        return {
            run.exercise: {
                one.name.removeprefix("test_") for one in wrong if one.exercise == run.exercise
            }
            for run in wrong
        }

    return ask


@pytest.fixture
def dropping_attention(change):
    """A multi-head attention whose output is dropped, at a rate that is 0 unless it is handed one."""
    return change(
        "multi_head_attention",
        ("mask_future: bool = False):", "mask_future: bool = False, rate=0.0):"),
        ("super().__init__()", "super().__init__()\n        self.drop = nn.Dropout(rate)"),
        ("return self.output_transform(", "return self.drop(self.output_transform)("),
        ("self.drop(self.output_transform)(", "self.drop_output("),
        (
            "    def forward(",
            "    def drop_output(self, x):\n        return self.drop(self.output_transform(x))\n\n"
            "    def forward(",
        ),
    )


@pytest.fixture
def dropping_features():
    return {
        "feed_forward": "def PositionWiseFeedForward(d_model, d_ff, rate=0.0):\n"
        "    parts = nn.Linear(d_model, d_ff), nn.ReLU(), nn.Linear(d_ff, d_model)\n"
        "    return nn.Sequential(*parts, nn.Dropout(rate))\n"
    }


@pytest.mark.parametrize(
    "given", ["rate=dropout", pytest.param("False, dropout", marks=pytest.mark.long)]
)
def test_an_attention_that_drops_its_output_too_costs_the_rate(
    failed, change, dropping_attention, given
):
    twice = change("encoder_layer", (ATTENTION, f"{ATTENTION[:-1]}, {given})"))
    assert failed(twice | dropping_attention) == {"encoder_layer": {RATE}}
    assert failed(dropping_attention) == {}


def test_a_feed_forward_that_drops_its_output_too_costs_the_rate(failed, change, dropping_features):
    twice = change("encoder_layer", (FEATURES, f"{FEATURES[:-1]}, dropout)"))
    assert failed(twice | dropping_features) == {"encoder_layer": {RATE}}
    once = ("self.dropout(self.feature_transformation(z))", "self.feature_transformation(z)")
    right = change("encoder_layer", (FEATURES, f"{FEATURES[:-1]}, dropout)"), once)
    assert failed(right | dropping_features) == {}


def test_a_part_that_drops_at_another_rate_costs_the_rate(failed, change, dropping_features):
    once = ("self.dropout(self.feature_transformation(z))", "self.feature_transformation(z)")
    wrong = change("encoder_layer", (FEATURES, f"{FEATURES[:-1]}, dropout / 2)"), once)
    assert failed(wrong | dropping_features) == {"encoder_layer": {RATE}}


def test_parts_in_a_dict_cost_their_own_check(failed, change):
    in_a_dict = change(
        "encoder_layer",
        ("self.self_attention = ", "self.parts = {}\n        self.parts['a'] = "),
        ("self.self_attention(", "self.parts['a']("),
    )
    assert failed(in_a_dict) == {"encoder_layer": {REGISTERED}}


def test_a_part_made_in_forward_costs_its_own_check(failed, change):
    made_anew = change(
        "encoder_layer",
        (f"self.self_attention = {ATTENTION}", "self.sizes = d_model, num_heads"),
        ("self.self_attention(", "MultiHeadAttention(*self.sizes)("),
    )
    assert failed(made_anew) == {"encoder_layer": {REGISTERED}}


def test_weights_that_no_module_has_are_found_without_stand_ins(failed, change):
    """A whole feed forward layer of one's own, in a plain list."""
    hidden = change(
        "encoder_layer",
        (
            FEATURES,
            "[nn.Sequential(nn.Linear(d_model, d_ff), nn.ReLU(), nn.Linear(d_ff, d_model))]",
        ),
        ("self.feature_transformation(z)", "self.feature_transformation[0](z)"),
    )
    assert REGISTERED in failed(hidden)["encoder_layer"]


def test_pre_norm_costs_the_sums_alone(failed, change):
    pre_norm = change(
        "encoder_layer",
        (
            f"z = self.layer_norm_1(x + self.dropout({ATTENDED}))",
            "y = self.layer_norm_1(x)\n        z = x + self.dropout("
            f"{ATTENDED.replace('x, x, x', 'y, y, y')})",
        ),
        (
            "self.layer_norm_2(z + self.dropout(self.feature_transformation(z)))",
            "z + self.dropout(self.feature_transformation(self.layer_norm_2(z)))",
        ),
    )
    assert failed(pre_norm) == {"encoder_layer": {SUMS}}


@pytest.mark.parametrize(
    "refusal", ["assert 0 <= dropout < 1", "if dropout >= 1:\n            raise ValueError"]
)
def test_a_rate_of_one_may_be_refused(failed, change, refusal):
    begin = "super().__init__()"
    refusing = change("encoder_layer", (begin, f"{begin}\n        {refusal}"))
    assert failed(refusing | change("encoder", (begin, f"{begin}\n        {refusal}"))) == {}


def test_a_fixed_rate_costs_nothing_of_place_and_mask(failed, change):
    fixed = change("encoder_layer", ("nn.Dropout(dropout)", "nn.Dropout(0.1)"))
    assert failed(fixed) == {"encoder_layer": {RATE, REST}}


def test_a_mask_in_evaluation_only_costs_nothing_of_the_mask(failed, change):
    cell = change(
        "encoder_layer",
        (ATTENDED, ATTENDED.replace("attention_mask", "None if self.training else attention_mask")),
    )
    assert failed(cell) == {"encoder_layer": {REST}}


@pytest.mark.parametrize("name", EXERCISES)
@pytest.mark.parametrize(
    "edit",
    [
        ("attention_mask: Tensor | None = None", "attention_mask: Tensor"),
        ("x, attention_mask)", "x, attention_mask.bool())"),
    ],
)
def test_a_mandatory_mask_costs_its_own_check(failed, change, name, edit):
    assert failed(change(name, edit)) == {name: {LEFT_OUT}}


def test_a_mask_check_has_a_quarter_of_a_point(assignment):
    runs = examine_without_walls(assignment, assignment.solved_cells(), 1)
    points = {run.exercise: run.points for run in runs if run.name == f"test_{LEFT_OUT}"}
    assert {points[name] for name in EXERCISES} == {0.25}


@pytest.mark.parametrize("unpacked", [f"{ATTENDED}[0]", f"(lambda a, w: a)(*{ATTENDED})"])
@pytest.mark.parametrize("broken", [pytest.param(False, marks=pytest.mark.long), True])
def test_an_attention_that_returns_a_tuple_costs_its_own_exercise(failed, change, unpacked, broken):
    """Whether it is right otherwise, or not."""
    edits = [
        ("        return self.output_transform(", "        return None, self.output_transform(")
    ]
    with_tuple = change("multi_head_attention", *edits)
    with_tuple = {
        "multi_head_attention": with_tuple["multi_head_attention"]
        + "\n\nclass MultiHeadAttention(MultiHeadAttention):\n"
        "    def forward(self, *args):\n"
        f"        return super().forward(*args)[1]{' * 2' if broken else ''}, None\n"
    }
    layer = change("encoder_layer", (ATTENDED, unpacked))
    every = "multi_head_attention", *EXERCISES
    assert set(failed(with_tuple | layer, every)) == {"multi_head_attention"}
    plain = failed(layer)
    assert SUMS in plain["encoder_layer"]  # of an attention that returns a tensor, it is wrong


@pytest.mark.parametrize("broken", every(2, [False, True]))
def test_a_layer_that_returns_a_tuple_costs_its_own_exercise(failed, change, broken):
    layer = change("encoder_layer", ("return self.layer_norm_2(", "return self.tail("))
    twice = " * 2" if broken else ""
    tail = f"\n    def tail(self, x):\n        return self.layer_norm_2(x){twice}, 'something'\n"
    layer = {"encoder_layer": layer["encoder_layer"] + tail}
    stack = change("encoder", (STEP, f"{STEP}[0]"))
    assert set(failed(layer | stack)) == {"encoder_layer"}
    assert set(failed(stack)) == {"encoder"}


def test_a_default_rate_is_judged_by_what_it_does(failed, change):
    helper = (
        "class Drop(nn.Module):\n    def __init__(self, rate=0.1):\n        super().__init__()\n"
        "        self.drop = nn.Dropout(rate)\n\n    def forward(self, x):\n"
        "        return self.drop(x)\n\n\nclass EncoderLayer("
    )
    begin = ("class EncoderLayer(", helper)
    right = change("encoder_layer", begin, ("= nn.Dropout(dropout)", "= Drop(dropout)"))
    wrong = change("encoder_layer", begin, ("= nn.Dropout(dropout)", "= Drop()"))
    assert failed(right) == {}
    assert failed(wrong) == {"encoder_layer": {RATE, REST}}


@pytest.mark.parametrize("eps", every(4, ["1e-12", "1e-6", "1e-5", "1e-8"]))
def test_a_norms_epsilon_is_free(failed, change, eps):
    norms = change("encoder_layer", ("nn.LayerNorm(d_model)", f"nn.LayerNorm(d_model, eps={eps})"))
    assert failed(norms) == {}


def test_what_a_part_returned_may_be_changed_in_place(assignment, change):
    """Without its own parts having to stand in for the stand-ins."""
    first = f"z = self.layer_norm_1(x + self.dropout({ATTENDED}))"
    in_place = change(
        "encoder_layer",
        (first, f"z = {ATTENDED}\n        z += x\n        z = self.layer_norm_1(z)"),
    )
    runs = examine_without_walls(assignment, assignment.solved_cells() | in_place, 1)
    (sums,) = [run for run in runs if run.name == f"test_{SUMS}"]
    assert sums.passed and not sums.recording.own_parts


def test_an_input_that_changes_costs_the_sums_alone(failed, change):
    first = f"z = self.layer_norm_1(x + self.dropout({ATTENDED}))"
    in_place = f"x += self.dropout({ATTENDED})\n        z = self.layer_norm_1(x)"
    assert failed(change("encoder_layer", (first, in_place))) == {"encoder_layer": {SUMS}}


def test_a_mask_that_changes_costs_its_own_check(failed, change):
    attended = ("z = ", "attention_mask is not None and attention_mask.clamp_(max=0)\n        z = ")
    before = (
        "z = self",
        "y = None if attention_mask is None else attention_mask.clone()\n        z = self",
    )
    cell = change(
        "encoder_layer",
        before,
        (ATTENDED, ATTENDED.replace("attention_mask", "y")),
        ("return self", f"{attended[1].partition('z = ')[0]}return self"),
    )
    assert failed(cell) == {"encoder_layer": {PADDING}}
