"""How the experiments of `modern-block` are set up, as its texts and the docstrings of its checks say."""

import re
from unittest import mock

import pytest
import torch
from drawn_figures import WORDS, numbers
from notebook_cells import run
from torch.nn import functional as F

from autograder.authoring.toolbox_file import toolbox_module
from autograder.graders.modern_block import reference

pytestmark = pytest.mark.slow

PARTS = "imports rms_norm swiglu given_attention modern_block"
COUNTED = {  # how many blocks are measured, where it is said
    "depth_goal": " {few} to {many} blocks",
    "depth_guess": "From {few} blocks to {many}: ... Then {deep} blocks without residual",
    "depth_seen_last": "the last block of {many} meets ... that the last of {few} meets",
    "depth_seen_layers": "first and last of {deep} blocks",
    "explain_depth": "in {many} post-norm blocks as in {few}",
    "stream_goal": " {many} of your blocks",
    "stream_guess": "the last of {many} blocks",
    "claims_flow": " {deep} blocks with and without a sum",
}


@pytest.fixture(scope="module")
def space(cells):
    return run(cells, PARTS)


@pytest.fixture
def tables(checks, space, monkeypatch):
    """What is shown as tables, while the notebook's parts are a student's."""
    found: list = []
    monkeypatch.setattr(checks, "table", lambda *table: found.append(table))
    with toolbox_module().notebook_is(space):
        yield found


def test_as_many_blocks_are_measured_as_the_texts_say(cells, checks, tables, monkeypatch):
    few, many, deep = checks.DEPTHS[0], checks.DEPTHS[-1], checks.DEEP
    for cell, sentence in COUNTED.items():
        for words in sentence.format(few=few, many=many, deep=deep).split(" ... "):
            assert words in cells[cell], cell
    asked = []
    monkeypatch.setattr(checks, "stream", lambda blocks, x: asked.append(len(blocks)) or [x] * 20)
    monkeypatch.setattr(checks, "show", lambda *_: None)
    checks.stream_in_depth({"48 blocks": "7"})
    assert set(asked) == {many}
    asked.clear()
    checks.collapse_in_depth({"your blocks": "one"})
    assert f"Behind {WORDS[asked[0]]} layers" in cells["collapse_guess"]


def test_a_sub_layer_returns_about_half_of_what_it_gets(cells, checks, space):
    said = re.search(r"about half the size of what it gets", cells["depth_goal"])
    assert said and said[0] in " ".join(checks.louder.__doc__.split())
    torch.manual_seed(1)
    block, x = checks.louder(space["ModernBlock"](32, 4, 88)), torch.randn(8, 8, 32)
    for answer in (block.attention(x, x, x), block.feed_forward(x)):
        assert 0.4 < checks.size_of(answer) / checks.size_of(x) < 0.7


def test_a_norm_that_gets_half_the_size_doubles_what_comes_back(cells, space):
    assert "a norm that gets half the size doubles what comes back" in cells["depth_seen_layers"]
    assert "backwards it multiplies by one over the size" in cells["claims_flow_seen"]
    x, upstream = torch.randn(2, 3, 32), torch.randn(2, 3, 32)
    whole, half = (
        reference.gradient_by_layer([space["RMSNorm"](32)], size * x, upstream) for size in (1, 0.5)
    )
    assert (half / whole).item() == pytest.approx(2, rel=0.01)


def test_norms_divided_by_the_root_of_l_make_attention_add_squares_like_1_over_l(
    cells, checks, space
):
    said = r"attention like $1, 1/2, 1/3, \ldots$, those of SwiGLU, a product, faster"
    assert said in cells["stream_seen"]
    torch.manual_seed(1)
    block, x = checks.louder(space["ModernBlock"](32, 4, 88)), torch.randn(8, 8, 32)
    attention, swiglu = (
        [checks.size_of(f(x / number**0.5)) ** 2 * number for number in (4, 48)]
        for f in (lambda x: block.attention(x, x, x), block.feed_forward)
    )
    assert attention[1] / attention[0] == pytest.approx(1, abs=0.2)
    assert swiglu[1] / swiglu[0] < 0.3


def test_how_far_tokens_are_apart_is_a_share_of_their_length(cells, checks):
    assert "as a share of their length" in cells["collapse_goal"]
    assert "as a share of their length" in checks.spread.__doc__
    x = torch.randn(2, 8, 32)
    assert checks.spread(3 * x) == pytest.approx(checks.spread(x))
    assert checks.spread(torch.cat([x, x], dim=1)) == pytest.approx(checks.spread(x))


def test_all_matrices_are_divided_by_a_thousand(cells, checks, space, tables):
    assert "All matrices are divided by a thousand" in cells["claims_identity"]
    built, block = [], space["ModernBlock"]

    def new_block(*sizes):
        built.append(block(*sizes))
        built.append([one.clone() for one in built[0].parameters()])
        return built[0]

    checks.returns_x(new_block)
    for weight, before in zip(built[0].parameters(), built[1], strict=True):
        assert torch.allclose(weight * (1000 if weight.dim() > 1 else 1), before)


def test_norms_are_timed_as_it_is_said(cells, checks, tables):
    norm = mock.Mock(wraps=reference.RMSNorm(512))
    checks.times_of_norms(norm, 512)
    ((head, _),) = tables
    (x,) = norm.call_args.args
    assert numbers(head[0]) == [*x.shape] and "RMSNorm(512), 512)" in cells["claims_fast_code"]
    (tries,) = numbers(checks.seconds_of.__doc__)
    assert norm.call_count == tries + 1  # its shape is asked for once


def test_a_change_is_named_at_the_limits_that_are_said(checks):
    _, low, high = numbers(checks.change_in_words.__doc__)
    near = [low - 0.01, low + 0.01, high - 0.01, high + 0.01]
    assert [checks.change_in_words(one, "-", "=", "+") for one in near] == ["-", "=", "=", "+"]


def test_every_claim_has_a_cell_and_an_answer(cells):
    seen = [id for id in cells if re.fullmatch(r"claims_\w+_seen", id)]
    assert f"{WORDS[len(seen)].capitalize()} sentences" in cells["claims_goal"]
    for number, id in enumerate(seen, start=1):
        assert cells[id.removesuffix("_seen")].startswith(f"**{number}. ")


def test_of_ever_more_blocks_less_of_x_is_left(cells, checks):
    shown = run(cells, f"{PARTS} modern_stack modern_stack_picture", checks)["alt"]
    found = [(float(left), int(count)) for left, count in re.findall(r"([\d.]+) with (\d+)", shown)]
    assert shown.startswith("Bars that fall with depth")
    assert [left for left, _ in found] == sorted((left for left, _ in found), reverse=True)
    assert f"1, 2, up to {found[-1][1]} of your blocks" in cells["modern_stack_try"]


def test_blocks_are_asked_as_often_and_as_large_as_it_is_said(cells, checks, tables):
    (most,) = re.findall(r"at most (\d+) times", cells["find_the_block_contract"])
    assert f"asks {most} times at most" in checks.word_for.__doc__

    def asking(times):
        return lambda block, x: [block(x) for _ in range(times)] and checks.PRE

    for times in (int(most), int(most) + 1):
        with mock.patch.dict(toolbox_module().names(), {"kind_of_block": asking(times)}):
            if times > int(most):
                with pytest.raises(AssertionError, match=f"more than {most} times"):
                    checks.word_for(checks.PRE, checks.weak(0.1), torch.randn(1, 2, 8))
            else:
                checks.word_for(checks.PRE, checks.weak(0.1), torch.randn(1, 2, 8))
    checks.tell_the_blocks(reference.kind_of_block)
    ((head, rows),) = tables
    (factor,) = numbers(head[3])
    assert f"to x and to {factor:g} x" in cells["find_the_block_try"]
    torch.manual_seed(1)
    x = torch.randn(2, 3, 8)
    for kind, said, *sizes in rows:
        asked = [checks.size_of(checks.played(kind, checks.weak(0.1))(k * x)) for k in (1, factor)]
        assert said == kind and sizes == [f"{one:.3f}" for one in asked]


def test_sub_layers_are_as_weak_as_the_contract_says(cells, checks):
    assert "at most a tenth of what it gets, of some tokens at least a fiftieth" in " ".join(
        cells["find_the_block_contract"].split()
    )
    torch.manual_seed(1)
    x = F.layer_norm(torch.randn(2, 4, 8), (8,))
    asked = [checks.weak(0.1), checks.weak(0.02), checks.half_of_the_features, checks.in_turns,
             checks.on_the_last_token, checks.without_a_mean, checks.alike_in_all_features]  # fmt: skip
    for sublayer in asked:
        shares = sublayer(x).norm(dim=-1) / x.norm(dim=-1)
        assert 0.99 / 50 < shares.max() < 1.01 / 10, sublayer
    assert "the mean of all squares of a normed x stays 1" in checks.in_turns.__doc__
    assert (x + checks.in_turns(x)).square().mean().item() == pytest.approx(1, abs=1e-4)
    assert "mean 0 and variance 1 *exactly*" in cells["find_the_block_hints"]
    for kind, exact in ((checks.POST, True), (checks.NORMED, False)):
        answer = checks.played(kind, checks.weak(0.1))(100 * x)
        assert (answer.mean(-1).abs().max() < 1e-4) == exact
        assert ((answer.var(-1, correction=0) - 1).abs().max() < 1e-4) == exact
