"""nbgrader's gradebook says what the verdicts say."""

import pytest
from nbgrader.api import Gradebook
from submissions import entered_points, full_marks

from autograder.engine.courses import CHECK

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
