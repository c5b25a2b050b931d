"""The two kinds of walls, as parameters of tests: each is skipped where this host does not have it."""

import pytest

from autograder.engine.limits import LANDLOCK, NAMESPACES
from tests.sandboxes import allows_namespaces, has_landlock

needs_landlock = pytest.mark.skipif(not has_landlock(), reason="this kernel has no Landlock")
LEVELS = (
    pytest.param(NAMESPACES, marks=pytest.mark.namespaces),
    pytest.param(LANDLOCK, marks=needs_landlock),
)
in_namespaces = pytest.mark.parametrize(
    "level", LEVELS[:1], indirect=True
)  # instead of behind both
DEFAULT = NAMESPACES if allows_namespaces() else LANDLOCK  # of this host
