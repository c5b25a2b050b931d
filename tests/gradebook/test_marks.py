"""What a gradebook holds of an assignment, and whether there is one at all."""

import pytest
from exports import ADA, BEN, ID, enter

from autograder.engine.course import read_course
from autograder.gradebook.marks import gradebook_of, read_marks
from autograder.gradebook.sessions import UnreadableGradebook
from autograder.gradebook.url import NoGradebook, find_gradebook

pytestmark = pytest.mark.database

URL = "sqlite:///gradebook.db"


def test_a_mark_is_points_by_machine_and_by_hand_and_what_lateness_costs(class_folder):
    enter({ADA: 10.0, BEN: 7.5}, by_hand={ADA: 3.0}, penalty={ADA: 2.0})
    marks = read_marks(URL, ID)
    assert marks.keys() == {ADA, BEN}
    ada, ben = marks[ADA], marks[BEN]
    assert (ada.automatic, ada.by_hand, ada.penalty, ada.waiting) == (10.0, 3.0, 2.0, 0)
    assert (ben.automatic, ben.by_hand, ben.penalty, ben.waiting) == (7.5, 0.0, 0.0, 1)
    assert ada.max_points == ben.max_points == 14.0
    assert read_marks(URL, "another-sheet") == {}


def test_a_course_has_the_gradebook_that_is_there(class_folder):
    course = read_course(class_folder)
    assert gradebook_of(course) is None and not (class_folder / "gradebook.db").exists()
    enter({ADA: 10.0}, by_hand={}, penalty={})
    url = gradebook_of(course)
    assert read_marks(url, ID)[ADA].automatic == 10.0 and find_gradebook(url) == url


def test_reading_makes_no_gradebook(class_folder):
    with pytest.raises(NoGradebook, match="There is no gradebook"):
        find_gradebook(URL)
    with pytest.raises(NoGradebook, match="address cannot be read"):
        find_gradebook("gradebook.db")
    assert not (class_folder / "gradebook.db").exists()


def test_a_gradebook_that_is_none_is_said(class_folder):
    (class_folder / "gradebook.db").write_text("no database")
    with pytest.raises(UnreadableGradebook, match="file is not a database.*--no-gradebook"):
        read_marks(URL, ID)
