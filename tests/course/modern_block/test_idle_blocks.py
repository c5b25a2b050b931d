"""What an answer earns in `modern-block` from the block on that does nothing, or has only what is given."""

import pytest
from sampling import every
from submissions import UNDIAGNOSED

from autograder import find_assignment

CLASS = """
class {name}(nn.Module):
    def __init__(self, d_model, num_heads, d_ff, num_layers=1):
        super().__init__()
        self.attention = MultiHeadAttention(d_model, num_heads)
        self.linear = nn.Linear(d_model, d_model)

    def forward(self, x, attention_mask=None):
        return {returned}
"""
GRADIENTS = "def gradient_by_layer(blocks, x, upstream):\n    return {returned}\n"
KIND = "def kind_of_block(block, x):\n    return {returned}\n"
NOTHING = {
    CLASS: (
        "x", "x.clone()", "torch.zeros_like(x)", "torch.ones_like(x)", "2 * x", "torch.randn_like(x)",
        "x.mean(-2, keepdim=True).expand_as(x)", "x.softmax(-1)", "F.rms_norm(x, x.shape[-1:])",
        "x + 0 * self.attention(x, x, x)", "self.linear(x)",
    ),
    GRADIENTS: (
        "x.new_zeros(len(blocks))", "x.new_ones(len(blocks))", "torch.rand(len(blocks)).to(x)",
        "upstream.norm() * x.new_ones(len(blocks))", "x.norm().expand(len(blocks))",
        "upstream.norm() * torch.linspace(1, 2, len(blocks)).to(x)", "x",
        "torch.stack([block(x).norm() for block in blocks]).detach()",
    ),
    KIND: (
        "'pre-norm'", "'post-norm'", "'residual from the normed input'", "'no residual'", "''",
        "'pre-norm' if torch.rand(()) < 0.5 else 'no residual'",
    ),
}  # fmt: skip
GIVEN = (
    "self.attention(x, x, x, attention_mask)",
    "x + self.attention(x, x, x, attention_mask)",
    "F.rms_norm(x + self.attention(x, x, x, attention_mask), x.shape[-1:])",
)
BROKEN = "", "return 0 * x", "raise ValueError"
EXERCISES = {
    CLASS: {"modern_block": "ModernBlock", "modern_stack": "ModernStack"},
    GRADIENTS: {"gradient_by_layer": ""},
    KIND: {"find_the_block": ""},
}


@pytest.fixture(scope="session")
def assignment(course):
    return find_assignment("modern-block", course)


@pytest.fixture
def shares(grade_cells):
    """Hand in a cell with what it returns: the share of the points that each exercise earns."""

    def find(cell, returned):
        wanted = EXERCISES[cell]
        cells = {name: cell.format(name=its, returned=returned) for name, its in wanted.items()}
        results = grade_cells(limits=UNDIAGNOSED, **cells).exercises
        return [one.points / one.max_points for one in results if one.id in wanted]

    return find


@pytest.mark.walls
@pytest.mark.parametrize(
    ("cell", "returned"), every(5, [(cell, one) for cell in NOTHING for one in NOTHING[cell]])
)
def test_what_does_nothing_earns_at_most_a_tenth(shares, cell, returned):
    assert max(shares(cell, returned)) <= 1 / 10


@pytest.mark.walls
@pytest.mark.parametrize("returned", every(3, GIVEN))
def test_the_given_attention_earns_at_most_a_third(shares, returned):
    assert max(shares(CLASS, returned)) <= 1 / 3


@pytest.mark.walls
@pytest.mark.parametrize(
    ("part", "broken"),
    every(
        4, [(part, broken) for part in ("rms_norm", "swiglu", "modern_block") for broken in BROKEN]
    ),
)
def test_a_broken_part_costs_nothing_where_it_is_used(grade_cells, assignment, part, broken):
    name = {"rms_norm": "RMSNorm", "swiglu": "SwiGLU", "modern_block": "ModernBlock"}[part]
    lines = f"class {name}(nn.Module):\n    def forward(self, x, attention_mask=None): {broken}\n"
    verdict = grade_cells(
        limits=UNDIAGNOSED, **(assignment.solutions | {part: lines if broken else ""})
    )
    lost = {one.id for one in verdict.exercises if one.points < one.max_points}
    assert lost == {part}
