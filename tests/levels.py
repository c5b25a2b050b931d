"""The two kinds of walls, as parameters of tests: each is skipped where this host does not have it."""

import pytest
from sandboxes import has_landlock

from autograder.engine.limits.process import LANDLOCK, NAMESPACES

needs_landlock = pytest.mark.skipif(not has_landlock(), reason="this kernel has no Landlock")
LEVELS = (
    pytest.param(NAMESPACES, marks=pytest.mark.namespaces),
    pytest.param(LANDLOCK, marks=needs_landlock),
)
