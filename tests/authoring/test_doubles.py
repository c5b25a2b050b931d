"""Ways that no check tells apart are found, and others are not."""

from dataclasses import replace

from autograder.authoring.without_walls import same_ways
from autograder.engine.course.mistake import mistakes


def test_ways_with_the_same_answers_are_told_by_their_numbers(small):
    mistake = next(one for one in mistakes(small) if one.id == "another_axis")
    cell = mistake.cells[0]
    solution = small.solutions["softmax"]
    ways = (cell, solution, f"{cell}\n# the same", f"{solution}\n", f"{cell}\nx = 1")
    assert same_ways(small, replace(mistake, cells=ways)) == [[1, 3, 5], [2, 4]]
    assert same_ways(small, replace(mistake, cells=(cell, solution))) == []
