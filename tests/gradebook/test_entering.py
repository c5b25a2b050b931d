"""What a person entered in the gradebook stays: points, comments, names."""

from dataclasses import replace

import pytest
from nbgrader.api import Gradebook
from submissions import full_marks, marked_by_hand

from autograder.people import Person

pytestmark = [pytest.mark.walls, pytest.mark.database]


def test_points_and_comments_given_by_hand_survive_grading_again(gradebook, assignment, records):
    gradebook.enter(assignment, records)
    with Gradebook(gradebook.db_url) as rows:
        names = (marked_by_hand(assignment), assignment.id, assignment.id, "s001")
        rows.find_grade(*names).manual_score = 1.5
        rows.find_comment(*names).manual_comment = "Well said."
        rows.db.commit()
    gradebook.enter(assignment, records)
    with Gradebook(gradebook.db_url) as rows:
        assert rows.find_grade(*names).manual_score == 1.5
        assert rows.find_comment(*names).comment == "Well said."
        assert rows.find_submission(assignment.id, "s001").score == full_marks(assignment) + 1.5


def test_names_of_the_platform_are_entered_and_names_given_by_hand_stay(
    gradebook, assignment, records
):
    people = {
        "s001": Person("s001", "Ada Maria Softmax", "ada@uni.example"),
        "s002": Person("s002"),
    }
    named = [replace(one, person=people.get(one.verdict.student)) for one in records]
    gradebook.enter(assignment, named)
    with Gradebook(gradebook.db_url) as rows:
        ada, other = rows.find_student("s001"), rows.find_student("s002")
        assert (ada.first_name, ada.last_name) == ("Ada Maria", "Softmax")
        assert ada.email == "ada@uni.example"
        assert (other.first_name, other.last_name) == (None, None)
        rows.update_or_create_student("s001", last_name="Residual")
    gradebook.enter(assignment, named)
    with Gradebook(gradebook.db_url) as rows:
        assert rows.find_student("s001").last_name == "Residual"
