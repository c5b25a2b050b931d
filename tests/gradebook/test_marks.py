"""What a gradebook holds of an assignment."""

import pytest
from exports import ADA, BEN, ID, enter

from autograder.gradebook.sync.tables import read_marks

pytestmark = pytest.mark.database

URL = "sqlite:///gradebook.db"


def test_a_mark_is_points_by_machine_and_by_hand_and_what_lateness_costs(class_folder):
    enter({ADA: 10.0, BEN: 7.5}, by_hand={ADA: 3.0}, penalty={ADA: 2.0})
    marks = read_marks(URL, ID)
    assert marks.keys() == {ADA, BEN} and read_marks(URL, ID, BEN) == {BEN: marks[BEN]}
    ada, ben = marks[ADA], marks[BEN]
    assert (ada.automatic, ada.by_hand, ada.penalty, ada.waiting) == (10.0, 3.0, 2.0, 0)
    assert (ben.automatic, ben.by_hand, ben.penalty, ben.waiting) == (7.5, 0.0, 0.0, 1)
    assert ada.max_points == ben.max_points == 14.0
    assert read_marks(URL, "another-sheet") == {}
