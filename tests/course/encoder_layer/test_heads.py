"""Attention and heads, graded: how weights are kept costs what the statement says of it, no more."""

from functools import partial

import pytest
from sampling import every
from submissions import UNDIAGNOSED, exercise, lost

HEADS = "multi_head_attention"
DEFAULT = "attention_mask: Tensor | None = None"
LEFT_OUT, ALONE = "test_mask_may_be_left_out", "test_output_is_returned_alone"
FOUR_LINEARS = "test_projections_have_no_bias"

BEGIN = """
class MultiHeadAttention(nn.Module):
    def __init__(self, d_model, num_heads, mask_future=False):
        super().__init__()
        if d_model % num_heads:
            raise ValueError("num_heads does not divide d_model")
        self.heads, self.mask_future, d_k = num_heads, mask_future, d_model // num_heads
"""
CALLED = "        self.attention = Attention(mask_future)\n"
FORWARD = """
    def forward(self, query, key, value, attention_mask=None):
        q, k, v = (x.unflatten(-1, (self.heads, -1)).transpose(1, 2) for x in self.project(query, key, value))
        heads = self.attention(q, k, v, attention_mask)
        return self.merge(heads.transpose(1, 2).flatten(-2))
"""
MERGE = """
    def merge(self, x):
        return self.out(x)
"""
OUT = "        self.out = nn.Linear(d_model, d_model, bias=False)\n"


def project(returned: str) -> str:
    return f"\n    def project(self, query, key, value):\n        return {returned}\n"


@pytest.fixture
def grade_cells(grade_cells):
    return partial(grade_cells, limits=UNDIAGNOSED)


def failed(verdict, name: str) -> list[str]:
    return [check.id for check in exercise(verdict, name).checks if not check.passed]


@pytest.mark.parametrize("name", ["attention", HEADS])
def test_a_mandatory_mask_costs_the_check_that_is_there_for_it(grade_cells, solved, name):
    wrong = solved[name].replace(DEFAULT, "attention_mask: Tensor")
    verdict = grade_cells(**{name: wrong})
    assert lost(verdict) == {name: 0.25} and failed(verdict, name) == [LEFT_OUT]


@pytest.mark.parametrize(
    "taken", ["heads, _ = self.attention", "(heads, weights) = self.attention"]
)
def test_weights_beside_the_output_cost_the_attention_a_quarter(grade_cells, solved, taken):
    attention = solved["attention"].replace(
        "return scores.softmax(dim=-1) @ value",
        "weights = scores.softmax(dim=-1)\n        return weights @ value, weights",
    )
    heads = solved[HEADS].replace("heads = self.attention", taken)
    verdict = grade_cells(attention=attention, multi_head_attention=heads)
    assert lost(verdict) == {"attention": 0.25} and failed(verdict, "attention") == [ALONE]


@pytest.mark.parametrize("and_only", ["", " and query.dtype == torch.float32"])
@pytest.mark.parametrize("axes", [3, 4])
def test_attention_in_one_form_costs_the_check_that_asks_for_both(
    grade_cells, solved, axes, and_only
):
    begin = "        scores = query"
    assert begin in solved["attention"]
    asked = f"        assert query.dim() == {axes}{and_only}"
    one_form = solved["attention"].replace(begin, f"{asked}\n{begin}")
    verdict = grade_cells(attention=one_form)
    assert lost(verdict) == {"attention": 0.25}
    assert failed(verdict, "attention") == ["test_both_shapes_work"]


@pytest.mark.parametrize(
    "seen",
    every(
        4,
        [
            "query.size(-2) == key.size(-2)",
            "query.size(-2) == key.size(-2) > 1 and attention_mask is None",
            "query is key",
            "query is key and attention_mask is None",
            "torch.equal(query, value)",
            "query.size(-2) == 1",
            "len(query) == 1",
            "query.size(-2) > key.size(-2)",
        ],
    ),
)
def test_a_condition_on_lengths_is_seen_in_the_attention(grade_cells, solved, seen):
    """Where it is true, the scores are other ones."""
    wrong = solved["attention"].replace(
        "        if self.mask_future",
        f"        if {seen}:\n            scores = scores.sin()\n        if self.mask_future",
    )
    assert wrong != solved["attention"]
    assert [*lost(grade_cells(attention=wrong))] == ["attention"]


@pytest.mark.parametrize(
    "seen",
    every(
        4,
        [
            "query.size(1) == key.size(1)",
            "query.size(1) == key.size(1) and attention_mask is None",
            "query is key",
            "query is value and attention_mask is None",
            "query.size(1) == 1",
            "key.size(1) == 1",
            "len(query) == 1",
            "query.size(1) > key.size(1)",
        ],
    ),
)
def test_a_condition_on_lengths_is_seen_in_the_heads(grade_cells, solved, seen):
    wrong = solved[HEADS].replace(
        "        merged =", f"        heads = heads.sin() if {seen} else heads\n        merged ="
    )
    assert wrong != solved[HEADS]
    assert [*lost(grade_cells(multi_head_attention=wrong))] == [HEADS]


@pytest.mark.parametrize(
    ("made", "projected"),
    [
        (
            "[nn.Linear(d_model, d_model, bias=False) for _ in range(3)]",
            "[p(x) for p, x in zip(self.parts, (query, key, value))]",
        ),
        (
            "{name: nn.Linear(d_model, d_model, bias=False) for name in 'qkv'}",
            "[p(x) for p, x in zip(self.parts.values(), (query, key, value))]",
        ),
        ("[torch.randn(d_model, d_model) for _ in 'qkv']", "[x @ p.to(x) for p, x in zip(self.parts, (query, key, value))]"),
        ("d_model", "[nn.Linear(self.parts, self.parts, bias=False)(x) for x in (query, key, value)]"),
        ("[torch.randn(d_model, d_model)] * 3", "[x + 0 * (x @ p.to(x)) for p, x in zip(self.parts, (query, key, value))]"),
    ],
    ids=["a list", "a dict", "tensors", "made in forward", "not used"],
)  # fmt: skip
@pytest.mark.parametrize("decoys", every(2, [False, True]))
def test_what_no_optimiser_finds_is_seen(grade_cells, made, projected, decoys):
    """Also if four Linear layers stand beside it that nobody calls."""
    own = f"        self.parts = {made}\n" + OUT
    if decoys:
        own += "        self.q, self.k, self.v = (nn.Linear(d_model, d_model, bias=False) for _ in 'qkv')\n"
    cell = BEGIN + own + CALLED + FORWARD + project(projected) + MERGE
    wrong = failed(grade_cells(multi_head_attention=cell), HEADS)
    assert "test_heads_are_split_attended_and_merged" in wrong
    assert decoys or FOUR_LINEARS in wrong


MAPPED = """
    def forward(self, query, key, value, attention_mask=None):
        q, k, v = (x.unflatten(-1, (self.heads, -1)) for x in self.project(query, key, value))
        one_head = torch.vmap(lambda q, k, v: self.attention(q, k, v, attention_mask), 2, 2)
        return self.merge(one_head(q, k, v).flatten(-2))
"""


@pytest.mark.parametrize("attention", ["", "wrong"])
def test_a_broken_attention_costs_mapped_heads_nothing(grade_cells, solved, attention):
    made = "        self.q, self.k, self.v = (nn.Linear(d_model, d_model, bias=False) for _ in 'qkv')\n"
    cell = BEGIN + made + OUT + CALLED + MAPPED + project("self.q(query), self.k(key), self.v(value)") + MERGE  # fmt: skip
    wrong = solved["attention"].replace("dim=-1", "dim=-2") if attention else ""
    verdict = grade_cells(attention=wrong, multi_head_attention=cell)
    assert failed(verdict, HEADS) == []
