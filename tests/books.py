"""Fixtures: gradebooks of the small assignment, in which nobody is yet."""

import shutil
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from autograder import find_assignment
from autograder.engine.courses import read_course

if TYPE_CHECKING:  # most tests need no gradebook, and nbgrader takes a second to import
    from written_answers import Book


@pytest.fixture(scope="session")
def registered(small, tmp_path_factory) -> Path:
    """The small course with a gradebook that knows its cells, to be copied."""
    from written_answers import Book

    folder = tmp_path_factory.mktemp("registered") / "course"
    shutil.copytree(small.course.root, folder, ignore=shutil.ignore_patterns("__pycache__"))
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("nbgrader.api.get_alembic_version", lambda: "0")  # starts a program
        Book(find_assignment(small.id, read_course(folder)))
    return folder


@pytest.fixture
def empty_book(registered, small, tmp_path) -> "Book":
    """A gradebook of the small assignment in a course of its own, with nobody in it."""
    from written_answers import Book

    shutil.copytree(registered, tmp_path / "course")
    return Book(find_assignment(small.id, read_course(tmp_path / "course")))
