"""The notebook of `modern-block`, and its visible checks, for tests of what they say."""

import pytest
from notebook_cells import cells_of, checks_of


@pytest.fixture(scope="module")
def cells(course):
    return cells_of("modern-block", course)


@pytest.fixture(scope="module")
def checks(course):
    return checks_of("modern-block", course)
