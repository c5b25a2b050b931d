"""Exercise 6: gamma and beta, from what went into a LayerNorm and what came out.

Gamma is compared with that of least squares; beta with the one that belongs to the student's gamma.
"""

import pytest
import torch

from .reference import draw_norm, nearer, normalise, parts_of, recover


@pytest.mark.points(0.75)
def test_gamma_of_exact_tables(candidate, tensors_agree):
    """gamma: for each feature by itself, how much does the output grow where the normalised
    residual grows by one? Some of these are negative."""
    tables = draw_norm(tokens=17, d=6)
    gamma, _ = _two(candidate.function("recover")(*tables))
    assert tensors_agree(gamma, recover(*tables)[0])


@pytest.mark.points(0.75)
def test_beta_belongs_to_gamma(candidate, tensors_agree):
    """beta: for each feature, what comes out where the normalised residual is zero? Its mean over
    the tokens need not be zero, and with noise no single token knows."""
    for noise in (0.0, 0.5):
        tables = draw_norm(tokens=17, d=6, noise=noise)
        assert tensors_agree(*_betas(candidate.function("recover")(*tables), *tables))


@pytest.mark.points(1)
def test_every_token_counts(candidate, tensors_agree):
    """Where the numbers have noise, no line goes through all points of a feature. Which one has the
    smallest sum of squares, and do all tokens take part?"""
    for tokens, d in ((23, 4), (400, 7)):
        residual, exact = draw_norm(tokens, d)
        noisy = exact + 0.5 * torch.randn(tokens, d)
        answers = candidate.function("recover").each((residual, exact), (residual, noisy))
        (own, _), (gamma, _) = map(_two, answers)
        right, expected = (recover(residual, table)[0] for table in (exact, noisy))
        if own.shape == right.shape:  # a factor that is wrong without noise as well costs there
            expected = nearer(gamma, expected, expected * own / right)
        assert tensors_agree(gamma, expected)


@pytest.mark.points(0.25)
def test_fewer_tokens_than_features(candidate, tensors_agree):
    """With few tokens and many features your gamma is another. How many unknowns has the line of
    one feature, and how many points?"""
    tables = draw_norm(tokens=3, d=8)
    gamma, _ = _two(candidate.function("recover")(*tables))
    assert tensors_agree(gamma, recover(*tables)[0])


@pytest.mark.points(0.25)
def test_one_number_a_feature(candidate, noted):
    """Which shapes have gamma and beta in a LayerNorm? One number for each feature, in one axis."""
    residual, normalised = draw_norm(tokens=5, d=4)
    function = candidate.function("recover")
    gamma, beta = _parts(function.unchanged(residual, normalised))
    thrice, _ = _parts(function(residual, 3 * normalised))
    assert gamma.shape != thrice.shape or not torch.allclose(gamma, thrice), (
        "With a norm whose gamma is larger, you recover the same gamma. What do you compute it of?"
    )
    shapes = noted([tuple(part.shape) for part in (gamma, beta)])
    assert shapes == [(4,), (4,)]


def _parts(answer):
    return parts_of(answer, "gamma", "beta")


def _two(answer):
    """gamma and beta, whatever axes of length one they have; another check asks for these."""
    return [part.flatten() for part in _parts(answer)]


def _betas(answer, residual, normalised):
    """The student's beta, and the one that belongs to their gamma, or to the right one."""
    gamma, beta = _two(answer)
    right = recover(residual, normalised)
    if gamma.shape != right[0].shape or not bool((gamma.abs() > 0.01).all()):  # zero: any mean
        return beta, right[1]
    follows = normalised.mean(dim=0) - gamma * normalise(residual).mean(dim=0)
    return beta, nearer(beta, follows, right[1])
