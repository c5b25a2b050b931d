"""Exercise 9: find the block, by an experiment of the student's own. The blocks are played here, and never
are in its process.

An experiment that answers always the same gets nothing: each check also plays a block of another kind, of
which the word is not true. x may be a stream that is normed already, or one token.
"""

import pytest
import torch

from .players import D_MODEL, NONE, NORMED, POST, PRE, SUB_LAYERS, block, norm, of_the_last_token

OF_ANOTHER = (
    "What does your experiment say of a block of quite another kind? Which of the four return something "
    "as small as a tenth of a normed token?"
)


@pytest.fixture
def is_called(says, values_agree):
    """is_called(kind, *sub_layers): whether blocks of this kind are called so, and another one is not."""

    def ask(kind, *sub_layers, unchanged=False):
        x = torch.randn(3, 4, D_MODEL) * torch.rand(3, 4, 1).add(0.5) + 0.3
        other = PRE if kind == NONE else NONE
        calls = [(x, [block(kind, one()) for one in sub_layers])]
        normed = [block(kind, one()) for one in sub_layers[:2]]
        calls += [(norm(x), normed), (norm(x[:1, :1]), normed[1:])]  # normed already; one token
        for stream, blocks in calls:
            *said, of_another = says(
                stream, *blocks, block(other, sub_layers[0]()), unchanged=unchanged
            )
            assert not values_agree(of_another, kind), OF_ANOTHER
            if not values_agree(said, [kind] * len(said)):
                return False
        return True

    return ask


@pytest.mark.points(0.75)
def test_pre_norm_is_found(is_called):
    """In a pre-norm block the stream comes through as it is, of whatever size. Which x shows that, also
    when the x that your function is handed has been normed already?"""
    assert is_called(PRE, *SUB_LAYERS)


@pytest.mark.points(0.75)
def test_post_norm_is_found(is_called):
    """What comes out of a norm has mean 0 and variance 1, whatever went in. Is that so for each token,
    and how far off do you allow it to be?"""
    assert is_called(POST, *SUB_LAYERS)


@pytest.mark.points(0.75)
def test_residual_from_the_normed_input_is_found(is_called):
    """A normed token, and what a sub-layer adds to it: by how much do its mean and its variance miss 0
    and 1, at least for one of the tokens?"""
    assert is_called(NORMED, *SUB_LAYERS, of_the_last_token)


@pytest.mark.points(0.5)
def test_a_missing_residual_is_found(is_called):
    """Without a residual only the sub-layer's answer comes out. How large may that be, beside a normed
    token?"""
    assert is_called(NONE, *SUB_LAYERS)


@pytest.mark.points(0.25)
def test_x_stays_as_it_is(is_called):
    """What does your experiment say of a block of which there is no doubt?"""
    assert is_called(PRE, *SUB_LAYERS[:2], unchanged=True)
