"""Winnowing keeps few k-grams, and always one of what two texts share."""

import random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from autograder.staff.look_alikes.fingerprints import Grain, fingerprints, grams

GRAIN = Grain(gram=5, window=4)
GUARANTEED = GRAIN.gram + GRAIN.window - 1  # words of a passage that is found, as the paper proves
WORDS = st.lists(st.sampled_from("a b c d e f".split()), max_size=30)


@given(WORDS, WORDS, WORDS, WORDS, st.lists(st.integers(0, 9), min_size=GUARANTEED, max_size=20))
def test_a_shared_passage_that_is_long_enough_is_found(before, after, other, more, passage):
    shared = [str(number) for number in passage]
    one = fingerprints([*before, *shared, *after], GRAIN)
    two = fingerprints([*other, *shared, *more], GRAIN)
    assert one & two


def test_few_are_kept():
    dice = random.Random(1)
    words = [str(dice.randrange(1_000)) for _ in range(5_000)]
    kept = len(fingerprints(words, GRAIN)) / 5_000
    assert kept == pytest.approx(2 / (GRAIN.window + 1), abs=0.03)  # the paper's density


def test_short_texts_have_one_and_empty_ones_none():
    assert fingerprints(["a", "b"], GRAIN) == {"a b"} and not fingerprints([], GRAIN)
    assert grams(list("abcdef"), 5) == ["a b c d e", "b c d e f"]


def test_every_run_chooses_the_same():
    words = "the order of a set must not change what is kept of this text".split()
    assert fingerprints(words, GRAIN) == {
        "of a set must not",
        "a set must not change",
        "change what is kept of",
        "what is kept of this",
    }
    assert len(fingerprints(words, Grain(5, 1))) == len(words) - 4
