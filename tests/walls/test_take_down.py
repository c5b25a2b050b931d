"""The harness that takes walls down tells noticed from unnoticed; every wall in its table is there."""

import re
from pathlib import Path

import pytest
from rich.console import Console

from tests.walls import take_down
from tests.walls.table import WALLS
from tests.walls.wall import Wall

pytestmark = pytest.mark.slow

SMALL = {  # a project with one wall and a test of it
    "pyproject.toml": '[tool.pytest.ini_options]\npythonpath = ["."]\n',
    "autograder/__init__.py": "",
    "autograder/wall.py": "MOST = 3\nNOTE = 'a note'\n\ndef holds(n):\n    return n <= MOST\n",
    "tests/test_wall.py": (
        "from autograder.wall import holds\n\n"
        "def test_it_holds():\n    assert holds(3) and not holds(4)\n"
    ),
}
CHEAP = "zeros guard"  # of this project, to be taken down in every run


@pytest.fixture
def small_project(tmp_path):
    for name, text in SMALL.items():
        (tmp_path / name).parent.mkdir(exist_ok=True)
        (tmp_path / name).write_text(text)
    return tmp_path


def wall(text: str, without: str, test: str = "test_wall.py") -> Wall:
    return Wall("a wall", "wall.py", text, without, (test,))


def test_a_wall_that_a_test_misses_is_noticed_by_that_test(small_project):
    result = take_down.try_wall(wall("n <= MOST", "True"), small_project)
    assert (result.noticed_by, result.problem) == ("test_wall.py::test_it_holds", "")


def test_a_wall_that_no_test_misses_is_unnoticed(small_project):
    result = take_down.try_wall(wall("NOTE = 'a note'", "NOTE = ''"), small_project)
    assert (result.noticed_by, result.problem) == ("", "unnoticed")
    assert (small_project / "autograder/wall.py").read_text() == SMALL["autograder/wall.py"]


@pytest.mark.parametrize(
    ("text", "without", "problem"),
    [
        ("n <= MOST", "n <=", "is no Python without it"),
        ("n <= LEAST", "True", "0 times instead of once"),
        ("n", "m", "times instead of once"),
    ],
)
def test_an_edit_that_cannot_be_made_is_told(small_project, text, without, problem):
    result = take_down.try_wall(wall(text, without), small_project)
    assert result.noticed_by == "" and problem in result.problem


@pytest.mark.parametrize(
    ("status", "said", "noticed_by", "problem"),
    [
        (
            1,
            "F\nFAILED tests/a/test_b.py::test_c[x y] - assert 1 == 2\n",
            "a/test_b.py::test_c[x y]",
            "",
        ),
        (1, "ERROR tests/test_b.py::test_c - Gap: `net`\n", "test_b.py::test_c", ""),
        (1, "FAILED tests/test_b.py::test_c - NameError: x\n", "", "breaks the code"),
        (
            1,
            "ERROR tests/test_b.py::test_c - SandboxError: the warm parent is gone\n",
            "",
            "breaks",
        ),
        (1, "nothing is said", "", "pytest ended with 1"),
        (2, "ERROR tests/test_b.py - ImportError\n", "", "pytest ended with 2"),
        (4, "ERROR: not found: tests/test_b.py::test_d", "", "pytest ended with 4"),
        (5, "no tests ran", "", "pytest ended with 5"),
    ],
)
def test_only_a_test_that_fails_has_noticed(status, said, noticed_by, problem):
    found = take_down.judge(status, said)
    assert found[0] == noticed_by and problem in found[1] and bool(found[0]) != bool(found[1])


def test_the_table_shows_what_a_test_is_called(capsys):
    results = [
        take_down.Result(wall("a", "b"), "test_x.py::test_y[[/tmp/z]]", "", 1.0),
        take_down.Result(wall("a", "b"), "", "unnoticed", 1.0),
    ]
    Console(width=100).print(take_down.table(results))
    said = capsys.readouterr().out
    assert "test_y[[/tmp/z]]" in said and "unnoticed" in said


def test_the_copy_is_what_every_process_imports():
    assert take_down.problem_of_the_copy([]) == ""


@pytest.mark.parametrize("wall", WALLS, ids=lambda wall: wall.name)
def test_every_wall_of_the_table_is_in_its_file_exactly_once(wall, tmp_path):
    before = {}
    for name in {edit[0] for edit in wall.edits}:
        (tmp_path / "autograder" / name).parent.mkdir(parents=True, exist_ok=True)
        before[name] = Path(take_down.CHECKOUT, "autograder", name).read_text(encoding="utf-8")
        (tmp_path / "autograder" / name).write_text(before[name], encoding="utf-8")
    wall.take_down(tmp_path)
    for name, text in before.items():
        assert (tmp_path / "autograder" / name).read_text(encoding="utf-8") != text


def test_every_wall_has_a_name_of_its_own_and_tests_that_are_there():
    assert len({wall.name for wall in WALLS}) == len(WALLS)
    assert all(wall.tests for wall in WALLS)
    for wall in WALLS:
        for test in wall.tests:
            file, _, function = test.partition("::")
            path = take_down.CHECKOUT / "tests" / file
            files = path.rglob("test_*.py") if path.is_dir() else [path]
            text = "".join(one.read_text(encoding="utf-8") for one in files)
            assert re.search(rf"def {function.partition('[')[0] or 'test_.*'}\(", text), test


@pytest.mark.slow
def test_a_wall_of_this_project_is_missed_by_its_test():
    (wall,) = (wall for wall in WALLS if wall.name == CHEAP)
    result = take_down.try_wall(wall)
    assert result.noticed_by.startswith(wall.tests[0]), result.problem
