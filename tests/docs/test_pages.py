"""The pages for instructor, tutor and administrator, followed from their first command to their last."""

import sqlite3
from contextlib import closing

import pytest
from downloads import ID as SHEET
from nbgrader.api import Gradebook
from typed_commands import blocks, type_in

SETTINGS = f"sheet={SHEET}\n"
TUTOR = "--for 2/5 --second 10%"  # of a class that is larger than the one below


def mark_one_answer(gradebook: str) -> None:
    """Give points to the first answer that waits, as a tutor does in formgrader."""
    with Gradebook(gradebook) as rows:
        for submission in rows.assignment_submissions(SHEET):
            for grade in submission.notebooks[0].grades:
                if grade.needs_manual_grade:
                    grade.manual_score, grade.needs_manual_grade = 1.0, False
                    rows.db.commit()
                    return
    raise AssertionError("nothing waits to be marked by hand")


@pytest.mark.walls
@pytest.mark.database
@pytest.mark.long
def test_instructor_and_tutor_come_from_the_download_to_the_grades(copied):
    course = copied.course.root
    first, practise, collect, due, grade, look, give_back = blocks("instructor.md")
    assert first.startswith("sheet=")
    type_in(course, practise, SETTINGS)
    assert "8 students: 8 placed; all placed" in type_in(course, collect, SETTINGS)
    type_in(course, due, SETTINGS)
    configuration = course / "nbgrader_config.py"
    configuration.write_text(configuration.read_text() + "c.LatePolicy.percent_per_day = 10\n")
    said = type_in(course, grade, SETTINGS)
    assert "not entered" in said and "entered into the gradebook, as listed" in said
    said = type_in(course, look, SETTINGS)
    assert "-> report.html" in said and "8 submissions were compared" in said
    assert "still to be marked by hand" in said

    first, share, copying, comparing = blocks("tutor.md")
    assert first.startswith("sheet=") and TUTOR in share
    said = type_in(course, share.replace(TUTOR, "--for 1/2 --second 100%"), SETTINGS)
    assert "8 answers are" in said and "still wait" in said and "second-1-of-2.csv" in said
    mark_one_answer(f"sqlite:///{course / 'gradebook.db'}")
    assert "add --yes" in type_in(course, copying, SETTINGS)
    assert "Not compared" in type_in(course, comparing, SETTINGS)

    assert "moodle-feedback.zip" in type_in(course, give_back, SETTINGS)


def test_an_administrators_commands_do_what_the_page_says(tmp_path):
    version, certificates, copy = blocks("administrator.md")
    assert type_in(tmp_path, version).startswith("autograder ")
    type_in(tmp_path, certificates)
    assert "cert.pem: OK" in type_in(tmp_path, "openssl verify -CAfile ca.pem cert.pem")
    with closing(sqlite3.connect(tmp_path / "gradebook.db")) as book:
        book.execute("CREATE TABLE grade (points)")
        book.commit()
    type_in(tmp_path, copy)
    with closing(sqlite3.connect(tmp_path / "gradebook-copy.db")) as book:
        assert book.execute("SELECT name FROM sqlite_master").fetchall() == [("grade",)]
