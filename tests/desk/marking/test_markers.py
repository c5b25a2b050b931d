"""Who marks, and the marks that carry a marker's name."""

import pytest

from autograder import AutograderError, Course
from autograder.desk.marking.given import GivenMark, add_given, read_given
from autograder.desk.marking.markers import find_marker, markers_of
from autograder.engine.courses import CONFIG


@pytest.fixture
def course_with(tmp_path):
    def make(line: str) -> Course:
        (tmp_path / CONFIG).write_text(f"c = get_config()\n{line}\n")
        return Course(tmp_path, tmp_path, tmp_path, tmp_path)

    return make


def test_a_marker_has_the_share_of_the_place_in_the_list(course_with):
    course = course_with("c.Marking.markers = ['Kim', 'lee', 'Noa']")
    found = [find_marker(course, name) for name in ("KIM", "lee")]
    assert found == [("Kim", 1, 3), ("lee", 2, 3)]


def test_who_is_no_marker_is_told_who_is(course_with):
    with pytest.raises(AutograderError, match="'mallory'.*it has Kim, Lee"):
        find_marker(course_with("c.Marking.markers = ['Kim', 'Lee']"), "mallory")
    with pytest.raises(AutograderError, match="nobody yet"):
        find_marker(course_with(""), "kim")


@pytest.mark.parametrize("names", ["['kim', 'KIM']", "['kim', ' ']", "3", "[3]"])
def test_a_list_that_cannot_be_used_is_told(course_with, names):
    with pytest.raises(AutograderError, match=r"c\.Marking"):
        markers_of(course_with(f"c.Marking.markers = {names}"))


def test_a_misspelt_setting_is_told(course_with):
    with pytest.raises(
        AutograderError, match="c.Marking has no setting `marker`. It has: markers."
    ):
        markers_of(course_with("c.Marking.marker = ['kim']"))


def test_of_a_markers_marks_for_one_answer_the_last_counts(tmp_path):
    first = GivenMark("s001", "explain", "kim", 1.0, "v1", "2026-11-27T10:00:00+00:00")
    again = GivenMark(
        "s001", "explain", "kim", 2.0, "v1", "2026-11-27T11:00:00+00:00", "yes", ("a",)
    )
    second = GivenMark("s001", "explain", "lee", 0.5, "v1", "2026-11-27T10:30:00+00:00")
    for mark in (first, second, again):
        add_given(tmp_path / "results", "sheet", mark)
    assert read_given(tmp_path / "results", "sheet") == [again, second]
