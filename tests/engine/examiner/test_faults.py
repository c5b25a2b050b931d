"""What a candidate reports of itself chooses between our sentences, and is never repeated."""

import pytest

from autograder.engine.candidate.frames import ChannelError
from autograder.engine.examiner.faults import (
    ENDINGS,
    KINDS,
    WHILE,
    CandidateLost,
    Fault,
    read_fault,
    sentence,
)

SOURCES = {"softmax": "def softmax(scores):\n    return `scores` @ scores"}
SECRET = "what a grader hides"


@pytest.mark.parametrize("report", [None, 7, [], {}, {"kind": 3}, {"kind": []}, {"kind": SECRET}])
def test_what_is_no_report_is_nonsense(report):
    with pytest.raises(ChannelError):
        read_fault(report)


def test_of_a_report_only_what_is_known_is_taken():
    fault = read_fault(
        {"kind": "raised", "type": SECRET, "text": SECRET, "cell": 3, "line": True, "more": SECRET}
    )
    assert fault == Fault("raised", "an exception", None, {}, None, None)


@pytest.mark.parametrize(
    ("cell", "line", "place"),
    [
        ("softmax", 2, " in `softmax`, line 2: `return 'scores' @ scores`"),
        ("softmax", 9, " in `softmax`"),
        ("softmax", None, ""),
        ("another", 1, ""),
        (None, 1, ""),
    ],
)
def test_the_place_is_quoted_from_the_students_own_source(cell, line, place):
    fault = Fault("raised", "ValueError", None, {}, cell, line)
    assert sentence(fault, SOURCES) == f"Your code raised `ValueError`{place}."


@pytest.mark.parametrize("operation", WHILE)
def test_where_no_line_of_the_students_raised_it_is_said_what_was_asked_for(operation):
    place = WHILE[operation].format("softmax")
    fault = Fault("raised", "ValueError")
    assert (
        sentence(fault, SOURCES, "softmax", operation) == f"Your code raised `ValueError` {place}."
    )
    own = Fault("raised", "ValueError", None, {}, "softmax", 1)
    assert place not in sentence(own, SOURCES, "softmax", operation)


@pytest.mark.parametrize("kind", sorted(KINDS))
def test_every_kind_has_a_sentence_of_ours(kind):
    said = sentence(Fault(kind, "an exception"), {}, "softmax")
    assert said[0] in "`ABCDEFGHIJKLMNOPQRSTUVWXYZ" and said[-1] in ".?" and "\n" not in said


@pytest.mark.parametrize("state", ENDINGS)
def test_a_candidate_that_is_lost_says_in_which_state(state):
    lost = CandidateLost(state)
    assert lost.state == state and str(lost) == ENDINGS[state]
