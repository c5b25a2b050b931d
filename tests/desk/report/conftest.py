"""Fixtures: classes to report on."""

import pytest
from report_classes import ClassResults, a_class, hostile_class


@pytest.fixture(scope="session")
def twelve(assignment) -> ClassResults:
    """A class of twelve."""
    return a_class(assignment, 12)


@pytest.fixture(scope="session")
def hostile() -> ClassResults:
    """A class in which whatever somebody else wrote is odd."""
    return hostile_class()
