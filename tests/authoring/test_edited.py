"""Assignments are found in `source/` as they are edited, released or not."""

import shutil

import pytest

from autograder import CourseError
from autograder.authoring.edited import as_edited, assignment_of, find_source
from autograder.engine.courses import CONFIG, sources


def test_assignments_are_the_folders_with_a_notebook_of_their_name(copied):
    other = copied.course.source / "another"
    other.mkdir()
    (other / "notes.ipynb").touch()
    assert sources(copied.course) == [copied.id]
    (other / "another.ipynb").touch()
    assert sources(copied.course) == ["another", copied.id]


def test_an_assignment_is_found_before_its_release(copied):
    shutil.rmtree(copied.course.release)
    assert find_source(copied.id, copied.course).source.is_file()
    with pytest.raises(CourseError, match="There is: small-sheet"):
        find_source("decoder", copied.course)


def test_a_course_without_assignments_has_none(copied):
    shutil.rmtree(copied.course.source)
    with pytest.raises(CourseError, match="There is: none"):
        find_source(copied.id, copied.course)


def test_the_source_stands_in_for_the_release(copied):
    shutil.rmtree(copied.course.release)
    edited = as_edited(copied)
    assert edited.release == edited.source == copied.source
    assert [one.id for one in edited.exercises] == ["rms_norm", "softmax", "prediction"]


def test_a_folder_of_graders_is_known_and_no_other_is(copied, tmp_path):
    assert assignment_of(copied.graders) == copied
    assert assignment_of(copied.course.graders) is None
    assert assignment_of(copied.source.parent) is None
    (tmp_path / "bare").mkdir()
    assert not (tmp_path / CONFIG).exists() and assignment_of(tmp_path / "bare") is None
