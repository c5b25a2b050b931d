"""Exercise 3b: multi-head attention. `Attention` is played, so that a broken one costs nothing.

Masks are graded by laws on the student's own answers: what is masked is as good as not there.
"""

import pytest
import torch

from autograder.graders.encoder_layer.reference import MultiHeadAttention, attention, padding, shake

BATCH, QUERY_LEN, KEY_LEN, D_MODEL, HEADS = 2, 5, 7, 12, 3
NO_EFFECT = "With the mask and without it, your answer is the same. Where does the mask act?"


@pytest.mark.points(1)
def test_projections_have_no_bias(candidate):
    layer = _build(candidate, D_MODEL, HEADS)
    shapes = [p.shape for p in {p.identity: p for p in layer.parameters()}.values()]
    assert (D_MODEL,) not in shapes, (
        "The projections in the paper are matrices, nothing else. Which argument of `nn.Linear` "
        "leaves out the bias?"
    )
    assert shapes.count((D_MODEL, D_MODEL)) == 4, (
        "The statement asks for four `nn.Linear` from d_model to d_model, members of the layer. "
        "Which ones does `print(layer)` show?"
    )


@pytest.mark.points(1.5)
def test_heads_are_split_attended_and_merged(candidate, agrees):
    layer, reference = _built(candidate)
    tensors = _tensors()
    assert agrees(layer(*tensors), reference(*tensors)), (
        "Which of query, key and value does each projection take? And when the heads are split and "
        "merged: which d_k features belong to head 0, before and after?"
    )


@pytest.mark.points(1)
def test_padding_mask_reaches_every_head(candidate, agrees):
    layer, _ = _built(candidate)
    (query, key, value), mask = _tensors(), padding(BATCH, KEY_LEN)
    value = torch.where(mask.unsqueeze(-1) == 0, value * 1_000, value)
    answer = layer(query, key, value, mask)
    assert not agrees(answer, layer(query, key, value)), NO_EFFECT
    for sentence in range(BATCH):
        one, kept = slice(sentence, sentence + 1), mask[sentence] != 0
        alone = layer(query[one], key[one][:, kept], value[one][:, kept])
        assert agrees(answer[one], alone), (
            "The mask has shape (batch, key_len) and the scores have an axis for the heads in "
            "between. Does every head of every sentence see the mask of its own sentence?"
        )


@pytest.mark.points(1)
def test_future_mask_is_handed_on(candidate, agrees):
    blind, reference = _built(candidate, True)
    seeing = _build(candidate, D_MODEL, HEADS)
    seeing.load_state_dict(reference.state_dict())
    query, key, value = _tensors(KEY_LEN)
    answer = blind(query, key, value)
    assert not agrees(answer, seeing.eval()(query, key, value)), NO_EFFECT
    for i in range(KEY_LEN):
        alone = seeing(query[:, i : i + 1], key[:, : i + 1], value[:, : i + 1])
        assert agrees(answer[:, i : i + 1], alone), (
            "Can a position attend to a later one with `mask_future=True`, and can it without? "
            "Where does your layer use that argument?"
        )


@pytest.mark.points(0.5)
def test_heads_that_do_not_divide_d_model_are_refused(candidate):
    _build(candidate, D_MODEL, HEADS)  # and these do divide it
    with candidate.stand_in(Attention=_play):
        refusal = candidate.refusal("MultiHeadAttention", D_MODEL + 1, HEADS)
    assert refusal in ("ValueError", "AssertionError"), (
        "What should happen if `num_heads` does not divide `d_model`? The statement asks for a "
        "`ValueError` when the layer is built."
    )


@pytest.mark.points(0.5)
def test_training_changes_nothing(candidate, agrees):
    layer, _ = _built(candidate)
    tensors = _tensors()
    evaluated = layer(*tensors)
    assert not agrees(_built(candidate)[0](*tensors), evaluated), (
        "With other weights in its projections, your layer answers the same. Are they used?"
    )
    assert agrees(layer.train()(*tensors), evaluated), (
        "Why does this layer answer differently in training? Nobody asked it for dropout here."
    )


@pytest.mark.points(0.5)
def test_gradient_reaches_every_projection(candidate):
    layer, _ = _built(candidate)
    _, gradients = layer.gradients(*_tensors(), upstream=torch.randn(BATCH, QUERY_LEN, D_MODEL))
    assert gradients and all(g is not None and bool((g != 0).any()) for g in gradients.values()), (
        "Which of the four projections would learn nothing? Is the graph cut by `detach`, `.data` "
        "or `no_grad` somewhere, or is a projection never used?"
    )


def _play(part, query, key, value, attention_mask=None, *_):
    future = any(argument is True for argument in part.built.values())
    return attention(query, key, value, attention_mask, future)


def _build(candidate, *arguments):
    with candidate.stand_in(Attention=_play):
        return candidate.build("MultiHeadAttention", *arguments)


def _built(candidate, mask_future=False):
    reference = shake(MultiHeadAttention(D_MODEL, HEADS, mask_future))
    layer = _build(candidate, D_MODEL, HEADS, *[True] * mask_future)
    layer.load_state_dict(reference.state_dict())
    return layer.eval(), reference


def _tensors(query_len=QUERY_LEN):
    """Query, key and value are three different tensors."""
    return (
        torch.randn(BATCH, query_len, D_MODEL),
        torch.randn(BATCH, KEY_LEN, D_MODEL),
        torch.randn(BATCH, KEY_LEN, D_MODEL),
    )
