"""Fixtures: a class with results, what exports them, and what collects downloads."""

from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from autograder.engine.limits import bounded

if TYPE_CHECKING:  # most tests need none of it, and nbgrader takes a second to import
    from downloads import Collect
    from exports import Export


@pytest.fixture
def class_folder(tmp_path, monkeypatch) -> Path:
    """A course with results of three, and no gradebook yet."""
    from exports import write_class

    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr("nbgrader.api.get_alembic_version", lambda: "0")  # starts a program
    write_class()
    return tmp_path


@pytest.fixture
def planted_course(tmp_path, monkeypatch) -> Path:
    """A course in which one student is in each kind of places, as the current folder."""
    from planted_student import plant

    folder = tmp_path / "course"
    folder.mkdir()
    monkeypatch.chdir(folder)
    monkeypatch.setattr("nbgrader.api.get_alembic_version", lambda: "0")  # starts a program
    plant()
    return folder


@pytest.fixture
def export(class_folder, capfd) -> "Export":
    """Run the command; return its status and what was said."""
    from exports import Export

    return Export(capfd)


@pytest.fixture
def into(tmp_path) -> Path:
    """Where submissions are collected."""
    return tmp_path / "submitted"


@pytest.fixture
def collect(tmp_path, capfd) -> "Collect":
    """Collect downloads into `into`; return status and what was said."""
    from downloads import Collect

    return Collect(tmp_path, capfd)


@pytest.fixture
def roster(tmp_path):
    """Write a roster; return the words by which a command takes it."""

    def write(text: str) -> list[str]:
        path = tmp_path / "course.csv"
        path.write_text(text, encoding="utf-8")
        return ["--roster", str(path)]

    return write


@pytest.fixture(scope="module")
def read_without_fork() -> Iterator[None]:
    """Honest notebooks are read, and their pages made, in this process. That a fork with limits does it,
    tests of `bounded`, of `contents`, of pages and of hostile downloads say.
    """
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(bounded, "_is_bounded", True)
        yield
