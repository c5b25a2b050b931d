"""The assignments that there are: of this repository, and of the tests' own course."""

from collections.abc import Sequence
from pathlib import Path

import pytest

from autograder import Assignment, assignments, find_assignment, find_course

TOP = Path(__file__).parents[1]
OURS, OF_THE_TESTS = (
    [find_assignment(id, course) for id in assignments(course)]
    for course in (find_course(TOP), find_course(TOP / "tests" / "course"))
)
ASSIGNMENTS = OURS + OF_THE_TESTS


def long_but_one(chosen: Sequence[Assignment]) -> pytest.MarkDecorator:
    """Parametrize with these; of this repository's, `make test` takes the last, whose cells need the
    least time.
    """
    long = {one.id: [pytest.mark.long] for one in OURS[:-1]}
    params = [pytest.param(one, marks=long.get(one.id, []), id=one.id) for one in chosen]
    return pytest.mark.parametrize("assignment", params, scope="module")


each_assignment = pytest.mark.parametrize("assignment", ASSIGNMENTS, ids=lambda one: one.id)
