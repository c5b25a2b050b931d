"""Late submissions: what a day costs, who may be late, and that both ways into the gradebook agree."""

from datetime import datetime, timedelta
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from nbgrader.api import Gradebook
from nbgrader.apps import NbGraderAPI
from traitlets.config import Config

from autograder.__main__ import main
from autograder.gradebook.nbgrader_course import Course
from autograder.engine.course import make_course
from autograder.gradebook.late import LatePolicy, PolicyError, TimeError, extension, submitted_at

DAY = 86_400
DUE = "2026-11-20 18:00:00 UTC"
POLICY = """
c.LatePolicy.percent_per_day = 10
c.LatePolicy.grace_minutes = 30
c.LatePolicy.most_percent = 50
"""


def policy(**traits) -> LatePolicy:
    return LatePolicy(config=Config(LatePolicy=traits))


@pytest.fixture
def folder(tmp_path) -> Path:
    return make_course(tmp_path, POLICY)


@pytest.fixture
def late_class(folder, hand_in):
    """Three releases, in time, an hour and a day and an hour late; one written answer would do, too."""
    for student, time in (
        ("s001", "2026-11-20 18:29:00 UTC"),
        ("s002", "2026-11-20 19:00:00 UTC"),
        ("s003", "2026-11-21 20:00:00 +0100"),
    ):
        notebook = hand_in(student)
        (notebook.parent / "timestamp.txt").write_text(time)
    return folder


def grade(folder: Path) -> int:
    words = ["grade", str(folder / "submitted"), "--assignment", "encoder-layer", "--jobs", "1"]
    return main([*words, "--results", str(folder / "results"), "--course", str(folder)])


def set_duedate(folder: Path, assignment) -> None:
    course = Course(folder)
    course.announce(assignment)
    with Gradebook(course.db_url, course.folders.course_id) as gradebook:
        gradebook.update_or_create_assignment(assignment.id, duedate=DUE)


def penalties(folder: Path) -> dict[str, float | None]:
    with Gradebook(Course(folder).db_url) as gradebook:
        return {
            one.student.id: one.notebooks[0].late_submission_penalty
            for one in gradebook.assignment_submissions("encoder-layer")
        }


@pytest.mark.parametrize(
    ("seconds", "points"),
    [(0, None), (1799, None), (1801, 2.8), (1800 + DAY, 2.8), (1801 + DAY, 5.6), (90 * DAY, 14.0)],
)
def test_each_day_begun_costs_a_share_of_all_points_and_never_more_than_said(seconds, points):
    costly = policy(percent_per_day=10.0, grace_minutes=30.0, most_percent=50.0)
    assert costly.penalty(seconds, 28.0) == points


@given(st.floats(0, 1e9), st.floats(0, 1e9), st.floats(0.1, 100), st.floats(1, 100))
def test_who_is_later_never_pays_less(one, other, percent, points):
    costly = policy(percent_per_day=percent)
    earlier, later = (costly.penalty(time, points) or 0.0 for time in sorted((one, other)))
    assert 0 <= earlier <= later <= round(points, 2)


def test_without_a_policy_lateness_costs_nothing():
    assert policy().penalty(30 * DAY, 28.0) is None


def test_penalties_follow_the_platforms_times(late_class, assignment):
    set_duedate(late_class, assignment)
    assert grade(late_class) == 0
    assert penalties(late_class) == {"s001": None, "s002": 2.8, "s003": 5.6}


def test_an_extension_is_taken_over_without_grading_again(late_class, assignment, capfd):
    set_duedate(late_class, assignment)
    grade(late_class)
    (late_class / "extensions.csv").write_text(
        "student,assignment,until\ns003,encoder-layer,2026-11-21\ns002,another,2027-01-01\n"
    )
    capfd.readouterr()
    assert grade(late_class) == 0
    assert "0 graded, 3 as they were" in capfd.readouterr().out
    assert penalties(late_class) == {"s001": None, "s002": 2.8, "s003": None}


def test_nbgraders_own_button_takes_the_same(late_class, assignment):
    set_duedate(late_class, assignment)
    (late_class / "extensions.csv").write_text(
        "student,assignment,until\ns003,encoder-layer,2026-11-21 18:30+00:00\n"
    )
    api = NbGraderAPI(config=Course(late_class).config)
    for student in ("s002", "s003"):
        assert api.autograde(assignment.id, student)["success"]
    assert penalties(late_class) == {"s002": 2.8, "s003": 2.8}
    with Gradebook(Course(late_class).db_url) as gradebook:
        extended = gradebook.find_submission(assignment.id, "s003").extension
    assert extended == timedelta(days=1, minutes=30)


@pytest.mark.parametrize(
    ("text", "sentence"),
    [
        ("student,assignment,until\ns1,encoder-layer,soon\n", "line 2: `soon` is no time"),
        ("name,until\ns1,2026-11-21\n", "needs the columns student, assignment and until"),
        ("student,assignment,until\n\xff", "cannot be read"),
    ],
)
def test_a_damaged_file_of_extensions_is_told_before_anything_is_graded(
    folder, hand_in, capfd, assignment, text, sentence
):
    hand_in("s001", only=True)
    (folder / "extensions.csv").write_bytes(text.encode("latin-1"))
    with pytest.raises(PolicyError, match="extensions.csv"):
        policy().granted(folder, "encoder-layer")
    (folder / "gradebook.db").unlink(missing_ok=True)
    Course(folder).announce(assignment)
    assert grade(folder) == 2
    assert sentence in capfd.readouterr().err


def test_a_time_that_is_none_is_told_and_costs_nothing(folder, hand_in, capfd):
    notebook = hand_in("s001", only=True)
    (notebook.parent / "timestamp.txt").write_text("yesterday, honestly")
    with pytest.raises(TimeError, match="is no time like"):
        submitted_at(notebook.parent)
    assert grade(folder) == 0
    assert "Taken as handed in without a time" in capfd.readouterr().out
    assert penalties(folder) == {"s001": None}


@given(
    st.datetimes(datetime(2000, 1, 1), datetime(2100, 1, 1)),
    st.timedeltas(max_value=timedelta(400)),
)
def test_an_extension_never_shortens(due, more):
    extended = extension(due, due + more) if more > timedelta(-300) else None
    assert extended is None or extended > timedelta(0)
