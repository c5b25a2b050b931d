"""Late submissions: what a day costs, who may be late, and that both ways into the gradebook agree."""

import os
from datetime import datetime, timedelta
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from nbgrader.api import Gradebook
from nbgrader.apps import NbGraderAPI
from traitlets.config import Config

from autograder.cli.main import main
from autograder.engine.course import make_course, read_course
from autograder.gradebook.late import (
    TIMESTAMP,
    LatePolicy,
    PolicyError,
    TimeError,
    extension,
    submitted_at,
)
from autograder.gradebook.nbgrader_course import NbgraderCourse

pytestmark = [pytest.mark.walls, pytest.mark.database]

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
def folder(tmp_path, course) -> Path:
    return make_course(tmp_path, course, POLICY).root


@pytest.fixture
def total(assignment) -> float:
    """All points of the assignment, those given by hand included."""
    return sum(cell.points for cell in assignment.cells)


@pytest.fixture
def gradebook(folder) -> NbgraderCourse:
    return NbgraderCourse(read_course(folder))


@pytest.fixture
def grade(folder, assignment):
    """Grade the course's submissions; return the status."""

    def run() -> int:
        words = ["grade", str(folder / "submitted"), "--assignment", assignment.id, "--jobs", "1"]
        return main([*words, "--results", str(folder / "results"), "--course", str(folder)])

    return run


@pytest.fixture
def penalties(gradebook, assignment):
    """Return what lateness costs, by student."""

    def read() -> dict[str, float | None]:
        with Gradebook(gradebook.db_url) as rows:
            return {
                one.student.id: one.notebooks[0].late_submission_penalty
                for one in rows.assignment_submissions(assignment.id)
            }

    return read


@pytest.fixture
def late_class(folder, hand_in, due):
    """Three solutions, in time, an hour, and a day and an hour late."""
    for student, time in (
        ("s001", "2026-11-20 18:29:00 UTC"),
        ("s002", "2026-11-20 19:00:00 UTC"),
        ("s003", "2026-11-21 20:00:00 +0100"),
    ):
        notebook = hand_in(student)
        (notebook.parent / "timestamp.txt").write_text(time)
    return folder


@pytest.fixture
def due(gradebook, assignment) -> None:
    """The assignment has a due date."""
    gradebook.register(assignment)
    with Gradebook(gradebook.db_url, gradebook.folders.course_id) as rows:
        rows.update_or_create_assignment(assignment.id, duedate=DUE)


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


def test_penalties_follow_the_platforms_times(late_class, grade, penalties, total):
    assert grade() == 0
    day, two_days = round(0.1 * total, 2), round(0.2 * total, 2)
    assert penalties() == {"s001": None, "s002": day, "s003": two_days}


def test_an_extension_is_taken_over_without_grading_again(
    late_class, assignment, grade, penalties, total, capfd
):
    grade()
    (late_class / "extensions.csv").write_text(
        f"student,assignment,until\ns003,{assignment.id},2026-11-21\ns002,another,2027-01-01\n"
    )
    capfd.readouterr()
    assert grade() == 0
    assert "0 graded, 3 as they were" in capfd.readouterr().out
    assert penalties() == {"s001": None, "s002": round(0.1 * total, 2), "s003": None}


def test_nbgraders_own_button_takes_the_same(late_class, gradebook, assignment, penalties, total):
    (late_class / "extensions.csv").write_text(
        f"student,assignment,until\ns003,{assignment.id},2026-11-21 18:20+00:00\n"
    )
    api = NbGraderAPI(config=gradebook.config)
    for student in ("s002", "s003"):
        assert api.autograde(assignment.id, student)["success"]
    day = round(0.1 * total, 2)
    assert penalties() == {"s002": day, "s003": day}
    with Gradebook(gradebook.db_url) as rows:
        extended = rows.find_submission(assignment.id, "s003").extension
    assert extended == timedelta(days=1, minutes=20)


@pytest.mark.parametrize(
    ("text", "sentence"),
    [
        ("student,assignment,until\ns1,{id},soon\n", "line 2: `soon` is no time"),
        ("name,until\ns1,2026-11-21\n", "needs the columns student, assignment and until"),
        ("student,assignment,until\n\xff", "cannot be read"),
    ],
)
def test_a_damaged_file_of_extensions_is_told_before_anything_is_graded(
    folder, gradebook, hand_in, grade, capfd, assignment, text, sentence
):
    hand_in("s001", only=True)
    content = text.replace("{id}", assignment.id)
    (folder / "extensions.csv").write_bytes(content.encode("latin-1"))
    with pytest.raises(PolicyError, match="extensions.csv"):
        policy().granted(folder, assignment.id)
    (folder / "gradebook.db").unlink(missing_ok=True)
    gradebook.register(assignment)
    assert grade() == 2
    assert sentence in capfd.readouterr().err


def test_a_time_that_is_none_is_told_and_costs_nothing(hand_in, grade, penalties, capfd):
    notebook = hand_in("s001", only=True)
    (notebook.parent / "timestamp.txt").write_text("yesterday, honestly")
    with pytest.raises(TimeError, match="is no time like"):
        submitted_at(notebook.parent, notebook.parent)
    assert grade() == 0
    said = capfd.readouterr().out
    assert "Taken as handed in without a time" in said and "honestly" not in said
    assert penalties() == {"s001": None}


@given(
    st.datetimes(datetime(2000, 1, 1), datetime(2100, 1, 1)),
    st.timedeltas(max_value=timedelta(400)),
)
def test_an_extension_never_shortens(due, more):
    extended = extension(due, due + more) if more > timedelta(-300) else None
    assert extended is None or extended > timedelta(0)


@pytest.mark.parametrize("text", ["12", "Mon", "15:00", "2026-11-20 15:00:00 /etc/localtime"])
def test_half_a_time_is_not_made_whole_by_the_day_on_which_it_is_read(tmp_path, text):
    (tmp_path / TIMESTAMP).write_text(text)
    with pytest.raises(TimeError, match="no time like"):
        submitted_at(tmp_path, tmp_path)


def test_a_time_is_read_from_no_link_and_no_pipe(tmp_path):
    assert submitted_at(tmp_path, tmp_path) is None
    (tmp_path / "there.txt").write_text("2026-11-20 15:00:00 UTC")
    (tmp_path / TIMESTAMP).symlink_to("there.txt")
    with pytest.raises(TimeError, match="is no regular file"):
        submitted_at(tmp_path, tmp_path)
    (tmp_path / TIMESTAMP).unlink()
    os.mkfifo(tmp_path / TIMESTAMP)
    with pytest.raises(TimeError, match="is no regular file"):
        submitted_at(tmp_path, tmp_path)
