"""Whoever grades the class: what it needs, how far it is, and what it says."""

import ast
import os
import sys
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from autograder.engine.assignment import ROOT
from benchmarks.peers.job import Job

PLAIN_TESTS = Path(__file__).parent / "plain_tests"
Full = dict[tuple[str, str], bool]  # (student, exercise): whether it got full marks


@dataclass(frozen=True)
class Prepared:
    """A class laid out for one contender, ready for the clock."""

    job: Job
    done: Callable[[], int]  # how many submissions are graded so far
    full: Callable[[], Full]


def environment(folder: Path) -> dict[str, str]:
    """The same for all: one thread, this project's code, and nobody's own settings."""
    programs = str(Path(sys.executable).parent)
    own = {
        name: str(folder / name.lower())
        for name in ("IPYTHONDIR", "JUPYTER_CONFIG_DIR", "JUPYTER_DATA_DIR", "MPLCONFIGDIR")
    }
    return own | {
        "OMP_NUM_THREADS": "1",
        "PATH": programs + os.pathsep + os.environ.get("PATH", os.defpath),
        "PYTHONPATH": str(ROOT),
    }


def plain_test(exercise: str) -> str:
    """The source of the plain tests of an exercise."""
    return (PLAIN_TESTS / f"{exercise}.py").read_text(encoding="utf-8")


def functions(tests: str) -> dict[str, list[str]]:
    """The test functions in a source: name, and the notebook's names that each one asks for."""
    return {
        function.name: [argument.arg for argument in function.args.args]
        for function in ast.parse(tests).body
        if isinstance(function, ast.FunctionDef) and function.name.startswith("test_")
    }
