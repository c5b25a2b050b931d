"""Exercise 3a: scaled dot-product attention, with an axis for the heads and without. One check asks
for both, all others in the layout that works.

Masks are graded by laws on the student's own answers, so that a wrong scale costs one check only:
what is masked has no more influence than what is not there. And a mask that hides nothing is there
wherever the student's code stops without one: that costs the check which asks for it.
"""

import pytest
import torch

from .layouts import FOUR_AXES, AskedAttention
from .reference import attention, padding
from .relations import answered


@pytest.fixture
def asked(candidate, surroundings):
    """In the layout that works, see `look_around`."""
    return AskedAttention(candidate, surroundings or FOUR_AXES)


@pytest.mark.points(1)
def test_values_are_averaged_with_softmax_of_scaled_scores(asked, laws):
    """For one query: which number is the score of a key divided by, and over which axis do its
    weights add up to 1? Try a query_len that is the key_len, and others."""
    one_head = laws.at(d_k=asked.sizes.d_k + 2, batch=1, heads=1)  # no number fits both
    for each, longer in ((laws, ()), (one_head, asked.longer[:2])):
        each.answers_are(asked.build(), attention, longer)
    assert asked.build().learns(*asked.draw()), (
        "Does gradient arrive at query, key and value? `detach`, `.data` and `no_grad` cut it."
    )


@pytest.mark.points(0.25)
def test_both_shapes_work(candidate, tensors_agree):
    """Query, key and value may have an axis for the heads, or none. Is what your attention answers
    for one head the same in both cases, also with a mask of two axes?"""
    asked = AskedAttention(candidate, FOUR_AXES)
    layer, inputs, sizes = asked.build(), asked.draw(), asked.sizes
    mask, together = padding(sizes.batch, sizes.key_len), answered(layer.each, *inputs)
    heads = [[one[:, head] for one in inputs] for head in range(sizes.heads)]
    alone = layer.each(*heads)
    masked, *masked_alone = layer.each((*inputs, mask), *((*head, mask) for head in heads))
    for four_axes, three_axes in ((together, alone), (masked, masked_alone)):
        assert tensors_agree(four_axes, torch.stack(three_axes, 1))


@pytest.mark.points(0.25)
def test_mask_may_be_left_out(laws):
    """Without an `attention_mask`, and with None for it, what does your attention answer?"""
    laws.mask_may_be_left_out()


@pytest.mark.points(0.25)
def test_output_is_returned_alone(laws):
    laws.output_comes_alone()


@pytest.mark.points(1)
def test_padding_has_no_influence(laws):
    """What weight does a key get where `attention_mask` is 0, exactly? And do the weights of the
    other keys still add up to 1?"""
    laws.padding_is_absent()


@pytest.mark.points(0.25)
def test_boolean_mask_is_as_good_as_integers(laws):
    """What weight does a key get where a boolean `attention_mask` is False, exactly? And do the
    weights of the other keys still add up to 1?"""
    laws.padding_is_absent(torch.bool)


@pytest.mark.points(0.75)
def test_future_mask_hides_later_keys(laws):
    """With `mask_future=True`, which keys may the query at position i attend to, and which without
    it? Does that also hold if there are more keys, or more queries?"""
    laws.later_keys_are_absent()


@pytest.mark.points(0.25)
def test_training_changes_nothing(asked, laws):
    """Why is the answer another in training? Nobody asked for dropout here."""
    layer = asked.build()
    layer.library_calls(*asked.draw())  # for a note to staff: see LIBRARY_PARTS
    laws.training_changes_nothing(layer)
