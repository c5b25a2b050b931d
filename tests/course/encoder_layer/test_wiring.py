"""The graders of encoder layer and encoder: each fault costs its own check, and right code costs none."""

import pytest
from sampling import every

from autograder.authoring.without_walls import examine_without_walls

pytestmark = pytest.mark.slow

SUMS = "each_sub_layer_is_added_and_then_normalised"
RATE = "dropout_rate_is_the_argument"
REST = "dropout_rests_in_evaluation_and_at_rate_zero"
REGISTERED = "whatever_it_learns_is_among_its_parameters"
LEFT_OUT = "mask_may_be_left_out"
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
def dropping_features():
    return {
        "feed_forward": "def PositionWiseFeedForward(d_model, d_ff, rate=0.0):\n"
        "    parts = nn.Linear(d_model, d_ff), nn.ReLU(), nn.Linear(d_ff, d_model)\n"
        "    return nn.Sequential(*parts, nn.Dropout(rate))\n"
    }


BEGIN = "super().__init__()"
NORM_1 = f"z = self.layer_norm_1(x + self.dropout({ATTENDED}))"
NORM_2 = "self.layer_norm_2(z + self.dropout(self.feature_transformation(z)))"
MANDATORY = [
    ("attention_mask: Tensor | None = None", "attention_mask: Tensor"),
    ("x, attention_mask)", "x, attention_mask.bool())"),
]
# by what is changed: the exercise, the edits of its solution, and the checks that fail
EDITS = {
    "parts in a dict": (
        "encoder_layer",
        [
            ("self.self_attention = ", "self.parts = {}\n        self.parts['a'] = "),
            ("self.self_attention(", "self.parts['a']("),
        ],
        {REGISTERED},
    ),
    "a part made in forward": (
        "encoder_layer",
        [
            (f"self.self_attention = {ATTENTION}", "self.sizes = d_model, num_heads"),
            ("self.self_attention(", "MultiHeadAttention(*self.sizes)("),
        ],
        {REGISTERED},
    ),
    "pre-norm": (
        "encoder_layer",
        [
            (
                NORM_1,
                "y = self.layer_norm_1(x)\n        z = x + self.dropout("
                f"{ATTENDED.replace('x, x, x', 'y, y, y')})",
            ),
            (NORM_2, "z + self.dropout(self.feature_transformation(self.layer_norm_2(z)))"),
        ],
        {SUMS},
    ),
    "a fixed rate": (
        "encoder_layer", [("nn.Dropout(dropout)", "nn.Dropout(0.1)")], {RATE, REST},
    ),
    "a mask in evaluation only": (
        "encoder_layer",
        [(ATTENDED, ATTENDED.replace("attention_mask", "None if self.training else attention_mask"))],
        {REST},
    ),
    "an input that changes": (
        "encoder_layer",
        [(NORM_1, f"x += self.dropout({ATTENDED})\n        z = self.layer_norm_1(x)")],
        {SUMS},
    ),
    "a part's output that changes": (
        "encoder_layer",
        [(NORM_1, f"z = self.dropout({ATTENDED})\n        z += x\n        z = self.layer_norm_1(z)")],
        set(),
    ),
    "another epsilon": (
        "encoder_layer", [("nn.LayerNorm(d_model)", "nn.LayerNorm(d_model, eps=1e-12)")], set(),
    ),
    "a rate of one is refused": (
        "encoder_layer", [(BEGIN, f"{BEGIN}\n        assert 0 <= dropout < 1")], set(),
    ),
    "a rate of one is refused by the encoder": (
        "encoder",
        [(BEGIN, f"{BEGIN}\n        if dropout >= 1:\n            raise ValueError")],
        set(),
    ),
    **{
        f"a mandatory mask of the {name}, {number}": (name, [edit], {LEFT_OUT})
        for name in EXERCISES
        for number, edit in enumerate(MANDATORY)
    },
}  # fmt: skip


@pytest.mark.parametrize("edit", EDITS)
def test_an_edit_costs_its_own_checks_alone(failed, change, edit):
    name, edits, checks = EDITS[edit]
    assert failed(change(name, *edits)) == ({name: checks} if checks else {})


def test_a_feed_forward_that_drops_its_output_too_costs_the_rate(failed, change, dropping_features):
    twice = change("encoder_layer", (FEATURES, f"{FEATURES[:-1]}, dropout)"))
    assert failed(twice | dropping_features) == {"encoder_layer": {RATE}}
    once = ("self.dropout(self.feature_transformation(z))", "self.feature_transformation(z)")
    right = change("encoder_layer", (FEATURES, f"{FEATURES[:-1]}, dropout)"), once)
    assert failed(right | dropping_features) == {}


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
