"""Exercise 1: where the parameters of two models sit; each of the ten numbers counts by itself."""

import pytest

from .reference import PARAMETERS

EXACTLY = 12  # digits


@pytest.fixture
def count_agrees(candidate, values_agree):
    """count_agrees("2017", "norms"): whether the student's number is that one, or one of `others`."""

    def ask(model, part, *others):
        answer = candidate.entry("parameters", model, part)
        accepted = PARAMETERS[model][part], *others
        return any(values_agree(answer, number, EXACTLY) for number in accepted)

    return ask


@pytest.mark.points(0.2)
def test_attention_of_2017(count_agrees):
    """Which four matrices has an attention, how large is each, and how many layers are there? Do
    several heads have more numbers than one?"""
    assert count_agrees("2017", "attention")


@pytest.mark.points(0.2)
def test_feed_forward_of_2017(count_agrees):
    """From d_model to d_ff and back: how many matrices is that in each layer?"""
    assert count_agrees("2017", "feed forward")


@pytest.mark.points(0.2)
def test_norms_of_2017(count_agrees):
    """How many norms has a layer of 2017, and how many gains has each? What they add is a bias."""
    assert count_agrees("2017", "norms")


@pytest.mark.points(0.2)
def test_biases_of_2017(count_agrees):
    """Which linear layers had biases in 2017, how long is each, and what does a LayerNorm add?"""
    assert count_agrees("2017", "biases")


@pytest.mark.points(0.2)
def test_embedding_of_2017(count_agrees):
    """How many rows has an embedding, and how long is one? Sines are not learned."""
    assert count_agrees("2017", "embedding")


@pytest.mark.points(0.2)
def test_d_ff_of_today(count_agrees):
    """SwiGLU has a matrix more. How wide may it be, to have as many numbers as ReLU with four times
    d_model? Then round up, to a multiple of 64."""
    assert count_agrees("today", "d_ff")


@pytest.mark.points(0.2)
def test_attention_of_today(count_agrees):
    """Four matrices again: of which size, in how many blocks?"""
    assert count_agrees("today", "attention")


@pytest.mark.points(0.2)
def test_feed_forward_of_today(candidate, count_agrees, answer_or_none):
    """How many matrices has a SwiGLU, how large is each with your d_ff, and how many blocks are
    there?"""
    own = answer_or_none(lambda: int(candidate.entry("parameters", "today", "d_ff")))
    follows = [12 * 3 * 640 * own] if own is not None and own > 640 else []
    assert count_agrees("today", "feed forward", *follows)


@pytest.mark.points(0.2)
def test_norms_of_today(count_agrees):
    """How many norms has a block, what stands behind the last block, and what does an RMSNorm learn?"""
    assert count_agrees("today", "norms")


@pytest.mark.points(0.2)
def test_embedding_of_today(count_agrees):
    """How many rows has this embedding, and how long is one? It is counted once."""
    assert count_agrees("today", "embedding")
