"""Which lines of a marking scheme become items with points, and what stays text."""

from itertools import combinations

import pytest

from autograder import assignments, find_assignment
from autograder.desk.marking.scheme_items import split_scheme
from autograder.gradebook.pages.schemes import schemes

TABLE = """**Marking scheme** (2 points)

| points | for |
|---|---|
| 0.5 | the root, $\\sqrt{x}$ |
| 1,5 | the scale \\| the mean |

Any notation is fine."""


@pytest.mark.parametrize(
    ("scheme", "items", "text"),
    [
        (
            TABLE,
            [(0.5, "the root, $\\sqrt{x}$"), (1.5, "the scale \\| the mean")],
            "**Marking scheme** (2 points)\n\n\nAny notation is fine.",
        ),
        (
            "For:\n\n- 1 point: the root\n* -0.5 points: no reason\n- be kind",
            [(1.0, "the root"), (-0.5, "no reason")],
            "For:\n\n- be kind",
        ),
        (
            "| points | for |\n|---|---|\n| 1 | root |\n| some | scale |",
            [(1.0, "root")],
            "| points | for |\n|---|---|\n| some | scale |",
        ),
    ],
    ids=["a table", "a list", "a table with a row that has no number"],
)
def test_lines_with_points_are_items_and_the_rest_is_text(scheme, items, text):
    split = split_scheme(scheme, 2.0)
    assert [(item.points, item.text) for item in split.items] == items
    assert split.text == text and not split.one_of


@pytest.mark.parametrize(
    ("most", "points"), [(1.0, [0, 0.5, 1]), (1.25, [0, 0.5, 1, 1.25]), (0.0, [0])]
)
def test_a_scheme_without_items_has_the_points_in_halves(most, points):
    split = split_scheme("One point for the root.", most)
    assert [item.points for item in split.items] == points
    assert split.one_of and split.text == "One point for the root."


def test_items_of_the_course_add_up_and_give_the_points_of_its_example_answers(course):
    schemes_of_course = 0
    for assignment in (find_assignment(id, course) for id in assignments(course)):
        max_points = {cell.id: cell.points for cell in assignment.cells}
        for name, scheme in schemes(assignment).items():
            most, schemes_of_course = max_points[name], schemes_of_course + 1
            split = split_scheme(scheme.scheme, most)
            items = [item.points for item in split.items]
            assert sum(items) == most and not split.one_of
            choices = [combinations(items, count) for count in range(len(items) + 1)]
            sums = {sum(chosen) for choice in choices for chosen in choice}
            points = [example.points for example in scheme.examples]
            assert {*points} <= sums and 2 <= len(points) <= 4, name
            assert max(points) == most and min(points) < most / 2, name
    assert schemes_of_course > 2
