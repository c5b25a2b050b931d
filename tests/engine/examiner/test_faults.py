"""What a candidate reports of itself chooses between our sentences, and is never repeated."""

import pytest

from autograder.engine.candidate.channel import ChannelError
from autograder.engine.examiner.faults import (
    ENDINGS,
    HINTS,
    KINDS,
    QUESTIONS,
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
    assert fault == Fault("raised", "an exception", None, None, None)


@pytest.mark.parametrize(
    ("text", "question"),
    [
        ("mat1 and mat2 shapes cannot be multiplied (2x3 and 4x5)", "shapes"),
        ("shape '[2, 3]' is invalid for input of size 7", "view"),
        ("expected scalar type Float but found Double", "dtype"),
        ("f() missing 1 required positional argument: 'x'", "arguments"),
        ("'NoneType' object is not callable", "callable"),
        ("'RMSNorm' object has no attribute 'weight'", "attribute"),
        ("name 'torch' is not defined", "name"),
    ],
)
def test_what_torch_and_python_say_chooses_a_question(text, question):
    fault = read_fault({"kind": "raised", "type": "RuntimeError", "text": text})
    assert fault.type == "RuntimeError" and fault.question == QUESTIONS[question]


def test_every_hint_has_a_question_and_every_question_a_hint():
    assert {question for _, question in HINTS} == QUESTIONS.keys()


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
    fault = Fault("raised", "ValueError", "Which shapes?", cell, line)
    assert sentence(fault, SOURCES) == f"Your code raised `ValueError`{place}. Which shapes?"


@pytest.mark.parametrize("kind", sorted(KINDS))
def test_every_kind_has_a_sentence_of_ours(kind):
    said = sentence(Fault(kind, "an exception", None, None, None), {}, "softmax")
    assert said[0] in "`ABCDEFGHIJKLMNOPQRSTUVWXYZ" and said[-1] in ".?" and "\n" not in said


@pytest.mark.parametrize("state", ENDINGS)
def test_a_candidate_that_is_lost_says_in_which_state(state):
    lost = CandidateLost(state)
    assert lost.state == state and str(lost) == ENDINGS[state]
