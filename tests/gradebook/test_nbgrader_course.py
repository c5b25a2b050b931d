"""nbgrader's gradebook says what the verdicts say."""

from pathlib import Path

import pytest
from nbgrader.api import Gradebook
from submissions import SHORT, entered_points, full_marks

from autograder.engine.assignment import CHECK
from autograder.engine.grade import Grader
from autograder.engine.process import PRACTICE
from autograder.engine.sandbox.walls import Walls

pytestmark = [pytest.mark.walls, pytest.mark.database]


def test_the_gradebook_holds_the_points_of_the_verdicts(gradebook, assignment, records):
    gradebook.enter(assignment, records)
    points = {one.verdict.student: one.verdict.points for one in records}
    assert points["s001"] == full_marks(assignment) > points["s002"] > points["s003"] == 0.0
    assert {name: entered_points(gradebook, assignment, name) for name in points} == points
    with Gradebook(gradebook.db_url) as rows:
        for one in records:
            for result in one.verdict.exercises:
                cell = CHECK + result.id
                grade = rows.find_grade(cell, assignment.id, assignment.id, one.verdict.student)
                assert (grade.auto_score, grade.max_score) == (result.points, result.max_points)


def test_practice_and_unreadable_submissions_never_enter(
    gradebook, assignment, hand_in, walls, record
):
    practice = record(Grader(assignment, Walls(PRACTICE), SHORT), "s001", hand_in("s001"))
    broken = hand_in("s002")
    broken.write_text("{")
    unreadable = record(Grader(assignment, walls), "s002", broken)
    states = practice.verdict.stamp.sandbox, unreadable.verdict.state
    assert states == ("practice", "unreadable")
    gradebook.enter(assignment, [practice, unreadable])
    assert not Path(gradebook.db_url.removeprefix("sqlite:///")).exists()
