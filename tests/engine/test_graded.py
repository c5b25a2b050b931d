"""What is said of an exception can be written anywhere."""

from autograder.engine.grading import describe_error
from autograder.engine.grading.graded import LONGEST_REASON


def test_an_error_is_named_in_a_line_that_can_be_written():
    class Mute(Exception):
        def __str__(self):
            raise RuntimeError

    assert describe_error(Mute()) == "Mute"
    assert describe_error(ValueError("one\ntwo")) == "ValueError: one"
    long = describe_error(ValueError("\x1b\ud800" * 1_000))
    assert long.startswith(r"ValueError: \x1b\ud800") and len(long) == LONGEST_REASON
