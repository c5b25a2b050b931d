"""`generate_feedback` makes a page for each student: also where there is no grade, and why."""

from datetime import datetime

import pytest
from exports import receive_without_place
from feedback_pages import verdict
from msgspec.structs import replace
from nbgrader.api import Gradebook
from nbgrader.converters import GenerateFeedback

from autograder.classroom.roster import Person
from autograder.engine.notebooks import read_submission
from autograder.gradebook.sync.entering import write_penalties
from autograder.gradebook.sync.nbgrader_course import NbgraderCourse, Record
from autograder.gradebook.sync.tables import read_lateness

pytestmark = [pytest.mark.database, pytest.mark.usefixtures("read_without_fork")]


@pytest.fixture
def course(copied):
    """One graded a day late, one unreadable, one who handed in nothing, one behind a link."""
    id, root = copied.id, copied.course.root
    with (root / "nbgrader_config.py").open("a") as config:
        config.write("\nc.LatePolicy.percent_per_day = 10\n")
    course = NbgraderCourse(copied.course)
    course.register(copied)
    with Gradebook(course.db_url) as gradebook:
        gradebook.find_assignment(id).duedate = datetime(2026, 1, 10, 18)
        for student in ("ben", "cleo", "dan"):
            gradebook.add_student(student)
        gradebook.db.commit()
    for student in ("ada", "ben", "dan"):
        (root / "submitted" / student / id).mkdir(parents=True)
    notebook = root / "submitted" / "ada" / id / f"{id}.ipynb"
    notebook.write_bytes(copied.release.read_bytes())
    (root / "submitted" / "ben" / id / f"{id}.ipynb").write_text('{"cells": [')
    (root / "submitted" / "dan" / id / f"{id}.ipynb").symlink_to("/etc/passwd")
    submission = read_submission(copied, "ada", notebook)
    course.enter(copied, [Record(verdict(), submission, {}, datetime(2026, 1, 11, 9))])
    late = read_lateness(course.db_url, copied.course, copied.id)
    with course.gradebook() as gradebook:
        write_penalties(gradebook.db, copied.id, late.judged)
    return course


def page(course, assignment, student):
    path = course.root / "feedback" / student / assignment.id / f"{assignment.id}.html"
    return path.read_text() if path.is_file() else None


def test_each_student_is_told_points_or_what_to_do(course, copied):
    course.convert(GenerateFeedback, copied)
    ada = page(course, copied, "ada")
    assert "Late, 0.9 points less.</b> Handed in 2026-01-11 09:00 UTC, 15 hours after" in ada
    assert "1 day at 10 % of 9 points: 0.9 points less." in ada and "4 / 9" not in ada
    assert "3.6 / 9" in ada  # 4.5 by the checks
    ben = page(course, copied, "ben")
    assert "Your notebook could not be read" in ben and "What to do" in ben
    cleo = page(course, copied, "cleo")
    assert "Nothing was handed in" in cleo and "It was due on 2026-01-10 18:00 UTC." in cleo
    assert page(course, copied, "dan") is None
    with Gradebook(course.db_url) as gradebook:
        notebook = gradebook.find_submission_notebook(copied.id, copied.id, "ada")
        notebook.late_submission_penalty = 1.0  # which the policy does not explain
        gradebook.db.commit()
    course.convert(GenerateFeedback, copied)
    assert "Late, 1 points less.</b>" in (ada := page(course, copied, "ada"))
    assert "15 hours after" not in ada


def test_all_times_of_pages_are_in_the_zone_of_the_course(course, copied):
    with (course.root / "nbgrader_config.py").open("a") as config:
        config.write('\nc.LatePolicy.timezone = "Europe/Berlin"\n')
    NbgraderCourse(copied.course).convert(GenerateFeedback, copied)
    ada, cleo = page(course, copied, "ada"), page(course, copied, "cleo")
    assert ", handed in on 2026-01-11 10:00 CET" in ada and "Handed in 2026-01-11 10:00 CET" in ada
    assert "It was due on 2026-01-10 19:00 CET." in cleo and "UTC" not in ada + cleo


def test_a_group_of_another_assignment_is_nobody_who_has_handed_in_nothing(course, copied):
    (course.root / "groups.csv").write_text("student,group,assignment\nada,g7,another\n")
    (course.root / "submitted" / "g7" / "another").mkdir(parents=True)
    (course.root / "submitted" / "eva" / "another").mkdir(parents=True)
    course.convert(GenerateFeedback, copied)
    assert page(course, copied, "g7") is None and "eva" in page(course, copied, "eva")


def test_a_page_without_grade_gives_way_to_one_with(course, copied):
    course.convert(GenerateFeedback, copied)
    notebook = course.root / "submitted" / "ben" / copied.id / f"{copied.id}.ipynb"
    notebook.write_bytes(copied.release.read_bytes())
    record = Record(replace(verdict(), student="ben"), read_submission(copied, "ben", notebook), {})
    course.enter(copied, [record])
    course.config.GenerateFeedback.force = False
    course.convert(GenerateFeedback, copied)
    assert "Your notebook could not be read" not in page(course, copied, "ben")
    assert "4.5 / 9" in page(course, copied, "ben")


def test_before_the_due_date_nobody_is_told_that_nothing_was_handed_in(course, copied):
    with Gradebook(course.db_url) as gradebook:
        gradebook.find_assignment(copied.id).duedate = datetime(2999, 1, 1)
        gradebook.db.commit()
    course.convert(GenerateFeedback, copied)
    assert page(course, copied, "cleo") is None and page(course, copied, "ben")


def test_whose_newer_notebook_cannot_be_read_is_told_so_above_the_points(course, copied):
    (course.root / "submitted" / "ada" / copied.id / f"{copied.id}.ipynb").write_text("{")
    course.convert(GenerateFeedback, copied)
    ada = page(course, copied, "ada")
    assert "What you handed in last could not be read." in ada and "is no notebook" in ada
    assert "3.6 / 9" in ada


def test_whose_notebook_has_no_place_is_not_told_that_nothing_was_handed_in(
    course, copied, monkeypatch
):
    course.convert(GenerateFeedback, copied)
    assert "Nothing was handed in" in page(course, copied, "cleo")
    monkeypatch.chdir(course.root)
    receive_without_place(Person("cleo"), copied.id)
    course.convert(GenerateFeedback, copied)
    assert page(course, copied, "cleo") is None
