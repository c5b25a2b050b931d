"""`marking copy-marks`: equal answers get a mark on request, and never over one that a person gave."""

import sqlite3

import pytest
from typed_commands import typed
from written_answers import CHECK, WRITTEN, graded

from autograder._commands import terminal

pytestmark = [pytest.mark.database, pytest.mark.usefixtures("read_without_fork")]


def copy_marks(*words: str) -> str:
    status, printed = typed("marking", "copy-marks", *words)
    assert status == 0, printed
    return printed


def test_marks_are_copied_once_it_is_agreed_to(book, monkeypatch):
    assert "0 open answers equal a marked one" in copy_marks()
    book.mark("ada", 1.5, comment="Which root?", extra=0.5)
    printed = copy_marks()
    assert f"{WRITTEN}: 1.5 and 0.5 extra from ada to ben, cleo" in printed
    assert "add --yes" in printed and book.waits("ben")
    monkeypatch.setattr(terminal, "is_there_to_answer", lambda: True)
    monkeypatch.setattr(terminal, "ask", lambda question: "Copy 2 marks?" not in question)
    copy_marks()
    assert book.waits("ben")
    assert "Copied: 2." in copy_marks("--yes")
    assert book.given("ben") == (1.5, 0.5, "") and not book.waits("ben")
    assert book.waits("dan") and "0 open answers" in copy_marks("--yes")


def test_a_mark_that_somebody_gives_meanwhile_stays(book, monkeypatch):
    def mark_then_agree(question: str) -> bool:
        book.mark("cleo", 0.5)
        return True

    book.mark("ada", 1.5)
    monkeypatch.setattr(terminal, "is_there_to_answer", lambda: True)
    monkeypatch.setattr(terminal, "ask", mark_then_agree)
    assert "Copied: 1." in copy_marks()
    assert book.given("ben")[0] == 1.5 and book.given("cleo")[0] == 0.5


def test_comments_are_copied_where_there_is_none(book):
    book.mark("ada", 1.5, comment="Which root?")
    book.mark("cleo", None, comment="My words.")
    assert "Copied: 2." in copy_marks("--yes", "--comments")
    assert book.given("ben")[2] == "Which root?" and book.given("cleo")[2] == "My words."


def test_which_of_two_marks_is_copied_is_not_chosen_for_the_marker(book):
    book.mark("ben", 1.5)
    book.mark("cleo", 1.0, extra=0.25)
    printed = copy_marks("--yes")
    assert f"{WRITTEN}: equal answers have different points (ben 1.5, cleo 1.25)." in printed
    assert book.waits("ada")
    book.mark("cleo", 1.5)
    assert f"{WRITTEN}: 1.5 from ben to ada\n" in copy_marks("--yes")


def test_an_answer_that_changed_gives_no_mark_and_takes_that_of_an_equal_one(book):
    book.mark("dan", 2.0)
    book.enter(dan="The root keeps the scale.")
    assert "0 open answers" in copy_marks()
    book.mark("ada", 1.0)
    assert "Copied: 3." in copy_marks("--yes")
    assert book.given("dan")[0] == 1.0 and not book.waits("dan")


def test_marks_of_code_that_a_check_grades_are_not_copied(book):
    for student in ("dan", "eva"):
        book.mark(student, 1.0, CHECK + "softmax")
        book.enter(**{student: graded(book.assignment, student, 0.5, softmax="mine = 1")})
    book.mark("eva", 1.0, CHECK + "softmax")
    assert "0 open answers" in copy_marks()


def test_a_gradebook_that_is_in_use_keeps_what_it_has(book):
    book.mark("ada", 1.5)
    reader = sqlite3.connect("gradebook.db")
    reader.execute("BEGIN")
    reader.execute("SELECT * FROM student").fetchall()
    url = "sqlite:///gradebook.db?timeout=0.1"
    try:
        status, printed = typed("marking", "copy-marks", "--yes", "--gradebook", url)
    finally:
        reader.close()
    assert status == 1 and "database is locked" in printed
    assert book.given("ben")[0] is None
