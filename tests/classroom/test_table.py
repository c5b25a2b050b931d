"""grades.csv says what the verdicts say, and no zero for what was not graded."""

import csv

import pytest

from autograder.classroom.table import read_verdicts, write_table
from autograder.engine.verdict import ExerciseResult, Stamp, Verdict, write_verdict

STAMP = Stamp(grader="g", submission="a", torch="2", python="3", seed=1, sandbox="namespaces")


@pytest.fixture
def keep(small, tmp_path):
    """Keep a verdict with these points in each exercise."""

    def make(student: str, points: float | None, state: str = "graded") -> None:
        results = [
            ExerciseResult(exercise.id, "answered", points, exercise.points, [], [])
            for exercise in small.exercises
            if points is not None
        ]
        total = sum((result.points for result in results), 0.0)
        verdict = Verdict(student, small.id, state, total, 7.0, results, [], 0.1, STAMP)
        write_verdict(tmp_path / small.id / f"{student}.json", verdict)

    return make


def test_a_row_a_student_a_column_an_exercise(small, keep, tmp_path):
    keep("s002", None, "unreadable")
    keep("s001", 0.5)
    keep("s003", None, "not_graded")
    with write_table(tmp_path, small).open(newline="", encoding="utf-8") as file:
        assert list(csv.reader(file)) == [
            ["student", "state", "points", "max_points", "rms_norm", "softmax", "prediction"],
            ["s001", "graded", "1.5", "7.0", "0.5", "0.5", "0.5"],
            ["s002", "unreadable", "0.0", "7.0", "", "", ""],
            ["s003", "not_graded", "", "7.0", "", "", ""],
        ]


def test_what_is_no_verdict_is_left_out(small, keep, tmp_path):
    keep("s001", 0.5)
    (tmp_path / small.id / "s002.json").write_text("{")
    assert [one.student for one in read_verdicts(tmp_path, small)] == ["s001"]
    assert write_table(tmp_path, small).read_text().count("\n") == 2
