"""Exercise 3b: multi-head attention. A stand-in takes the place of `Attention`, so that a broken one costs nothing here.

Masks are graded by laws on the student's own answers: what is masked is as good as not there.
"""

import pytest
import torch

from .reference import (
    MultiHeadAttention,
    attention,
    draw_sizes,
    padding,
    shake,
)

LOUD = 1e20  # what is hidden: any weight but 0 would be heard
NO_EFFECT = "With the mask and without it, your answer is the same. Where does the mask act?"


@pytest.mark.points(1)
def test_projections_have_no_bias(candidate, noted):
    sizes = draw_sizes()
    layer = _build(candidate, sizes.d_model, sizes.heads)
    shapes = noted(sorted({p.identity: p.shape for p in layer.parameters()}.values()))
    assert (sizes.d_model,) not in shapes, (
        "The projections in the paper are matrices, nothing else. Which argument of `nn.Linear` "
        "leaves out the bias?"
    )
    assert shapes.count((sizes.d_model, sizes.d_model)) == 4, (
        "The statement asks for four `nn.Linear` from d_model to d_model, members of the layer. "
        "Which ones does `print(layer)` show?"
    )


@pytest.mark.points(1.5)
def test_heads_are_split_attended_and_merged(candidate, tensors_agree):
    for heads in (None, 1):
        layer, reference, tensors = _built(candidate, heads=heads)
        assert tensors_agree(layer.strictly(*tensors), reference(*tensors)), (
            "Which of query, key and value does each projection take? And when the heads are split "
            "and merged: which d_k features belong to head 0, before and after?"
        )


@pytest.mark.points(1)
def test_padding_mask_reaches_every_head(candidate, tensors_agree, tensors_differ):
    layer, _, (query, key, value) = _built(candidate, strict=False)
    mask = padding(*key.shape[:2])
    loud = torch.where(mask.unsqueeze(-1) == 0, value * LOUD, value)
    answer = layer.unchanged(query, key, loud, mask)
    calls = []
    for sentence in range(len(query)):
        one, kept = slice(sentence, sentence + 1), mask[sentence] != 0
        calls.append((query[one], key[one][:, kept], loud[one][:, kept], mask[one][:, kept]))
    open_to_all, *alone = layer.each((query, key, loud, torch.ones_like(mask)), *calls)
    assert tensors_differ(answer, open_to_all), NO_EFFECT
    assert tensors_agree(answer, torch.cat(alone)), (
        "The mask has shape (batch, key_len) and the scores have an axis for the heads in "
        "between. Does every head of every sentence see the mask of its own sentence?"
    )
    assert tensors_agree(layer.unchanged(query, key, loud, mask.bool()), answer), (
        "With a mask of True and False your answer is another than with one of 1 and 0. Why?"
    )


@pytest.mark.points(1)
def test_future_mask_is_handed_on(candidate, tensors_agree, tensors_differ, answer_or_none):
    blind, reference, (query, key, value) = _built(candidate, mask_future=True, strict=False)
    seeing = _build(candidate, reference.query_transform.in_features, reference.num_heads).eval()
    seeing.load_state_dict(reference.state_dict(), strict=False)
    mask = padding(*key.shape[:2])
    everything = torch.ones_like(mask)
    answer = blind.leniently(query, key, value, everything)
    both = answer_or_none(lambda: blind(query, key, value, mask))
    some = [0, query.size(1) // 2, query.size(1) - 1]
    past = [(query[:, i : i + 1], key[:, : i + 1], value[:, : i + 1]) for i in some]
    calls = [(*one, everything[:, : one[1].size(1)]) for one in past]
    open_to_all, *alone = seeing.each_leniently((query, key, value, everything), *calls)
    assert tensors_differ(answer, open_to_all), (
        "With `mask_future=True` and without, your answer is the same. Where is it used?"
    )
    assert tensors_agree(answer[:, some], torch.cat(alone, 1)), (
        "With `mask_future=True`, which keys may the query at position i attend to, and which "
        "without it?"
    )
    if both is not None:
        alone = seeing.each(*((*one, mask[:, : one[1].size(1)]) for one in past))
        assert tensors_agree(both[:, some], torch.cat(alone, 1)), (
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
    layer, reference, (query, *_) = _built(candidate, strict=False)
    tensors, mask = (query, query, query), torch.ones(query.shape[:2], dtype=torch.int64)
    before = layer.leniently(*tensors, mask)
    layer.load_state_dict(shake(reference).state_dict(), strict=False)
    evaluated = layer.leniently(*tensors, mask)
    assert tensors_differ(before, evaluated), (
        "With other weights in its projections, your layer answers the same. Are they used?"
    )
    assert tensors_agree(layer.train().leniently(*tensors, mask), evaluated), (
        "Why does this layer answer differently in training? Nobody asked it for dropout here."
    )


@pytest.mark.points(0.5)
def test_gradient_reaches_every_projection(candidate):
    layer, _, tensors = _built(candidate, strict=False)
    assert layer.learns(*tensors, torch.ones(tensors[1].shape[:2], dtype=torch.int64)), (
        "Does gradient arrive at all four projections, and at query, key and value? Is the graph "
        "cut by `detach`, `.data` or `no_grad`, or is a projection never used?"
    )


def _play(part, query, key, value, attention_mask=None):
    future = any(
        value is True or (value and ("future" in name or "causal" in name))
        for name, value in part.built.items()
    )
    return attention(query, key, value, attention_mask, future)


def _build(candidate, *arguments):
    with candidate.stand_in(Attention=_play):
        layer = candidate.build("MultiHeadAttention", *arguments)
    return layer.expect(lambda query, *_: query.shape)


def _built(candidate, heads=None, mask_future=False, strict=True):
    """A layer with a reference's weights; query, key and value are three different tensors."""
    sizes = draw_sizes()
    heads = heads or sizes.heads
    reference = shake(MultiHeadAttention(sizes.d_model, heads, mask_future))
    layer = _build(candidate, sizes.d_model, heads, *[True] * mask_future)
    layer.load_state_dict(reference.state_dict(), strict)
    lengths = sizes.query_len, sizes.key_len, sizes.key_len
    tensors = [torch.randn(sizes.batch, length, sizes.d_model) for length in lengths]
    return layer.eval(), reference, tensors
