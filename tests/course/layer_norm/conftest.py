"""The assignment `layer-norm`, and the answers of its solution."""

import pytest

from autograder import find_assignment


@pytest.fixture(scope="session")
def assignment(course):
    return find_assignment("layer-norm", course)


@pytest.fixture(scope="session")
def solved(assignment):
    return assignment.solutions
