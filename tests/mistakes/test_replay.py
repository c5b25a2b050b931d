"""A recording, repeated with another candidate: the same answers, or the first one that differs."""

import pytest

from autograder.engine.examiner import undisturbed
from autograder.mistakes.budget import CpuBudget, OutOfTime
from autograder.mistakes.replay import Replay

WEIGHTS = "test_weights_are_those_of_the_equation"


@pytest.fixture
def wrong(small):
    return small.solutions["softmax"].replace("sum(-1,", "sum(0,")


@pytest.fixture
def replay(candidate):
    """Repeat the recording of a check with these cells; return the replay and how it ended."""

    def run(check, **cells):
        recording = check.recording
        again = Replay(candidate(**cells), recording)
        with undisturbed():
            return again, again.repeat(check)

    return run


def test_the_same_code_gives_the_same_answers_to_the_end(asked, replay, wrong):
    check = asked(softmax=wrong)[WEIGHTS]
    again, outcome = replay(check, softmax=wrong)
    assert again.differs_at is None and outcome == check.recording.outcome
    assert outcome[0] == "wrong" and len(again.answers) == len(again.expected)


def test_other_code_stops_at_the_first_other_answer(asked, replay, wrong):
    again, outcome = replay(asked(softmax=wrong)[WEIGHTS])
    assert again.differs_at == 0 and outcome is not None


def test_a_check_with_fixtures_and_cases_of_its_own_is_repeated(asked, replay, small):
    unscaled = small.solutions["rms_norm"].replace(" * self.weight", "")
    checks = asked(rms_norm=unscaled)
    for case in ("one vector", "rows", "batch"):
        check = checks[f"test_each_vector_is_divided_by_its_root_mean_square[{case}]"]
        assert not check.passed
        again, outcome = replay(check, rms_norm=unscaled)
        assert again.differs_at is None and outcome == check.recording.outcome
        assert replay(check)[0].differs_at is not None


def test_all_answers_can_be_asked_for(asked, candidate, wrong):
    check = asked(softmax=wrong)[WEIGHTS]
    replay = Replay(candidate(), check.recording)
    with undisturbed():
        outcome = replay.to_the_end(check)
    assert outcome is None and replay.answers[0] != check.recording.answers[0]
    assert replay.differs_at is None


def test_the_clock_is_looked_at_between_two_answers(asked, candidate, wrong):
    """One mutant may ask many questions: the time is up inside of its replay, too."""
    check = asked(softmax=wrong)[WEIGHTS]
    late = Replay(candidate(softmax=wrong), check.recording, budget=CpuBudget(-1))
    with undisturbed(), pytest.raises(OutOfTime):
        late.repeat(check)
    assert late.answers == []
