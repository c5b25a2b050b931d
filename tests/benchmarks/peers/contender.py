"""What is compared: a program that grades the class, and what it is given and returns."""

import ast
import os
import sys
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from autograder import Assignment
from tests.benchmarks.checkout import CHECKOUT
from tests.benchmarks.peers.job import Job

Full = dict[tuple[str, str], bool]  # (student, exercise): whether it got full marks


@dataclass(frozen=True)
class Prepared:
    """A class laid out for one contender, ready to be measured."""

    job: Job
    done: Callable[[], int]  # how many submissions are graded so far
    full: Callable[[], Full]


def environment(folder: Path) -> dict[str, str]:
    """The environment of every contender: one thread, this project's code, no settings of the user."""
    programs = str(Path(sys.executable).parent)
    own = {
        name: str(folder / name.lower())
        for name in ("IPYTHONDIR", "JUPYTER_CONFIG_DIR", "JUPYTER_DATA_DIR", "MPLCONFIGDIR")
    }
    return own | {
        "OMP_NUM_THREADS": "1",
        "PATH": programs + os.pathsep + os.environ.get("PATH", os.defpath),
        "PYTHONPATH": str(CHECKOUT),
    }


def plain_tests(assignment: Assignment) -> dict[str, str]:
    """The sources of the plain tests of an assignment, by exercise: `plain_tests/<exercise>.py`."""
    files = (assignment.graders / "plain_tests").glob("*.py")
    return {file.stem: file.read_text(encoding="utf-8") for file in files}


def functions(tests: str) -> dict[str, list[str]]:
    """The test functions in a source: name, and the notebook's names that each one asks for."""
    return {
        function.name: [argument.arg for argument in function.args.args]
        for function in ast.parse(tests).body
        if isinstance(function, ast.FunctionDef) and function.name.startswith("test_")
    }
