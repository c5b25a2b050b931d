"""What is counted and named in a sentence is said as people say it."""

import pytest

from autograder.engine import name_some, plural


@pytest.mark.parametrize(
    ("words", "said"),
    [
        ((1, "student"), "1 student"),
        ((0, "student"), "0 students"),
        ((2, "student has", "students have"), "2 students have"),
    ],
)
def test_one_is_said_in_another_way_than_several(words, said):
    assert plural(*words) == said


def test_a_dozen_are_named_and_the_others_counted():
    names = [f"s{number:02}" for number in range(14)]
    assert name_some(names[:12]) == ", ".join(names[:12])
    assert name_some(names) == f"{', '.join(names[:12])} and 2 more"
