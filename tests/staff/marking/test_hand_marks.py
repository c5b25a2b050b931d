"""What waits for a person, and marks that equal answers get on request."""

import sqlite3

import pytest
from written_answers import WRITTEN, Book, graded

from autograder.engine.course.assignment import CHECK
from autograder.gradebook.database import UnreadableGradebook
from autograder.staff.marking.hand_marks import Copy, GradedNotebooks, copy_marks, hand_marks

pytestmark = pytest.mark.database


@pytest.fixture
def book(empty_book) -> Book:
    """A gradebook with four students: dan has handed in the release."""
    book = empty_book
    book.enter(cleo="Mine.", ada="The root.", ben="The root.", dan=None)
    return book


def marks(book: Book) -> dict:
    return {
        one.student: one for one in hand_marks(book.url, book.assignment.id) if one.cell.is_written
    }


def waiting_in(book: Book, assignment_id: str) -> list[tuple[str, str, float]]:
    found = hand_marks(book.url, assignment_id)
    return [(one.student, one.exercise, one.cell.max_points) for one in found if one.cell.is_open]


def test_what_is_open_is_what_nobody_has_marked_or_what_has_changed_since(book):
    id = book.assignment.id
    waiting = [(student, WRITTEN, 2.0) for student in ("ada", "ben", "cleo")]
    assert waiting_in(book, id) == waiting
    book.mark("ada", 0.0)
    assert waiting_in(book, id) == waiting[1:]
    book.enter(ada="Another.")
    assert waiting_in(book, id) == waiting
    book.mark("ben", 1.0, CHECK + "softmax")
    book.enter(ben=graded(book.assignment, "The root.", 0.5))
    assert ("ben", "softmax", 2.0) in waiting_in(book, id)
    assert waiting_in(book, "another-sheet") == []


def test_everything_about_a_mark_is_told(book):
    book.mark("ada", 1.5, comment="Which root?", extra=0.5)
    found = marks(book)
    assert list(found) == ["ada", "ben", "cleo", "dan"]
    ada, dan = found["ada"], found["dan"]
    assert (ada.cell.by_hand, ada.cell.extra, ada.comment, ada.cell.max_points) == (
        1.5,
        0.5,
        "Which root?",
        2.0,
    )
    assert (
        not ada.is_empty
        and ada.cell.is_open is False
        and ada.cell.notebook_id == book.notebook_id("ada")
    )
    assert dan.is_empty and dan.cell.by_hand is None


def test_a_mark_is_copied_and_never_over_one_that_a_person_gave(book):
    book.mark("ada", 1.5, comment="Which root?", extra=0.5)
    before = marks(book)
    book.mark("cleo", 0.5)
    copies = [Copy(before["ada"], before[student]) for student in ("ben", "cleo", "dan")]
    assert copy_marks(book.url, copies) == copies[:1]
    assert book.given("ben") == (1.5, 0.5, "") and not book.waits("ben")
    assert book.given("cleo")[0] == 0.5 and book.given("dan")[0] is None
    assert copy_marks(book.url, copies) == []


def test_comments_go_along_where_there_is_none(book):
    book.mark("ada", 1.5, comment="Which root?")
    book.mark("cleo", None, comment="My words.")
    before = marks(book)
    copies = [Copy(before["ada"], before[student]) for student in ("ben", "cleo")]
    assert copy_marks(book.url, copies, comments=True) == copies
    assert book.given("ben")[2] == "Which root?" and book.given("cleo")[2] == "My words."


def test_what_changed_since_it_was_marked_keeps_its_mark(book):
    book.mark("ada", 1.5)
    book.mark("ben", 1.0)
    book.enter(ben="The root!")
    found = marks(book)
    assert found["ben"].cell.is_open
    assert copy_marks(book.url, [Copy(found["ada"], found["ben"])]) == []
    assert book.given("ben")[0] == 1.0 and book.waits("ben")


def test_a_gradebook_that_cannot_be_used_is_said_and_keeps_what_it_has(book, tmp_path, monkeypatch):
    (tmp_path / "none.db").write_text("no database")
    with pytest.raises(UnreadableGradebook, match="not a database.*try again"):
        hand_marks(f"sqlite:///{tmp_path}/none.db", book.assignment.id)
    book.mark("ada", 1.5)
    found = marks(book)
    locked = sqlite3.connect(book.url.removeprefix("sqlite:///"))
    locked.execute("BEGIN EXCLUSIVE")
    try:
        with pytest.raises(UnreadableGradebook, match="database is locked"):
            copy_marks(f"{book.url}?timeout=0.1", [Copy(found["ada"], found["ben"])])
    finally:
        locked.close()
    assert book.given("ben")[0] is None


def test_graded_notebooks_are_read_and_no_link_is_followed(book, tmp_path):
    id, notebooks = book.assignment.id, GradedNotebooks(book.assignment.course)
    assert notebooks.cells(id, "ada")[WRITTEN]["source"] == "The root."
    path = notebooks.top / "ben" / id / f"{id}.ipynb"
    path.unlink()
    path.symlink_to(notebooks.top / "ada" / id / f"{id}.ipynb")
    for student in ("ben", "nobody", "../ada", "a/../ada"):
        assert notebooks.cells(id, student) == {}
    (notebooks.top / "cleo" / id / f"{id}.ipynb").write_text('{"cells": [1]}')
    assert notebooks.cells(id, "cleo") == {}
