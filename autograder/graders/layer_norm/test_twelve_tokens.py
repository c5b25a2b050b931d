"""Exercise 5: what follows attention in an encoder layer, from tables of numbers.

Each of the three outputs is graded by itself: what follows from a wrong one before it is right.
"""

import pytest
import torch

from .reference import draw_tail, encoder_tail, follow, nearer, parts_of


@pytest.mark.points(1.25)
def test_feed_forward_acts_on_each_token(candidate, tensors_agree):
    """The first output, ffn: follow one token through the equation. Which weights come first, where
    is each bias added, and where does the ReLU act?"""
    for tail in (draw_tail(), draw_tail(tokens=1)):
        ffn, _, _ = _three(candidate.function("encoder_tail")(*tail))
        assert tensors_agree(ffn, encoder_tail(*tail)[0])


@pytest.mark.points(0.75)
def test_residual_adds_the_input(candidate, tensors_agree):
    """The second output, residual: which two tensors are added, and is either used twice, or
    changed before?"""
    tail = draw_tail()
    own, residual, _ = _three(candidate.function("encoder_tail")(*tail))
    right = encoder_tail(*tail)[1]
    expected = nearer(residual, follow(tail.x, own), right) if _is_made(own, tail) else right
    assert tensors_agree(residual, expected)


@pytest.mark.points(1.5)
def test_normalised_is_each_token_by_itself(candidate, tensors_agree):
    """The third output, normalised: over which axis are mean and variance taken, of which tensor,
    by how many is the sum of squares divided, and what do gamma and beta do at the end?"""
    for tail in (draw_tail(), draw_tail(tokens=1)):
        _, own, normalised = _three(candidate.function("encoder_tail")(*tail))
        residual = own if _is_made(own, tail) else encoder_tail(*tail)[1]
        assert tensors_agree(normalised, _normalised(normalised, residual, tail))


@pytest.mark.points(0.25)
def test_eps_stands_under_the_root(candidate, tensors_agree):
    """Tokens whose features hardly differ come out otherwise. What is added to the variance, how
    large is it, and before or after the root?"""
    tail = draw_tail(size=1e-3)  # a variance that eps is not small beside
    _, own, normalised = _three(candidate.function("encoder_tail")(*tail))
    assert tensors_agree(normalised, _normalised(normalised, own, tail))


@pytest.mark.points(0.25)
def test_tables_are_not_changed(candidate):
    """One of the three is x as it came in, or the same number everywhere. What do you compute of
    it?"""
    tail = draw_tail()
    made = _three(candidate.function("encoder_tail").unchanged(*tail))
    assert all(_is_made(one, tail) for one in made)


def _three(answer):
    return parts_of(answer, "ffn", "residual", "normalised")


def _is_made(own, tail):
    """Whether something is computed: a table that is not x itself, nor the same number everywhere."""
    return _differs(own, tail.x) and not torch.equal(own, tail.x)


def _differs(own, right):
    """Whether a table's features differ from each other, so that something follows from it."""
    return own.shape != right.shape or bool((own.std(-1) > 0.01 * right.std(-1)).all())


def _normalised(answer, residual, tail):
    """What follows from the student's own residual, or from the right one."""
    right = encoder_tail(*tail)[1]
    fits = residual.shape == right.shape and _differs(residual, right)
    own = residual if fits else right
    return nearer(answer, *(tail.normalise(table) for table in (own, right)))
