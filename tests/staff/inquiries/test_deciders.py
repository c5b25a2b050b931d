"""Who decides: evenly many, always the same, and never one who has marked it."""

import pytest
from inquired import NOON, decision

from autograder.gradebook.inquiries import Inquiry
from autograder.people.groups import Groups
from autograder.staff.inquiries.deciders import UNKNOWN, deciders, inquiry_counts, read_markers
from autograder.staff.marking.given import GivenMark, add_given

NAMES = [(f"s{k:02d}", exercise) for k in range(20) for exercise in ("one", "two")]
MARKERS = ["Kim", "Lee", "Mo"]


@pytest.mark.parametrize("marker", MARKERS)
def test_never_who_has_marked_it_whatever_the_spelling(marker):
    marked = dict.fromkeys(NAMES, (marker.upper(),))
    decided = deciders("sheet", NAMES, MARKERS, marked)
    assert decided.keys() == {*NAMES} and marker not in decided.values()


def test_who_has_marked_a_group_has_marked_its_members(tmp_path):
    groups = Groups({"ada": ["team"], "ben": ["team"], "cleo": []})
    add_given(tmp_path, "sheet", GivenMark("team", "one", "Kim", 1.0, "v1", "2026-12-01"))
    marked = read_markers(tmp_path, "sheet", groups)
    assert {student for student, _ in marked} == {"team", "ada", "ben"}
    assert deciders("sheet", [("ada", "one")], ["Kim"], marked) == {}


def test_shares_are_even_and_do_not_depend_on_the_order():
    decided = deciders("sheet", NAMES, MARKERS, {})
    counts = sorted([*decided.values()].count(one) for one in MARKERS)
    assert counts == [13, 13, 14]
    assert deciders("sheet", reversed(NAMES), MARKERS, {}) == decided


def test_what_all_have_marked_and_a_course_without_markers_have_nobody():
    marked = {NAMES[0]: set(MARKERS), NAMES[1]: {"Kim", "Lee"}}
    decided = deciders("sheet", NAMES, MARKERS, marked)
    assert NAMES[0] not in decided and decided[NAMES[1]] == "Mo"
    assert deciders("sheet", NAMES, [], {}) == {}


def test_counts_are_by_exercise_and_by_each_who_marked_it():
    asked = [
        Inquiry("ada", "one", "", NOON, decision(1, 2)),
        Inquiry("ben", "one", "", NOON, decision(1, 1)),
        Inquiry("ben", "two", "", NOON, decision(1, 2, entered=False)),
    ]
    marked = {("ada", "one"): {"Kim", "Lee"}, ("ben", "two"): {"Kim"}}
    assert inquiry_counts(asked, marked) == [
        ("all", "", 3, 2, 1),
        ("exercise", "one", 2, 2, 1),
        ("exercise", "two", 1, 0, 0),
        ("marker", "Kim", 2, 1, 1),
        ("marker", "Lee", 1, 1, 1),
        ("marker", UNKNOWN, 1, 1, 0),
    ]
    assert inquiry_counts([], {}) == []
