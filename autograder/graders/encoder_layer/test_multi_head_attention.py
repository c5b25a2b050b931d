"""Exercise 3b: multi-head attention. A stand-in takes the place of `Attention`, so that a broken one costs nothing here.

Masks are graded by laws on the student's own answers: what is masked is as good as not there. And a
mask that hides nothing is there wherever the student's code stops without one.
"""

import math

import pytest

from .heads import AskedHeads
from .own_weights import randomise


@pytest.fixture
def asked(candidate):
    return AskedHeads(candidate)


@pytest.mark.points(1)
def test_projections_have_no_bias(asked, noted, answer_or_none):
    """The projections in the paper are matrices, nothing else. Which argument of `nn.Linear`
    leaves out the bias?"""
    layer = asked.build()
    shapes = {p.identity: p.shape for p in layer.parameters()}.values()
    vectors = [shape for shape in shapes if sum(size > 1 for size in shape) < 2]
    in_vectors, numbers = noted(sum(map(math.prod, vectors))), noted(sum(map(math.prod, shapes)))
    assert not in_vectors
    assert numbers == 4 * asked.sizes.d_model**2, (
        "The statement asks for four projections from d_model to d_model. How many numbers do these "
        "have together, and how many has your layer? `print(layer)` shows what it is made of."
    )
    asked.answered_if_at_all(layer, answer_or_none)


@pytest.mark.points(1)
def test_heads_are_split_attended_and_merged(asked, laws):
    """Which of query, key and value does each projection take? And when the heads are split and
    merged: which d_k features belong to head 0, before and after?"""
    one_head = laws.at(heads=1, d_k=asked.sizes.d_model)
    query_len, key_len = asked.sizes.query_len, asked.sizes.key_len
    for each, longer in ((laws, (query_len, key_len)), (one_head, (query_len, 257))):
        layer, reference = each.asked.build_with_reference()
        each.answers_are(layer, reference, [longer])


@pytest.mark.points(0.25)
def test_mask_may_be_left_out(laws):
    """Without an `attention_mask`, and with None for it, what does your layer answer?"""
    laws.mask_may_be_left_out()


@pytest.mark.points(0.25)
def test_output_is_returned_alone(laws):
    laws.output_comes_alone()


@pytest.mark.points(1)
def test_padding_mask_reaches_every_head(laws, tensors_agree):
    """The mask has shape (batch, key_len) and the scores have an axis for the heads in between.
    Does every head of every sentence see the mask of its own sentence?"""
    layer, calls, answers = laws.padding_is_absent()
    booleans = layer.each(*((*call, mask.bool()) for *call, mask in calls))
    for answer, integers in zip(booleans, answers, strict=True):
        assert tensors_agree(answer, integers), (
            "With a mask of True and False your answer is another than with one of 1 and 0. Why?"
        )


@pytest.mark.points(1)
def test_future_mask_is_handed_on(laws):
    """With `mask_future=True`, which keys may the query at position i attend to, and which without
    it?"""
    laws.later_keys_are_absent()


@pytest.mark.points(0.5)
def test_heads_that_do_not_divide_d_model_are_refused(asked, answer_or_none):
    """What should happen if `num_heads` does not divide `d_model`? The statement asks for a
    `ValueError` when the layer is built."""
    wrong = [(13, 3), (14, 4), (14, 3), (9, 2)]
    right = [(2 * d_model * heads, heads) for d_model, heads in wrong]
    refusals = asked.refusals(*wrong, *right)
    assert {*refusals[: len(wrong)]} <= {"ValueError", "AssertionError"}
    assert {*refusals[len(wrong) :]} == {None}, (
        "Your layer refuses a `num_heads` that does divide `d_model`. Which numbers do you compare?"
    )
    asked.answered_if_at_all(asked.build(), answer_or_none)


@pytest.mark.points(0.5)
def test_training_changes_nothing(asked, laws, tensors_differ):
    """Why does this layer answer differently in training? Nobody asked it for dropout here."""
    layer, call = asked.build(), asked.draw_square()
    before, _ = layer(*call), randomise(layer)
    after = layer(*call)
    assert tensors_differ(before, after), (
        "With other weights in its projections, your layer answers the same. Are they used?"
    )
    laws.training_changes_nothing(layer)


@pytest.mark.points(0.5)
def test_gradient_reaches_every_projection(asked):
    """Does gradient arrive at all four projections, and at query, key and value? Is the graph cut
    by `detach`, `.data` or `no_grad`, or is a projection never used?"""
    layer, call = asked.build(), asked.draw_square()
    layer.library_calls(*call)  # for a note to staff: see LIBRARY_PARTS
    assert layer.learns(*call)
