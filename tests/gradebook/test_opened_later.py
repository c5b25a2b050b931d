"""A gradebook that is opened later is the one that nbgrader would open."""

import pytest

from autograder.engine.course import NoCourse, find_course, make_course
from autograder.gradebook.nbgrader_course import NbgraderCourse
from autograder.gradebook.opened_later import OpenedLater, address_of

ELSEWHERE = 'c.CourseDirectory.db_url = "sqlite:////nowhere/points.db"\n'


@pytest.mark.parametrize("more", ["", ELSEWHERE], ids=["nbgrader's own", "configured"])
def test_its_address_is_nbgraders(more, tmp_path, request):
    course = make_course(tmp_path, find_course(request.config.rootpath), more)
    assert address_of(course) == NbgraderCourse(course).db_url


def test_a_wrong_address_is_told_at_once(tmp_path, request):
    course = make_course(tmp_path, find_course(request.config.rootpath), ELSEWHERE)
    with pytest.raises(NoCourse, match="There is no folder `/nowhere`"):
        OpenedLater(course)


def test_nbgrader_is_not_needed_before_something_is_asked(tmp_path, request):
    later = OpenedLater(make_course(tmp_path, find_course(request.config.rootpath)))
    assert later.late_rules() and "opened" not in vars(later)
    assert later.db_url == later.opened.db_url and "opened" in vars(later)
