"""What the tests of the sandbox share: each kind of walls, and candidates that leave a wall out."""

from collections.abc import Callable
from pathlib import Path

import pytest
from levels import LEVELS
from partial_walls import MODULES, copy_candidate, named, path_inside, start_copied

from autograder.engine.limits import LANDLOCK, Limits
from autograder.engine.sandbox import choose_walls, seccomp, self_test


@pytest.fixture(scope="module", params=LEVELS)
def level(request) -> str:
    """A kind of walls: tests that use it run once behind each."""
    return request.param


@pytest.fixture(scope="module")
def walls(level, course):
    """Walls of that kind, which have passed the self-test."""
    walls = choose_walls(level, (course.graders,))
    yield walls
    walls.close()


@pytest.fixture(scope="module")
def copy(tmp_path_factory) -> Path:
    """A copy of the candidate's code, to build walls from."""
    return copy_candidate(tmp_path_factory.mktemp("copy"))


@pytest.fixture(scope="module")
def copied_parent(level, copy):
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


@pytest.fixture
def missing_behind(level, copy, missing) -> Callable[[], set[str]]:
    """The same for candidates behind the filter that `write_filter` writes now."""

    def find() -> set[str]:
        with open(copy / "filter", "wb") as file:
            seccomp.write_filter(file, behind_landlock=level == LANDLOCK)
        return missing(
            f"program = open('{path_inside(level, copy)}/filter', 'rb').read()\n"
            "own_program = walls.WallSettings.own_program\n"
            "walls.WallSettings.own_program = lambda all: own_program(all._replace(program=program))"
        )

    return find
