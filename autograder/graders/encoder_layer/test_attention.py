"""Exercise 3a: scaled dot-product attention, with an axis for the heads and without. One check asks
for both, all others in the layout that works.

Masks are graded by laws on the student's own answers, so that a wrong scale costs one check only:
what is masked has no more influence than what is not there. And a mask that hides nothing is there
wherever the student's code stops without one: that costs the check which asks for it.
"""

from itertools import chain

import pytest
import torch

from .layouts import FOUR_AXES, draw_inputs
from .reference import attention, draw_sizes, padding
from .relations import (
    IN_TRAINING,
    LONG,
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

TWICE = "Asked twice, your attention answers differently. What in it depends on chance?"
AGAIN = "Asked once more, your attention answers differently. Which tensor does it change?"
DEPTH = 80  # how far below 0 kept scores are; their exponential is still a number in float32
NOTHING = "Your answer is zero everywhere, or holds what is no number. Where does that come from?"

NO_EFFECT = "With the mask and without it, your answer is the same. Where does the mask act?"


@pytest.fixture
def layout(surroundings):
    """The layout that works, see `look_around`."""
    return surroundings or FOUR_AXES


@pytest.mark.points(1)
def test_values_are_averaged_with_softmax_of_scaled_scores(candidate, tensors_agree, layout):
    sizes = draw_sizes()
    for one in (sizes, sizes._replace(d_k=sizes.d_k + 2, batch=1, heads=1)):  # no number fits
        layer = _build(candidate)
        calls = [draw_inputs(layout, one, *both) for both in lengths(one)]
        longer = LONGER[:2] if one.heads == 1 else ()
        calls += [loud_ends(*draw_inputs(layout, one, *both)) for both in longer]
        asked = [(*call, everything(call[1])) for call in calls]
        itself = draw_inputs(layout, one, one.d_k)[:1] * 3  # with which a forgotten transpose works
        own, again = layer.each_leniently(*[(*itself, everything(itself[0]))] * 2)
        assert torch.equal(again.nan_to_num(), own.nan_to_num()), TWICE
        calls, answers = [itself, *calls], [own, *layer.each_leniently(*asked)]
        for call, answer in zip(calls, answers, strict=True):
            assert tensors_agree(answer, attention(*call)), (
                "For one query: which number is the score of a key divided by, and over which "
                "axis do its weights add up to 1? Try a query_len that is the key_len, and others."
            )
    assert tensors_agree(layer.leniently(*asked[0], ask=layer.unchanged), answers[1]), AGAIN
    assert layer.leniently(*asked[0], ask=layer.learns), (
        "Does gradient arrive at query, key and value? `detach`, `.data` and `no_grad` cut it."
    )


@pytest.mark.points(0.25)
def test_both_shapes_work(candidate, tensors_agree):
    sizes, layer = draw_sizes(), _build(candidate)
    *inputs, mask = *draw_inputs(FOUR_AXES, sizes), padding(sizes.batch, sizes.key_len)
    together = answered(layer.each_leniently, *inputs, everything(inputs[1]))
    heads = [[one[:, head] for one in inputs] for head in range(sizes.heads)]
    alone = layer.each_leniently(*((*head, everything(head[1])) for head in heads))
    answers = [together, *layer.each((*inputs, mask), *((*head, mask) for head in heads))]
    for four_axes, three_axes in ((answers[0], alone), (answers[1], answers[2:])):
        assert tensors_agree(four_axes, torch.stack(three_axes, 1)), (
            "Query, key and value may have an axis for the heads, or none. Is what your attention "
            "answers for one head the same in both cases, also with a mask of two axes?"
        )


@pytest.mark.points(0.25)
def test_mask_may_be_left_out(candidate, tensors_agree, layout):
    layer, call = _build(candidate), _of_one_length(layout, draw_sizes())
    left_out = answered(layer.each, *call)
    assert tensors_agree(left_out, layer(*call, None)), (
        "Without an `attention_mask`, and with None for it, what does your attention answer?"
    )


@pytest.mark.points(0.25)
def test_output_is_returned_alone(candidate, tensors_agree, layout):
    layer, call = _build(candidate), _of_one_length(layout, draw_sizes())
    answer = layer.leniently(*call, everything(call[1]), ask=layer.alone)
    assert tensors_agree(answer, answer), NOTHING  # no more than zeros, or no numbers
    answered(layer.each_leniently, *call, everything(call[1]))


@pytest.mark.points(1)
def test_padding_has_no_influence(candidate, tensors_agree, tensors_differ, answer_or_none, layout):
    _padding_is_as_good_as_absent(
        candidate, tensors_agree, tensors_differ, answer_or_none, layout, torch.int64
    )


@pytest.mark.points(0.25)
def test_boolean_mask_is_as_good_as_integers(
    candidate, tensors_agree, tensors_differ, answer_or_none, layout
):
    _padding_is_as_good_as_absent(
        candidate, tensors_agree, tensors_differ, answer_or_none, layout, torch.bool
    )


@pytest.mark.points(0.75)
def test_future_mask_hides_later_keys(
    candidate, tensors_agree, tensors_differ, answer_or_none, layout
):
    blind, seeing, sizes = _build(candidate, True), _build(candidate), draw_sizes()
    pairs = (6, 6), (4, 9), (11, 5), (1, 5)
    calls = [draw_inputs(layout, sizes, *both) for both in pairs]
    calls.append(calls[0][:1] * 3)  # self-attention
    calls += [draw_inputs(layout, sizes._replace(batch=1, heads=1), *both) for both in LONGER]
    calls = [(*call, everything(call[1])) for call in calls]
    once, *answers = blind.each_leniently(calls[0], *calls[:5])
    assert torch.equal(answers[0].nan_to_num(), once.nan_to_num()), TWICE
    answers += blind.each_leniently(*calls[5:])  # by itself: only of these may one be too long
    visible = seeing.each_leniently(*calls[:5])
    alone = seeing.each_leniently(*(past for call in calls for past in pasts(*call)))
    for answer, open_to_all in zip(answers, visible, strict=False):
        assert tensors_differ(answer, open_to_all), NO_EFFECT
    for answer in answers:
        some = some_positions(answer)
        past = torch.cat([alone.pop(0) for _ in some], -2)
        assert tensors_agree(answer[..., some, :], past), (
            "With `mask_future=True`, which keys may the query at position i attend to, and "
            "which without it? Does that also hold if there are more keys, or more queries?"
        )
    trained = blind.train().leniently(*with_loud_last(*calls[0]))
    assert is_silent(trained), IN_TRAINING
    calls = [(*call[:3], padding(len(call[3]), call[3].size(1))) for call in calls[:5]]
    alone = answer_or_none(lambda: seeing.each(*(past for c in calls for past in pasts(*c))))
    for both in blind.eval().each(*calls) if alone else ():
        some = some_positions(both)
        past = torch.cat([alone.pop(0) for _ in some], -2)
        assert tensors_agree(both[..., some, :], past), (
            "What happens to a key that is padding and one that is later, if both masks act?"
        )


@pytest.mark.points(0.25)
def test_training_changes_nothing(candidate, tensors_agree, layout):
    layer, call = _build(candidate), _of_one_length(layout, draw_sizes())
    mask = everything(call[1])
    evaluated = answered(layer.each_leniently, *call, mask)
    assert tensors_agree(layer.train().leniently(*call, mask), evaluated), (
        "Why is the answer another in training? Nobody asked for dropout here."
    )


def _padding_is_as_good_as_absent(
    candidate, tensors_agree, tensors_differ, answer_or_none, layout, dtype
):
    sizes, layer = draw_sizes(), _build(candidate)
    query_len, key_len = sizes.query_len, sizes.key_len
    plain = (*draw_inputs(layout, sizes), padding(sizes.batch, key_len).to(dtype))
    some = [_hiding(layout, sizes, dtype), _hiding(layout, sizes, dtype, key_len, key_len)]
    some.append(_hiding(layout, sizes._replace(batch=1, heads=1), dtype, 1, LONG))
    some.append(_hiding(layout, sizes, dtype, key_len, query_len))
    some.append((*plain[1:2] * 3, plain[3]))  # self-attention
    kept = [without_padding(*call) for call in some]
    open_to_all = (*plain[:3], torch.ones_like(plain[3]))
    first = layer.unchanged(*some[0])
    trained = layer.train()(*some[0])
    visible, hidden, *answers = layer.eval().each(open_to_all, plain, *some, *chain(*kept))
    bare = answer_or_none(lambda: layer(*open_to_all[:3]))
    masked, alone = answers[: len(some)], answers[len(some) :]
    assert torch.equal(masked[0].nan_to_num(), first.nan_to_num()), TWICE
    assert tensors_differ(hidden, visible), NO_EFFECT
    assert bare is None or tensors_agree(visible, bare), (
        "A mask that hides nothing changes your answer. What else does it change?"
    )
    for answer, sentences in zip(masked, kept, strict=True):
        assert tensors_agree(answer, torch.cat([alone.pop(0) for _ in sentences])), (
            "What weight does a key get where `attention_mask` is 0, exactly? And do the weights of "
            "the other keys still add up to 1?"
        )
    assert is_silent(trained), IN_TRAINING


def _hiding(layout, sizes, dtype, query_len=None, key_len=None):
    """A call in which every score of a key that is kept is far below that of padding: a weak fill
    hides nothing.
    """
    query, key, value = draw_inputs(layout, sizes, query_len, key_len)
    mask = padding(sizes.batch, key.size(-2))
    hidden = (mask == 0).reshape(sizes.batch, *[1] * (query.dim() - 3), -1, 1)
    low = torch.zeros(sizes.d_k)
    low[0] = (DEPTH * sizes.d_k**0.5) ** 0.5
    query[..., 0] = key[..., 0] = 0  # so that nothing else is in these scores
    query, key = query + low, torch.where(hidden, key, key - low)
    return query, key, torch.where(hidden, LOUD * value, value), mask.to(dtype)


def _build(candidate, *mask_future):
    layer = candidate.build("Attention", *mask_future)
    return layer.expect(lambda query, key, value, *_: (*query.shape[:-1], value.size(-1))).eval()


def _of_one_length(layout, sizes):
    """As many keys as queries, for what has nothing to do with that."""
    return draw_inputs(layout, sizes, sizes.key_len)
