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
INSIDE = """
    def attention(self, query, key, value, mask):
        scores = query @ key.mT / query.size(-1) ** 0.5
        if mask is not None:
            scores = scores.masked_fill(mask[:, None, None] == 0, -1e9)
        if self.mask_future:
            scores = scores.masked_fill(torch.ones_like(scores).triu(1) == 1, -1e9)
        return scores.softmax(-1) @ value
"""
MERGE = """
    def merge(self, x):
        return self.out(x)
"""
OUT = "        self.out = nn.Linear(d_model, d_model, bias=False)\n"


def project(returned: str) -> str:
    return f"\n    def project(self, query, key, value):\n        return {returned}\n"


KEPT = {
    "one Linear for each head": (
        "        one = lambda: nn.ModuleList(nn.Linear(d_model, d_k, bias=False) for _ in range(num_heads))\n"
        "        self.q, self.k, self.v = one(), one(), one()\n" + OUT,
        project(
            "[torch.cat([p(x) for p in ps], -1) for ps, x in ((self.q, query), (self.k, key), (self.v, value))]"
        )
        + MERGE,
    ),
    "heads one after another": (
        "        self.parts = nn.ModuleList(nn.Linear(d_model, d_k, bias=False) for _ in range(3 * num_heads))\n"
        + OUT,
        project(
            "[torch.cat([p(x) for p in self.parts[i::3]], -1) for i, x in enumerate((query, key, value))]"
        )
        + MERGE,
    ),
    "one fused matrix": (
        "        self.qkv = nn.Linear(d_model, 3 * d_model, bias=False)\n" + OUT,
        project("[F.linear(x, w) for x, w in zip((query, key, value), self.qkv.weight.chunk(3))]")
        + MERGE,
    ),
    "fused, the key first, head by head": (
        "        self.kqv = nn.Linear(d_model, 3 * d_model, bias=False)\n" + OUT,
        project(
            "[F.linear(x, self.kqv.weight.unflatten(0, (self.heads, 3, -1))[:, i].flatten(0, 1)) for i, x in ((1, query), (0, key), (2, value))]"
        )
        + MERGE,
    ),
    "key and value fused": (
        "        self.kv = nn.Linear(d_model, 2 * d_model, bias=False)\n"
        "        self.q = nn.Linear(d_model, d_model, bias=False)\n" + OUT,
        project("[self.q(query), self.kv(key).chunk(2, -1)[0], self.kv(value).chunk(2, -1)[1]]")
        + MERGE,
    ),
    "parameters of three axes": (
        "        self.W = nn.ParameterList(nn.Parameter(torch.randn(num_heads, d_model, d_k) * d_model**-0.5) for _ in range(3))\n"
        "        self.O = nn.Parameter(torch.randn(num_heads, d_k, d_model) * d_model**-0.5)\n",
        project(
            "[torch.einsum('bsd,hdk->bshk', x, w).flatten(2) for x, w in zip((query, key, value), self.W)]"
        )
        + "\n    def merge(self, x):\n        return torch.einsum('bshk,hkd->bsd', x.unflatten(-1, (self.heads, -1)), self.O)\n",
    ),
    "parameters of three axes, transposed": (
        "        self.W = nn.Parameter(torch.randn(3, num_heads, d_k, d_model) * d_model**-0.5)\n"
        "        self.O = nn.Parameter(torch.randn(d_model, num_heads, d_k) * d_model**-0.5)\n",
        project(
            "[torch.einsum('bsd,hkd->bshk', x, w).flatten(2) for x, w in zip((query, key, value), self.W)]"
        )
        + "\n    def merge(self, x):\n        return torch.einsum('bshk,dhk->bsd', x.unflatten(-1, (self.heads, -1)), self.O)\n",
    ),
}


@pytest.fixture
def grade_cells(grade_cells):
    return partial(grade_cells, limits=UNDIAGNOSED)


def failed(verdict, name: str) -> list[str]:
    return [check.id for check in exercise(verdict, name).checks if not check.passed]


@pytest.mark.long
@pytest.mark.parametrize(
    ("inside", "seed"), [(False, 1), (True, 2)], ids=["an Attention", "attention inside"]
)
@pytest.mark.parametrize("kept", KEPT)
def test_how_weights_are_kept_costs_nothing(grade_cells, kept, inside, seed):
    made, used = KEPT[kept]
    cell = BEGIN + made + ("" if inside else CALLED) + FORWARD + used + (INSIDE if inside else "")
    verdict = grade_cells(seed=seed, multi_head_attention=cell)
    assert failed(verdict, HEADS) == [] and not lost(verdict)


@pytest.mark.long
@pytest.mark.parametrize("kept", KEPT)
@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("self.project(query, key, value))", "self.project(query, key, key))"),
        ("heads = self.attention(q, k, v", "heads = self.attention(q, k, v[:, :1].expand_as(v)"),
        ("return self.merge(", "return self.merge(query + "),
        (".transpose(1, 2).flatten(-2)", ".reshape(query.shape)"),
    ],
)
def test_however_weights_are_kept_mistakes_are_seen(grade_cells, kept, old, new):
    made, used = KEPT[kept]
    cell = BEGIN + made + CALLED + FORWARD + used
    assert old in cell
    verdict = grade_cells(multi_head_attention=cell.replace(old, new))
    assert "test_heads_are_split_attended_and_merged" in failed(verdict, HEADS)


@pytest.mark.parametrize("name", ["attention", HEADS])
def test_a_mandatory_mask_costs_the_check_that_is_there_for_it(grade_cells, solved, name):
    wrong = solved[name].replace(DEFAULT, "attention_mask: Tensor")
    verdict = grade_cells(**{name: wrong})
    assert lost(verdict) == {name: 0.25} and failed(verdict, name) == [LEFT_OUT]


@pytest.mark.parametrize("kept", every(4, KEPT))
def test_a_mandatory_mask_costs_no_more_whatever_keeps_the_weights(grade_cells, kept):
    made, used = KEPT[kept]
    inside = INSIDE.replace("if mask is not None:", "if True:")
    cell = BEGIN + made + FORWARD + used + inside
    assert failed(grade_cells(multi_head_attention=cell), HEADS) == [LEFT_OUT]


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
