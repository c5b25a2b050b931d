"""What students and authors need works on Windows and macOS; what needs Linux says so."""

import json
import subprocess
import sys
from pathlib import Path

import pytest

pytestmark = pytest.mark.slow  # every module is imported twice

TOP = Path(__file__).parents[1]
BEHIND_WALLS = {  # run in processes of their own, on Linux alone
    "autograder.engine.candidate.answers",
    "autograder.engine.candidate.kernel",
    "autograder.engine.candidate.parent",
    "autograder.engine.candidate.start",
    "autograder.engine.candidate.walls",
}


@pytest.fixture(scope="module")
def solved(course, tmp_path_factory) -> Path:
    """The solution of an assignment, as a student would have saved it: with Windows' ends of lines."""
    source = min(course.source.glob("*/*.ipynb"))
    path = tmp_path_factory.mktemp("handed in") / source.name
    path.write_bytes(source.read_bytes().replace(b"\n", b"\r\n"))
    return path


@pytest.fixture(scope="module", params=["windows", pytest.param("macos", marks=pytest.mark.long)])
def seen(request, solved, course, tmp_path_factory) -> dict:
    """What came of importing all, and of each command, by its words."""
    folder = tmp_path_factory.mktemp("class")
    commands = {
        "help": ["--help"],
        "version": ["--version"],
        "check": ["check", str(solved)],
        "check none": ["check", str(TOP / "README.md")],
        "grade": ["grade", str(TOP / "release")],
        "matrix": ["matrix", solved.stem],
        "collect": [
            "collect",
            str(solved.parent),
            "--into",
            str(folder),
            "--assignment",
            solved.stem,
        ],
    }
    done = subprocess.run(
        [sys.executable, "-m", "tests.other_system", request.param],
        cwd=TOP,
        input=json.dumps([*commands.values()]),
        capture_output=True,
        text=True,
    )
    assert done.returncode == 0, done.stderr
    said = json.loads(done.stdout)
    return {"system": request.param, "imports": said["imports"]} | dict(
        zip(commands, said["commands"], strict=True)
    )


def test_every_module_is_imported_without_what_only_linux_has(seen):
    missing = BEHIND_WALLS if seen["system"] == "windows" else set()
    assert seen["imports"].keys() == missing, seen["imports"]


def test_the_command_line_says_what_there_is(seen):
    status, said, _ = seen["help"]
    assert status == 0 and "say whether a notebook is fit to be handed in" in said
    assert seen["version"][0] == 0 and "torch" in seen["version"][1]


def test_a_notebook_is_checked(seen, solved):
    status, said, errors = seen["check"]
    assert said.startswith(f"{solved.stem}:") and "No code was run." in said, errors
    assert status in (0, 1) and not errors
    status, _, errors = seen["check none"]
    assert status == 2 and errors.count("\n") == 1 and "Traceback" not in errors


@pytest.mark.parametrize("command", ["grade", "matrix"])
def test_grading_says_in_a_sentence_that_it_needs_linux(seen, command):
    status, said, errors = seen[command]
    assert status == 3 and not said
    assert errors.startswith("autograder: Grading needs Linux") and errors.count("\n") == 1
    assert "WSL" in errors and "container" in errors


def test_what_needs_locks_says_so_where_there_are_none(seen):
    status, _, errors = seen["collect"]
    has_none = seen["system"] == "windows"
    assert ("locks that Windows does not have" in errors) is has_none, errors
    assert not has_none or status == 2
