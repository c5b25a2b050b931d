"""Who decides: about evenly many, always the same, and never one who has marked it."""

from collections import Counter
from types import MappingProxyType

import pytest
from inquired import NOON, decision

from autograder.classroom.groups import Groups
from autograder.desk.inquiries.deciders import UNKNOWN, decider, inquiry_counts, read_markers
from autograder.desk.marking.given import GivenMark, add_given
from autograder.gradebook.inquiries import Inquiry

NAMES = [(f"s{k:02d}", exercise) for k in range(60) for exercise in ("one", "two")]
MARKERS = ["Kim", "Lee", "Mo"]


def decided(markers=MARKERS, marked=MappingProxyType({})) -> dict:
    """Who decides each of many inquiries."""
    return {name: decider("sheet", name, markers, marked) for name in NAMES}


@pytest.mark.parametrize("marker", MARKERS)
def test_never_who_has_marked_it_whatever_the_spelling(marker):
    marked = dict.fromkeys(NAMES, (marker.upper(),))
    assert {*decided(marked=marked).values()} == {*MARKERS} - {marker}


def test_who_has_marked_a_group_has_marked_its_members(tmp_path):
    groups = Groups({"ada": ["team"], "ben": ["team"], "cleo": []})
    results = tmp_path / "results"
    add_given(results, "sheet", GivenMark("team", "one", "Kim", 1.0, "v1", "2026-12-01"))
    marked = read_markers(results, "sheet", groups)
    assert {student for student, _ in marked} == {"team", "ada", "ben"}
    assert decider("sheet", ("ada", "one"), ["Kim"], marked) == ""


def test_shares_are_about_even_and_only_those_of_a_marker_who_goes_move():
    """Whatever the order of the markers, and however their names are spelt."""
    before, after = decided(), decided(["LEE", "kim"])
    counts = Counter(before.values())
    assert counts.keys() == {*MARKERS} and min(counts.values()) >= len(NAMES) // 5
    moved = {name for name in NAMES if before[name].casefold() != after[name].casefold()}
    assert moved == {name for name in NAMES if before[name] == "Mo"}


def test_what_all_have_marked_and_a_course_without_markers_have_nobody():
    marked = {NAMES[0]: set(MARKERS), NAMES[1]: {"Kim", "Lee"}}
    assert decider("sheet", NAMES[0], MARKERS, marked) == ""
    assert decider("sheet", NAMES[1], MARKERS, marked) == "Mo"
    assert decider("sheet", NAMES[0], [], {}) == ""


def test_counts_are_by_exercise_and_by_each_who_marked_it():
    inquiries = [
        Inquiry("ada", "one", "", NOON, decision(1, 2)),
        Inquiry("ben", "one", "", NOON, decision(1, 1)),
        Inquiry("ben", "two", "", NOON, decision(1, 2, entered=False)),
    ]
    marked = {("ada", "one"): {"Kim", "Lee"}, ("ben", "two"): {"Kim"}}
    counts = {row[:2]: row[2:] for row in inquiry_counts(inquiries, marked)}
    assert counts == {
        ("all", ""): (3, 2, 1),
        ("exercise", "one"): (2, 2, 1),
        ("exercise", "two"): (1, 0, 0),
        ("marker", "Kim"): (2, 1, 1),
        ("marker", "Lee"): (1, 1, 1),
        ("marker", UNKNOWN): (1, 1, 0),
    }
    assert inquiry_counts([], {}) == []
