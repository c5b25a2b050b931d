"""What formgrader and feedback show: the student's outputs, checks, points, and nothing hidden."""

import base64
import re

import pytest
from nbgrader.converters import GenerateFeedback
from submissions import exercise

from autograder.engine.assignment import CHECK

pytestmark = [pytest.mark.walls, pytest.mark.database]


def test_what_a_student_showed_is_kept_and_what_a_browser_would_run_is_not(
    gradebook, assignment, records, autograded
):
    first, last = assignment.exercises[0].id, assignment.exercises[-1].id
    gradebook.enter(assignment, records)
    text, picture = autograded("s001")[last].outputs
    assert text.text == "my words\n"
    assert base64.b64decode(picture.data["image/png"]).startswith(b"\x89PNG")
    shown = autograded("s003")[first].outputs
    assert [set(output.data) for output in shown] == [{"text/plain"}]


def test_a_check_cell_shows_checks_points_and_questions(
    gradebook, assignment, records, unscaled, question, autograded
):
    gradebook.enter(assignment, records)
    result = exercise(records[1].verdict, unscaled.exercise)
    table, points = autograded("s002")[CHECK + unscaled.exercise].outputs
    assert points.data == {"text/plain": repr(result.points)}
    passed = next(check for check in result.checks if check.passed)
    assert passed.sentence in table.data["text/plain"]
    assert question in table.data["text/plain"]
    assert question in table.data["text/html"]


def test_feedback_is_a_page_without_hidden_tests(gradebook, folder, assignment, records, question):
    gradebook.enter(assignment, records)
    gradebook.convert(GenerateFeedback, assignment)
    page = (folder / "feedback" / "s002" / assignment.id / f"{assignment.id}.html").read_text()
    words = re.sub(r"<[^>]+>", "", page)
    assert question in words
    for hidden in ("autograder.graders", "def test_values", "one_of", "BEGIN SOLUTION", "scheme"):
        assert hidden not in words
