"""Fixtures: a course that `new` made, with one assignment: a module, a function and a plain value."""

import shutil
from pathlib import Path

import pytest

from autograder import Assignment, Course
from autograder.authoring.lint import TODO
from autograder.authoring.publish import release
from autograder.authoring.skeleton import KINDS, begin_assignment, begin_exercise
from autograder.engine.courses import CONFIG, read_course

SHEET = "my-sheet"


@pytest.fixture
def empty_course(tmp_path) -> Course:
    """A course with nothing in it but an empty configuration."""
    (tmp_path / CONFIG).touch()
    return read_course(tmp_path)


@pytest.fixture(scope="session")
def skeleton(tmp_path_factory) -> Assignment:
    """An exercise of each kind, named after it, and a release. Not to be changed."""
    root = tmp_path_factory.mktemp("course")
    (root / CONFIG).touch()
    course = read_course(root)
    begin_assignment(SHEET, course)
    assignment = Assignment(SHEET, course)
    for kind in KINDS:
        begin_exercise(assignment, f"one_{kind}", kind)
    assert release(assignment) == []
    return assignment


@pytest.fixture
def finished(skeleton, tmp_path) -> Assignment:
    """A copy of it in which nothing is marked TODO(author) any more, to be changed."""
    root = tmp_path / "course"
    shutil.copytree(skeleton.course.root, root, ignore=shutil.ignore_patterns("__pycache__"))
    for folder in (root / "source", root / "graders"):
        for file in folder.rglob("*.*"):
            if file.is_file():
                replace(file, TODO, "done")
    return Assignment(SHEET, read_course(root))


@pytest.fixture
def two(small, tmp_path) -> Course:
    """The small assignment, released, and one with a single exercise that never was; to be changed."""
    root = tmp_path / "two"
    shutil.copytree(small.course.root, root, ignore=shutil.ignore_patterns("__pycache__"))
    course = read_course(root)
    begin_assignment(SHEET, course)
    begin_exercise(Assignment(SHEET, course), "one_module", "module")
    return course


def replace(file: Path, old: str, new: str) -> None:
    """Change a file's text."""
    file.write_text(file.read_text(encoding="utf-8").replace(old, new), encoding="utf-8")


def contents(folder: Path) -> dict[str, bytes]:
    """What is in a folder, by name."""
    files = (file for file in folder.rglob("*") if file.is_file())
    return {file.relative_to(folder).as_posix(): file.read_bytes() for file in files}
