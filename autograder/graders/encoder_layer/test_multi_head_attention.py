"""Exercise 3b: multi-head attention. A stand-in takes the place of `Attention`, so that a broken one costs nothing here.

Masks are graded by laws on the student's own answers: what is masked is as good as not there. And a
mask that hides nothing is there wherever the student's code stops without one.
"""

import contextlib
import math
from itertools import chain

import pytest
import torch

from .own_weights import NotFound, are_linears, load_student_weights, randomise
from .reference import (
    MultiHeadAttention,
    attention,
    draw_sizes,
    padding,
    shake,
)
from .relations import (
    IN_TRAINING,
    LONG_FOR_PARTS,
    LONGER,
    LOUD,
    answered,
    everything,
    is_silent,
    lengths,
    loud_ends,
    pasts,
    some_positions,
    with_loud_last,
    without_padding,
)

TRIES = {torch.float64: 1, torch.float32: 4}  # at telling weights apart: rounding hides some
TWICE = "Asked twice, your layer answers differently. What in it depends on chance?"
AGAIN = "Asked once more, your layer answers differently. Which tensor does it change?"
NOTHING = "Your answer is zero everywhere, or holds what is no number. Where does that come from?"
NO_EFFECT = "With the mask and without it, your answer is the same. Where does the mask act?"


@pytest.mark.points(1)
def test_projections_have_no_bias(candidate, noted, answer_or_none):
    layer, sizes = _build(candidate, draw_sizes())
    shapes = {p.identity: p.shape for p in layer.parameters()}.values()
    vectors = [shape for shape in shapes if sum(size > 1 for size in shape) < 2]
    in_vectors, numbers = noted(sum(map(math.prod, vectors))), noted(sum(map(math.prod, shapes)))
    assert not in_vectors, (
        "The projections in the paper are matrices, nothing else. Which argument of `nn.Linear` "
        "leaves out the bias?"
    )
    assert numbers == 4 * sizes.d_model**2, (
        "The statement asks for four projections from d_model to d_model. How many numbers do these "
        "have together, and how many has your layer? `print(layer)` shows what it is made of."
    )
    call = _tensors(sizes, sizes.key_len)
    if answer_or_none(lambda: layer(*call)) is not None:
        answered(layer.each, *call)


@pytest.mark.points(1)
def test_heads_are_split_attended_and_merged(candidate, tensors_agree):
    for heads in (None, 1):
        layer, reference, sizes = _loaded(candidate, heads)
        calls = [_tensors(sizes, *both) for both in lengths(sizes)]
        key_len = LONG_FOR_PARTS if heads else None
        calls.append(loud_ends(*_tensors(sizes._replace(batch=1), None, key_len)))
        asked = [(*call, everything(call[1])) for call in calls]
        itself = (
            _tensors(sizes, sizes.d_k)[:1] * 3
        )  # a length with which a forgotten transpose works
        own, again = layer.each_leniently(*[(*itself, everything(itself[0]))] * 2)
        assert torch.equal(again.nan_to_num(), own.nan_to_num()), TWICE
        calls, answers = [itself, *calls], [own, *layer.each_leniently(*asked)]
        for call, answer in zip(calls, answers, strict=True):
            assert tensors_agree(answer, reference(*call)), (
                "Which of query, key and value does each projection take? And when the heads are "
                "split and merged: which d_k features belong to head 0, before and after?"
            )
        again = layer.leniently(*asked[0], ask=layer.unchanged)
        assert tensors_agree(again, answers[1]), AGAIN


@pytest.mark.points(0.25)
def test_mask_may_be_left_out(candidate, tensors_agree):
    layer, sizes = _build(candidate, draw_sizes())
    tensors = _tensors(sizes, sizes.key_len)
    left_out = answered(layer.each, *tensors)
    assert tensors_agree(left_out, layer(*tensors, None)), (
        "Without an `attention_mask`, and with None for it, what does your layer answer?"
    )


@pytest.mark.points(0.25)
def test_output_is_returned_alone(candidate, tensors_agree):
    layer, sizes = _build(candidate, draw_sizes())
    tensors = _tensors(sizes, sizes.key_len)
    mask = everything(tensors[1])
    answer = layer.leniently(*tensors, mask, ask=layer.alone)
    assert tensors_agree(answer, answer), NOTHING  # no more than zeros, or no numbers
    answered(layer.each_leniently, *tensors, mask)


@pytest.mark.points(1)
def test_padding_mask_reaches_every_head(candidate, tensors_agree, tensors_differ):
    layer, sizes = _build(candidate, draw_sizes())
    query_len, key_len = sizes.query_len, sizes.key_len
    some = [_hiding(sizes), _hiding(sizes, key_len, key_len)]
    some += [
        _hiding(sizes._replace(batch=1), 1, LONG_FOR_PARTS),
        _hiding(sizes, key_len, query_len),
    ]
    some.append((*some[0][:1] * 3, padding(sizes.batch, query_len)))  # self-attention
    trained = layer.train()(*some[0])
    once, again = layer.eval().each(some[0], some[0])
    assert torch.equal(again.nan_to_num(), once.nan_to_num()), TWICE
    kept = [without_padding(*call) for call in some]
    open_to_all = (*some[0][:3], everything(some[0][1]))
    visible, *answers = layer.each(open_to_all, *some, *chain(*kept))
    masked, alone = answers[: len(some)], answers[len(some) :]
    assert tensors_differ(masked[0], visible), NO_EFFECT
    for answer, sentences in zip(masked, kept, strict=True):
        assert tensors_agree(answer, torch.cat([alone.pop(0) for _ in sentences])), (
            "The mask has shape (batch, key_len) and the scores have an axis for the heads in "
            "between. Does every head of every sentence see the mask of its own sentence?"
        )
    booleans = [(*call[:3], call[3].bool()) for call in some]
    again = [layer.unchanged(*some[0]), *layer.each(*booleans)]
    for answer, integers in zip(again, masked[:1] + masked, strict=True):
        assert tensors_agree(answer, integers), (
            "With a mask of True and False your answer is another than with one of 1 and 0. Why?"
        )
    assert is_silent(trained), IN_TRAINING


@pytest.mark.points(1)
def test_future_mask_is_handed_on(candidate, tensors_agree, tensors_differ, answer_or_none):
    seeing, sizes = _build(candidate, draw_sizes())
    blind, _ = _build(candidate, sizes, True, like=seeing)
    calls = [_tensors(sizes, *both) for both in lengths(sizes)[:4]]
    calls.append(calls[0][:1] * 3)  # self-attention
    one = sizes._replace(batch=1)
    calls += [_tensors(one, 1, LONG_FOR_PARTS), _tensors(one, *LONGER[-1])]
    calls = [(*call, everything(call[1])) for call in calls]
    once, *answers = blind.each_leniently(calls[0], *calls[:-2])
    assert torch.equal(answers[0].nan_to_num(), once.nan_to_num()), TWICE
    answers += blind.each_leniently(*calls[-2:])  # by themselves: only these may be too long
    visible = seeing.each_leniently(calls[0])[0]
    alone = seeing.each_leniently(*(past for call in calls for past in pasts(*call)))
    assert tensors_differ(answers[0], visible), (
        "With `mask_future=True` and without, your answer is the same. Where is it used?"
    )
    for answer in answers:
        some = some_positions(answer)
        assert tensors_agree(answer[:, some], torch.cat([alone.pop(0) for _ in some], 1)), (
            "With `mask_future=True`, which keys may the query at position i attend to, and which "
            "without it?"
        )
    trained = blind.train().leniently(*with_loud_last(*calls[0]))
    assert is_silent(trained), IN_TRAINING
    calls = [(*call[:3], padding(*call[1].shape[:2])) for call in calls[:2]]
    alone = answer_or_none(lambda: seeing.each(*(past for c in calls for past in pasts(*c))))
    for both in blind.eval().each(*calls) if alone else ():
        some = some_positions(both)
        assert tensors_agree(both[:, some], torch.cat([alone.pop(0) for _ in some], 1)), (
            "What happens to a key that is padding and one that is later, if both masks act?"
        )


@pytest.mark.points(0.5)
def test_heads_that_do_not_divide_d_model_are_refused(candidate):
    wrong = [(13, 3), (14, 4), (14, 3), (9, 2)]
    right = [(2 * d_model * heads, heads) for d_model, heads in wrong]
    with candidate.stand_in(Attention=_play):
        refusals = candidate.refusals("MultiHeadAttention", *wrong, *right)
    assert {*refusals[: len(wrong)]} <= {"ValueError", "AssertionError"}, (
        "What should happen if `num_heads` does not divide `d_model`? The statement asks for a "
        "`ValueError` when the layer is built."
    )
    assert {*refusals[len(wrong) :]} == {None}, (
        "Your layer refuses a `num_heads` that does divide `d_model`. Which numbers do you compare?"
    )


@pytest.mark.points(0.5)
def test_training_changes_nothing(candidate, tensors_agree, tensors_differ):
    layer, sizes = _build(candidate, draw_sizes())
    query, *_ = _tensors(sizes)
    call = (query, query, query, everything(query))
    before = answered(layer.each_leniently, *call)
    randomise(layer)
    evaluated = layer.leniently(*call)
    assert tensors_differ(before, evaluated), (
        "With other weights in its projections, your layer answers the same. Are they used?"
    )
    assert tensors_agree(layer.train().leniently(*call), evaluated), (
        "Why does this layer answer differently in training? Nobody asked it for dropout here."
    )


@pytest.mark.points(0.5)
def test_gradient_reaches_every_projection(candidate):
    layer, sizes = _build(candidate, draw_sizes())
    tensors = _tensors(sizes, sizes.key_len)
    assert layer.leniently(*tensors, everything(tensors[1]), ask=layer.learns), (
        "Does gradient arrive at all four projections, and at query, key and value? Is the graph "
        "cut by `detach`, `.data` or `no_grad`, or is a projection never used?"
    )


def _play(part, query, key, value, attention_mask=None):
    future = any(
        value is True or (value and ("future" in name or "causal" in name))
        for name, value in part.built.items()
    )
    return attention(query, key, value, attention_mask, future)


def _build(candidate, sizes, mask_future=False, like=None):
    """A layer with random weights, or those of another, and its sizes."""
    with candidate.stand_in(Attention=_play):
        arguments = (sizes.d_model, sizes.heads, *[True] * mask_future)
        layer = candidate.build("MultiHeadAttention", *arguments)
    randomise(*([like] if like else []), layer)
    return layer.expect(lambda query, *_: query.shape).eval(), sizes


def _loaded(candidate, heads):
    """A layer and a reference with the same weights, and their sizes; heads: None for any number."""
    sizes = draw_sizes()
    sizes = sizes._replace(heads=heads, d_k=sizes.d_model) if heads else sizes
    layer, _ = _build(candidate, sizes)
    reference = shake(MultiHeadAttention(sizes.d_model, sizes.heads))
    if are_linears(layer, sizes.d_model) or not _find_weights(reference, layer):
        layer.load_state_dict(reference.state_dict())
    return layer, reference, sizes


def _find_weights(reference, layer):
    """Load the layer's weights into the reference; return whether they were found."""
    for _ in range(TRIES[torch.get_default_dtype()]):
        with contextlib.suppress(NotFound):
            load_student_weights(reference, layer)
            return True
    return False


def _tensors(sizes, query_len=None, key_len=None):
    """Query, key and value, three different tensors."""
    query_len, key_len = query_len or sizes.query_len, key_len or sizes.key_len
    return tuple(
        torch.randn(sizes.batch, length, sizes.d_model) for length in (query_len, key_len, key_len)
    )


def _hiding(sizes, query_len=None, key_len=None):
    """A call in which any weight on padding would be heard."""
    query, key, value = _tensors(sizes, query_len, key_len)
    mask = padding(*key.shape[:2])
    return query, key, torch.where(mask.unsqueeze(-1) == 0, value * LOUD, value), mask
