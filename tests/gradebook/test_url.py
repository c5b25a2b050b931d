"""The address of a gradebook is one, or a sentence says why not."""

from contextlib import suppress

from hypothesis import given
from hypothesis.strategies import sampled_from, text

from autograder.gradebook.url import NoGradebook, read_url


@given(sampled_from(("", "postgresql", "postgresql://", "postgresql://a:b@", "sqlite:///")), text())
def test_any_text_is_an_address_or_gets_a_sentence(start, rest):
    with suppress(NoGradebook):
        assert read_url(start + rest).drivername
