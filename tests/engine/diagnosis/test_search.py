"""Which mistake it was: named if its answers are the student's, and not named otherwise."""

import pytest

from autograder.engine.diagnosis.search import diagnose
from autograder.engine.mistake import mistakes, pairs


@pytest.fixture
def named(small, asked):
    """The ids of the mistakes found in one exercise."""

    def run(exercise, cell):
        checks = [c for c in asked(**{exercise: cell}).values() if c.exercise == exercise]
        return [mistake.id for mistake in diagnose(small, checks)]

    return run


def test_each_mistake_is_named_alone(small, named):
    for mistake in mistakes(small):
        cell = mistake.make(small.solutions[mistake.exercise])
        assert named(mistake.exercise, cell) == [mistake.id]


def test_two_at_once_are_both_named(small, named):
    ((one, other),) = pairs(small)
    cell = other.make(one.make(small.solutions[one.exercise]))
    assert named(one.exercise, cell) == [one.id, other.id]


def test_a_mistake_in_other_words_is_the_same_mistake(small, named):
    cell = """
class RMSNorm(nn.Module):
    def __init__(self, n):
        super().__init__()
        self.gain = nn.Parameter(torch.ones(n))

    def forward(self, x):
        return self.gain * x / (x**2).mean(dim=-1, keepdim=True)
"""
    assert named("rms_norm", cell) == ["mean_not_root"]


@pytest.mark.parametrize(
    ("exercise", "cell"),
    [
        ("softmax", "def softmax(scores):\n    return scores.softmax(-1).roll(1, -1)"),
        ("softmax", "def softmax(scores):\n    return [1, 2]"),
        ("prediction", "prediction = 17"),
    ],
)
def test_what_nobody_knows_gets_no_name(named, exercise, cell):
    assert named(exercise, cell) == []


def test_what_is_right_or_not_written_is_not_searched(small, named):
    assert named("softmax", small.solutions["softmax"]) == []
    assert named("softmax", "def softmax(scores):\n    raise NotImplementedError()") == []
