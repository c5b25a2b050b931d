"""The assignments that there are: of this repository, and of the tests' own course."""

from pathlib import Path

import pytest

from autograder.engine.assignment import assignments, find_assignment
from autograder.engine.course import find_course

TOP = Path(__file__).parents[1]
ASSIGNMENTS = [
    find_assignment(id, course)
    for course in (find_course(TOP), find_course(TOP / "tests" / "course"))
    for id in assignments(course)
]
each_assignment = pytest.mark.parametrize("assignment", ASSIGNMENTS, ids=lambda one: one.id)
