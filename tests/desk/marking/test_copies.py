"""Marks that equal answers get on request."""

import sqlite3

import pytest
from written_answers import Book

from autograder import AutograderError
from autograder.desk.marking.answers import WrittenAnswer, read_answers
from autograder.desk.marking.copies import Copy, give_marks

pytestmark = pytest.mark.database


@pytest.fixture
def book(empty_book) -> Book:
    """A gradebook with three students."""
    book = empty_book
    book.enter(cleo="Mine.", ada="The root.", ben="The root.")
    return book


def marks(book: Book) -> dict[str, WrittenAnswer]:
    found, _ = read_answers(book.url, book.assignment.course, book.assignment.id, "")
    return {one.student: one for one in found}


def test_a_mark_is_copied_and_never_over_one_that_a_person_gave(book):
    book.mark("ada", 1.5, comment="Which root?", extra=0.5)
    before = marks(book)
    book.mark("cleo", 0.5)
    copies = [Copy(before["ada"], before[student]) for student in ("ben", "cleo")]
    assert give_marks(book.url, copies) == copies[:1]
    assert book.given("ben") == (1.5, 0.5, "") and not book.waits("ben")
    assert book.given("cleo")[0] == 0.5
    assert give_marks(book.url, copies) == []


def test_comments_go_along_where_there_is_none(book):
    book.mark("ada", 1.5, comment="Which root?")
    book.mark("cleo", None, comment="My words.")
    before = marks(book)
    copies = [Copy(before["ada"], before[student]) for student in ("ben", "cleo")]
    assert give_marks(book.url, copies, comments=True) == copies
    assert book.given("ben")[2] == "Which root?" and book.given("cleo")[2] == "My words."


def test_the_earlier_mark_of_what_changed_since_is_in_nobodys_way(book):
    book.mark("ada", 1.5)
    book.mark("ben", 1.0)
    book.enter(ben="The root!")
    found = marks(book)
    assert found["ben"].cell.is_open
    assert len(give_marks(book.url, [Copy(found["ada"], found["ben"])])) == 1
    assert book.given("ben")[0] == 1.5 and not book.waits("ben")


def test_a_gradebook_that_cannot_be_used_is_said_and_keeps_what_it_has(book, tmp_path, monkeypatch):
    (tmp_path / "none.db").write_text("no database")
    with pytest.raises(AutograderError, match="not a database.*try again"):
        read_answers(f"sqlite:///{tmp_path}/none.db", book.assignment.course, "sheet", "")
    book.mark("ada", 1.5)
    found = marks(book)
    locked = sqlite3.connect(book.url.removeprefix("sqlite:///"))
    locked.execute("BEGIN EXCLUSIVE")
    try:
        with pytest.raises(AutograderError, match="database is locked"):
            give_marks(f"{book.url}?timeout=0.1", [Copy(found["ada"], found["ben"])])
    finally:
        locked.close()
    assert book.given("ben")[0] is None
