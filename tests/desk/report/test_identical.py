"""Who handed in the same is told to staff in one line."""

from msgspec.structs import replace
from writers import verdict

from autograder.engine.verdicts import summary_of
from autograder.gradebook.commands.class_table import identical_lines


def of(student, submission, state="answered"):
    """A verdict on what has this hash."""
    made = verdict(student, "softmax", 1.0)
    results = [replace(made.exercises[0], state=state)]
    stamp = replace(made.stamp, submission=submission)
    return summary_of(replace(made, exercises=results, stamp=stamp))


def test_who_handed_in_the_same_is_named_in_one_line():
    them = [of("s1", "a"), of("s2", "b"), of("s3", "a"), of("s4", "c", "error"), of("s5", "a")]
    assert list(identical_lines(them)) == ["3 submissions are identical: s1, s3, s5."]
    assert list(identical_lines([*them, of("s6", "c", "error")])) == [
        "3 submissions are identical: s1, s3, s5.",
        "2 submissions are identical: s4, s6.",
    ]


def test_who_wrote_nothing_is_identical_to_nobody():
    untouched = [of(student, "a", "not_attempted") for student in ("s1", "s2")]
    unreadable = [
        replace(of(student, "b"), state="unreadable", is_attempted=False)
        for student in ("s3", "s4")
    ]
    assert not list(identical_lines([*untouched, *unreadable]))
