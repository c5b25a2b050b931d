"""A gradebook of the small assignment in which some answers are equal."""

import pytest
from written_answers import Book

from autograder.desk.marking.answers import WrittenAnswer, read_answers

FORMGRADER = "http://localhost:8888/formgrader"


@pytest.fixture
def book(empty_book) -> Book:
    """ada, ben and cleo say the same, dan something else, eva nothing."""
    book = empty_book
    book.enter(
        ada="The root\nkeeps the scale.",
        ben="The root   keeps\r\nthe scale. ",
        cleo="The root keeps the scale.",
        dan="The root keeps the Scale.",
        eva=None,
    )
    return book


@pytest.fixture
def answers(book):
    """Read the answers that there are now."""

    def read() -> list[WrittenAnswer]:
        assignment = book.assignment
        found, unread = read_answers(book.url, assignment.course, assignment.id, FORMGRADER)
        assert unread == []
        return found

    return read
