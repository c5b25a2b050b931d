"""Different values never share a hash, whatever is moved from one to the next; equal ones always do."""

from hypothesis import example, given
from hypothesis import strategies as st

from autograder.engine.files import digest_of

word = st.text(st.sampled_from('ab\0"\\,[]\ud83d\ude00😀'), max_size=4)
value = st.recursive(
    word | st.booleans() | st.none() | st.integers(0, 3), lambda inner: st.lists(inner, max_size=3)
)


def as_is(values: object) -> object:
    """The values with their kinds: in Python, 1 is True."""
    return [as_is(one) for one in values] if isinstance(values, list) else (type(values), values)


@given(st.lists(value, max_size=4), st.lists(value, max_size=4))
@example(["a\0b", ""], ["a", "b\0"])
@example(["a", "b"], ["ab"])
@example([["a"], "b"], [["a", "b"]])
@example(["\ud83d\ude00"], ["😀"])
@example(['","'], ["", ""])
@example([True], [1])
@example([None], ["null"])
@example([], [[]])
def test_two_lists_of_values_share_a_hash_only_if_they_are_the_same(one, other):
    assert (digest_of(*one) == digest_of(*other)) == (as_is(one) == as_is(other))
