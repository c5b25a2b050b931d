"""What the tests of the sandbox share: each kind of walls, and candidates that leave a wall out."""

from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from levels import LEVELS
from partial_walls import MODULES, copy_candidate, named, start_copied

from autograder.engine.limits import Limits
from autograder.engine.sandbox import self_test
from autograder.engine.sandbox.walls import Walls
from autograder.engine.sandbox.warm_parent import WarmParent


@pytest.fixture(scope="module", params=LEVELS)
def level(request) -> str:
    """A kind of walls: tests that use it run once behind each."""
    return request.param


@pytest.fixture(scope="module")
def walls(level, course) -> Iterator[Walls]:
    """Walls of that kind, which have passed the self-test."""
    walls = Walls(level, hidden=(course.graders,))
    walls.start(Limits()).end()
    yield walls
    walls.close()


@pytest.fixture(scope="module")
def copy(tmp_path_factory) -> Path:
    """A copy of the candidate's code, to build walls from."""
    return copy_candidate(tmp_path_factory.mktemp("copy"))


@pytest.fixture(scope="module")
def copied_parent(level, copy) -> Iterator[WarmParent]:
    """A warm parent whose candidates run a line of the test's before they build their walls."""
    parent = start_copied(level, copy)
    yield parent
    parent.close()


@pytest.fixture
def start_first(monkeypatch) -> Callable[[str], None]:
    """Have the next candidates of a copied parent run this line before they build their walls."""

    def first(line: str) -> None:
        inside = Limits.inside
        more = {"first": MODULES + line}
        monkeypatch.setattr(Limits, "inside", lambda limits: inside(limits) | more)

    return first


@pytest.fixture
def missing(copied_parent, start_first) -> Callable[[str], set[str]]:
    """Return the walls that the self-test names when candidates run this line first."""

    def find(line: str) -> set[str]:
        start_first(line)
        return named(lambda: self_test.try_walls(copied_parent))

    return find
