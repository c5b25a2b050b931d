"""Which exercises have values as answers is found from their solutions, and no exercise is named."""

import pytest

from autograder.engine import Assignment
from autograder.engine.courses import every, value_exercises

CALLS = "candidate.build(", "candidate.function("
VALUES = "candidate.value(", "candidate.entry("


def test_a_graders_own_questions_agree(course, small_course):
    """A grader that asks for a value itself calls nothing, and the other way round."""
    found = 0
    for assignment in [*every(course), *every(small_course)]:
        values = value_exercises(assignment)
        for exercise in assignment.exercises:
            grader = exercise.grader.read_text()
            if any(value in grader for value in VALUES):
                assert exercise.id in values, exercise.id
                found += 1
            elif any(call in grader for call in CALLS):
                assert exercise.id not in values, exercise.id
    assert found >= 3


@pytest.mark.parametrize(
    "code", ["async  def f():\n        return 1", "f = lambda x: x", "if 1:\n    class A: ..."]
)
def test_what_defines_something_is_no_value_unless_its_grader_asks_for_one(copied, code):
    text = code.replace("\n", "\\n")
    before = '"prediction = '
    source = copied.source.read_text()
    copied.source.write_text(source.replace(before, f'"{text}\\n",\n    {before}', 1))
    assert value_exercises(copied) == {"prediction"} and before in source
    grader = copied.graders / "test_prediction.py"
    grader.write_text(grader.read_text().replace("candidate.value(", "candidate.function("))
    assert value_exercises(Assignment(copied.id, copied.course)) == set()


def test_without_a_source_the_release_decides(copied):
    copied.source.unlink()
    assert value_exercises(copied) == {"prediction"}
