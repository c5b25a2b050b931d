"""Right code earns everything whatever its parts are called, in which order they are registered and how
its weights are kept; and what the notebook calls done is full points in the grade.
"""

from textwrap import dedent

import pytest
from courses import ASSIGNMENTS
from restyled import restyle

from autograder.authoring.variants import Variant, variants

pytestmark = pytest.mark.slow

RENAMINGS = 2  # of each right solution
KEPT = {"rms_norm"}  # the statement asks for the name `gamma`
RIGHT = [
    (assignment, variant)
    for assignment in ASSIGNMENTS
    for variant in (Variant("the solution", dict(assignment.solutions), ""), *variants(assignment))
]


@pytest.mark.long
@pytest.mark.parametrize(
    ("assignment", "variant"), RIGHT, ids=[f"{one.id}-{variant.name}" for one, variant in RIGHT]
)
def test_right_code_in_a_foreign_style_earns_everything(assignment, variant, faults):
    coded = {exercise.id for exercise in assignment.exercises} - KEPT
    for seed in range(RENAMINGS):
        cells = {
            name: restyle(cell, seed) if name in coded else cell
            for name, cell in variant.cells.items()
        }
        assert faults(assignment, cells, seed) == [], cells


HEADS = """
    class MultiHeadAttention(nn.Module):
        def __init__(self, d_model, num_heads, mask_future=False):
            super().__init__()
            if d_model % num_heads:
                raise ValueError("not divisible")
            self.count, self.core = num_heads, Attention(mask_future)
            {made}

        def forward(self, query, key, value, attention_mask=None):
            {named}
            parts = [f(x).unflatten(-1, (self.count, -1)).transpose(1, 2)
                     for f, x in ((q, query), (k, key), (v, value))]
            return o(self.core(*parts, attention_mask).transpose(1, 2).flatten(-2))
"""
LINEAR = "nn.Linear(d_model, d_model, bias=False)"
FOUR = "self.l1, self.l2, self.l3, self.l4"
LAYER = """
    class EncoderLayer(nn.Module):
        def __init__(self, d_model, num_heads, d_ff, dropout=0.1):
            super().__init__()
            self.first = MultiHeadAttention(d_model, num_heads)
            self.second = PositionWiseFeedForward(d_model, d_ff)
            self.drop = nn.Dropout(dropout)
            {made}

        def forward(self, x, attention_mask=None):
            (g1, b1), (g2, b2) = {pairs}
            x = nn.functional.layer_norm(
                x + self.drop(self.first(x, x, x, attention_mask)), g1.shape, g1, b1
            )
            return nn.functional.layer_norm(x + self.drop(self.second(x)), g2.shape, g2, b2)
"""
ONES, ZEROS = "nn.Parameter(torch.ones(d_model))", "nn.Parameter(torch.zeros(d_model))"
STACKED = "nn.Parameter(torch.stack([torch.{}(d_model), torch.{}(d_model)]))"
NORM = """
    class LayerNorm(nn.Module):
        def __init__(self, d_model, eps=1e-6):
            super().__init__()
            self.eps = eps
            {made}

        def forward(self, x):
            c = x - x.mean(-1, keepdim=True)
            {named}
            return gain * c / (c.square().mean(-1, keepdim=True) + self.eps).sqrt() + shift
"""
STYLES = {
    "four neutral names": (
        "encoder-layer", "multi_head_attention", HEADS,
        {"made": f"{FOUR} = ({LINEAR} for _ in range(4))", "named": f"v, q, k, o = {FOUR}"},
    ),
    "a list": (
        "encoder-layer", "multi_head_attention", HEADS,
        {"made": f"self.proj = nn.ModuleList([{LINEAR} for _ in range(4)])", "named": "o, k, q, v = self.proj"},
    ),
    "a dictionary": (
        "encoder-layer", "multi_head_attention", HEADS,
        {
            "made": f"self.all = nn.ModuleDict({{n: {LINEAR} for n in 'abcd'}})",
            "named": "k, v, o, q = (self.all[n] for n in 'abcd')",
        },
    ),
    "one matrix": (
        "encoder-layer", "multi_head_attention", HEADS,
        {
            "made": "self.w = nn.Parameter(torch.randn(4, d_model, d_model) / d_model ** 0.5)",
            "named": "v, o, k, q = ((lambda x, w=w: x @ w) for w in self.w)",
        },
    ),
    "norms without modules": (
        "encoder-layer", "encoder_layer", LAYER,
        {
            "made": f"self.gamma1, self.beta1, self.gamma2, self.beta2 = {ONES}, {ZEROS}, {ONES}, {ZEROS}",
            "pairs": "(self.gamma1, self.beta1), (self.gamma2, self.beta2)",
        },
    ),
    "shifts before gains": (
        "encoder-layer", "encoder_layer", LAYER,
        {
            "made": f"self.p, self.q, self.r, self.s = {ZEROS}, {ZEROS}, {ONES}, {ONES}",
            "pairs": "(self.s, self.p), (self.r, self.q)",
        },
    ),
    "both gains in one": (
        "encoder-layer", "encoder_layer", LAYER,
        {
            "made": f"self.gains, self.shifts = {STACKED.format('ones', 'ones')}, {STACKED.format('zeros', 'zeros')}",
            "pairs": "zip(self.gains, self.shifts)",
        },
    ),
    "a parameter list": (
        "encoder-layer", "encoder_layer", LAYER,
        {
            "made": f"self.all = nn.ParameterList([{ZEROS}, {ONES}, {ONES}, {ZEROS}])",
            "pairs": "(self.all[2], self.all[0]), (self.all[1], self.all[3])",
        },
    ),
    **{
        f"{shift} before {gain}": (
            "layer-norm", "layer_norm", NORM,
            {"made": f"self.{shift}, self.{gain} = {ZEROS}, {ONES}", "named": f"gain, shift = self.{gain}, self.{shift}"},
        )
        for shift, gain in (("param_b", "param_g"), ("mu", "sigma"), ("add", "mul"), ("w", "b"))
    },
    "gain and shift in one": (
        "layer-norm", "layer_norm", NORM,
        {"made": f"self.both = {STACKED.format('ones', 'zeros')}", "named": "gain, shift = self.both"},
    ),
    "shift and gain in columns": (
        "layer-norm", "layer_norm", NORM,
        {
            "made": "self.both = nn.Parameter(torch.stack([torch.zeros(d_model), torch.ones(d_model)], 1))",
            "named": "shift, gain = self.both.T",
        },
    ),
    "gain and shift in line": (
        "layer-norm", "layer_norm", NORM,
        {
            "made": "self.both = nn.Parameter(torch.cat([torch.ones(d_model), torch.zeros(d_model)]))",
            "named": "gain, shift = self.both.chunk(2)",
        },
    ),
}  # fmt: skip


@pytest.mark.parametrize("style", STYLES)
def test_roles_are_found_by_what_the_parts_do(style, faults):
    id, name, code, parts = STYLES[style]
    (assignment,) = (one for one in ASSIGNMENTS if one.id == id)
    assert faults(assignment, {name: dedent(code).format(**parts)}) == []
