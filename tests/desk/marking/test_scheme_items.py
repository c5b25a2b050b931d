"""Which lines of a marking scheme become items with points, and what stays text."""

from itertools import combinations

import pytest

from autograder import assignments, find_assignment
from autograder.desk.marking.scheme_items import SchemeItem, split_scheme
from autograder.gradebook.pages.schemes import schemes

TABLE = """**Marking scheme** (2 points)

| points | for |
|---|---|
| 0.5 | the root, $\\sqrt{x}$ |
| 1,5 | the scale \\| the mean |

Any notation is fine."""


def test_rows_of_a_table_are_items_and_the_rest_is_text():
    found = split_scheme(TABLE, 2.0)
    assert found.items == [
        SchemeItem(0.5, "the root, $\\sqrt{x}$"),
        SchemeItem(1.5, "the scale \\| the mean"),
    ]
    assert found.text == "**Marking scheme** (2 points)\n\n\nAny notation is fine."
    assert not found.one_of


def test_entries_of_a_list_are_items_and_may_take_points_off():
    found = split_scheme("For:\n\n- 1 point: the root\n* -0.5 points: no reason\n- be kind", 2.0)
    assert found.items == [SchemeItem(1.0, "the root"), SchemeItem(-0.5, "no reason")]
    assert found.text == "For:\n\n- be kind"


def test_a_row_without_a_number_keeps_its_table():
    found = split_scheme("| points | for |\n|---|---|\n| 1 | root |\n| some | scale |", 2.0)
    assert found.items == [SchemeItem(1.0, "root")]
    assert found.text == "| points | for |\n|---|---|\n| some | scale |"


@pytest.mark.parametrize(
    ("most", "points"), [(1.0, [0, 0.5, 1]), (1.25, [0, 0.5, 1, 1.25]), (0.0, [0])]
)
def test_a_scheme_without_items_has_the_points_in_halves(most, points):
    found = split_scheme("One point for the root.", most)
    assert [one.points for one in found.items] == points
    assert found.one_of and found.text == "One point for the root."


def test_the_schemes_of_the_course_are_items_that_add_up(course):
    written = 0
    for assignment in (find_assignment(id, course) for id in assignments(course)):
        most = {cell.id: cell.points for cell in assignment.cells}
        for name, scheme in schemes(assignment).items():
            split, written = split_scheme(scheme.scheme, most[name]), written + 1
            assert sum(one.points for one in split.items) == most[name] and not split.one_of
    assert written > 2


def test_example_answers_of_the_course_have_points_that_their_items_give(course):
    for assignment in (find_assignment(id, course) for id in assignments(course)):
        most = {cell.id: cell.points for cell in assignment.cells}
        for name, scheme in schemes(assignment).items():
            items = [one.points for one in split_scheme(scheme.scheme, most[name]).items]
            sums = {
                sum(some) for many in range(len(items) + 1) for some in combinations(items, many)
            }
            points = [one.points for one in scheme.examples]
            assert {*points} <= sums and 2 <= len(points) <= 4, name
            assert max(points) == most[name] and min(points) < most[name] / 2, name
