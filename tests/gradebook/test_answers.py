"""An answer is to be marked again where it has changed, and only there."""

import sqlite3
from contextlib import closing

import pytest
from nbformat.v4 import new_code_cell
from nbgrader.api import Gradebook
from written_answers import WRITTEN, Book, graded

from autograder.engine.courses import CHECK
from autograder.gradebook.sync.answers import answer_in, earlier_answers
from autograder.gradebook.sync.own_tables import EnteredAnswer

pytestmark = pytest.mark.database
CHECKED = CHECK + "softmax"


@pytest.fixture
def book(empty_book) -> Book:
    """A gradebook in which ada has an answer that is marked."""
    book = empty_book
    book.enter(ada="The root keeps\nthe scale.")
    assert book.waits("ada")
    book.mark("ada", 1.5, comment="Which scale?", extra=0.5)
    return book


def earlier(book: Book, student: str = "ada") -> dict[str, tuple[float, str, str | None]]:
    """The mark, the text and the comment of what was marked and has changed since, by cell."""
    with Gradebook(book.url) as rows:
        found = earlier_answers(rows.db, book.notebook_id(student))
        return {cell: (one.points, one.text, one.comment) for cell, one in found.items()}


def test_other_automatic_points_leave_what_was_marked_as_it_is(book):
    book.enter(ada=graded(book.assignment, "The root keeps\nthe scale.", points=0.0))
    assert not book.waits("ada") and earlier(book) == {}
    assert book.given("ada") == (1.5, 0.5, "Which scale?")


def test_other_ends_of_lines_are_no_other_answer(book):
    book.enter(ada="The root keeps\r\nthe scale.")
    assert not book.waits("ada")
    book.enter(ada="The root keeps\rthe scale.")
    assert not book.waits("ada")


NOTHING, ROOT = (None, None, ""), (1.5, "The root keeps\nthe scale.", "Which scale?")


def test_the_mark_of_a_changed_answer_counts_nowhere_and_is_shown_with_its_text(book):
    book.enter(ada="The root keeps\nthe scale!")
    assert book.waits("ada") and book.given("ada") == NOTHING and earlier(book) == {WRITTEN: ROOT}
    book.enter(ada="The root keeps\nthe scale!")  # graded again meanwhile
    assert book.waits("ada") and earlier(book) == {WRITTEN: ROOT}
    book.mark("ada", 1.0)
    assert earlier(book) == {}
    book.enter(ada="The root keeps\nthe scale!")
    assert not book.waits("ada") and book.given("ada") == (1.0, None, "") and earlier(book) == {}


def test_an_answer_that_was_deleted_has_no_mark_and_waits_for_none(book):
    book.enter(ada=None)
    assert not book.waits("ada") and book.given("ada") == NOTHING


def test_each_answer_that_comes_back_has_its_mark_again(book):
    book.enter(ada="second")
    book.enter(ada="third")
    assert earlier(book) == {WRITTEN: ROOT}
    book.enter(ada="The root keeps\nthe scale.")
    assert not book.waits("ada") and book.given("ada") == (1.5, 0.5, "Which scale?")
    assert earlier(book) == {}
    book.enter(ada="second")
    book.mark("ada", 2.0, comment="Better.")
    book.enter(ada="The root keeps\nthe scale.")
    assert not book.waits("ada") and book.given("ada") == (1.5, 0.5, "Which scale?")
    book.enter(ada="second")
    assert not book.waits("ada") and book.given("ada") == (2.0, None, "Better.")
    book.enter(ada="fourth")
    assert book.waits("ada") and earlier(book) == {WRITTEN: (2.0, "second", "Better.")}


def test_an_answer_that_nobody_has_marked_waits_whatever_it_says(book):
    book.enter(ben="mine", cleo=None)
    assert book.waits("ben") and not book.waits("cleo")
    book.enter(ben="mine", cleo="now")
    assert book.waits("ben") and book.waits("cleo") and earlier(book, "cleo") == {}
    book.enter(ben=None)
    assert not book.waits("ben")


def test_another_picture_is_another_answer(book):
    def with_picture(data: str):
        notebook = graded(book.assignment, "![drawn](attachment:a.png)")
        (cell,) = (cell for cell in notebook.cells if cell.id == WRITTEN)
        cell.attachments = {"a.png": {"image/png": data}}
        return notebook

    book.enter(ada=with_picture("QUJD"))
    book.mark("ada", 2.0)
    book.enter(ada=with_picture("QUJD"))
    assert not book.waits("ada")
    book.enter(ada=with_picture("REVG"))
    assert book.waits("ada")


def test_points_put_over_automatic_ones_are_looked_at_where_these_or_the_code_changed(book):
    def hand_in(points: float, code: str) -> bool:
        book.enter(ada=graded(book.assignment, None, points, softmax=code))
        return book.waits("ada", CHECKED)

    assert not hand_in(1.0, "mine = 1")
    book.mark("ada", 2.0, CHECKED)
    assert not hand_in(1.0, "mine = 1")
    assert hand_in(0.5, "mine = 1")
    book.mark("ada", 2.0, CHECKED)
    assert not hand_in(0.5, "mine = 1")
    assert hand_in(0.5, "mine = 2") and book.given("ada", CHECKED)[0] is None
    assert hand_in(0.5, "mine = 2") and earlier(book)[CHECKED][0] == 2.0
    assert not hand_in(0.5, "mine = 1") and book.given("ada", CHECKED)[0] == 2.0


def test_a_gradebook_of_before_is_marked_once_more_and_says_nothing_about_changes(book):
    with Gradebook(book.url) as rows:
        EnteredAnswer.__table__.drop(rows.engine)
    assert earlier(book) == {}
    book.enter(ada="The root keeps\nthe scale.")
    assert book.waits("ada") and earlier(book) == {}


def test_whoever_is_taken_out_of_the_gradebook_leaves_no_text_there(book):
    book.enter(ada="second")
    with Gradebook(book.url) as rows:
        rows.remove_student("ada")
    book.enter(ben="mine")
    with closing(sqlite3.connect(book.assignment.course.root / "gradebook.db")) as gradebook:
        rows = "\n".join(gradebook.iterdump())
    assert "mine" in rows and "second" not in rows and "The root keeps" not in rows


def test_any_text_can_be_kept():
    odd = answer_in(new_code_cell("a\0b\ud800" + "x" * 100_000))
    assert odd.text.startswith("a\N{REPLACEMENT CHARACTER}b?xxx") and len(odd.text) == 20_000
    assert odd.digest != answer_in(new_code_cell("a\0b\ud800" + "x" * 99_999)).digest
