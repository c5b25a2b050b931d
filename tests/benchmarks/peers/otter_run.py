"""otter-grader as it comes: `otter run`, a command a submission, in an environment of its own.

`otter grade`, which takes a folder and grades several submissions at once, is not what is measured:
it needs Docker, builds an image, and starts a container for each submission, in which it does what
`otter run` does. It cannot cost less; how much more depends on the machine's Docker.
"""

import json
import os
import subprocess
import sys
import tomllib
from pathlib import Path

from autograder import Assignment
from autograder.engine.courses import Exercise
from tests.benchmarks.checkout import CHECKOUT
from tests.benchmarks.peers.contender import Full, Prepared, environment, functions, plain_tests
from tests.benchmarks.peers.job import Failed, Job
from tests.benchmarks.peers.students import Student, hand_in

OTTER = "otter-grader[grading]==7.0.0"
SHARED = ("torch", "numpy", "matplotlib", "ipython", "ipykernel", "einops", "jaxtyping")
VENV = CHECKOUT / ".peers" / "otter"
PROGRAM = VENV / "bin" / "otter"


def requirements() -> list[str]:
    """otter-grader, and what the notebooks import, in the versions of this project."""
    project = tomllib.loads((CHECKOUT / "pyproject.toml").read_text())["project"]
    pins = [pin for pin in project["dependencies"] if pin.split("==")[0] in SHARED]
    return [OTTER, *pins]


def is_installed() -> bool:
    made = VENV / ".made"
    return made.is_file() and made.read_text().split() == requirements()


def install() -> None:
    """Make the environment. Raises `Failed`."""
    pip = [str(VENV / "bin" / "python"), "-m", "pip", "install", "--quiet"]
    make = [sys.executable, "-m", "venv", str(VENV)]
    for command in (make, [*pip, "--disable-pip-version-check", *requirements()]):
        done = subprocess.run(command, capture_output=True, text=True)
        if done.returncode:
            raise Failed(f"`{' '.join(command)}` failed: {done.stderr[-800:]}")
    (VENV / ".made").write_text("\n".join(requirements()))


def prepare(
    assignment: Assignment, students: list[Student], top: Path, folder: Path, jobs: int
) -> Prepared:
    """Make the autograder's zip and lay out the class. Raises `Failed`.

    One command after the other, as a shell's loop does it, unless `jobs` says how many at once.
    """
    surroundings = environment(top) | {"PYTHONPATH": ""}
    _generate(assignment, folder, surroundings)
    notebooks = hand_in(assignment, students, folder / "submitted", demos=False)
    commands, results = [], {}
    for student, notebook in zip(students, notebooks, strict=True):
        output = folder / "graded" / student.id
        output.mkdir(parents=True)
        results[student.id] = output / "results.json"
        words = [str(notebook), "--autograder", "autograder.zip", "--output-dir", str(output)]
        commands.append([str(PROGRAM), "run", *words])
    return Prepared(
        job=Job(commands, folder, surroundings, at_once=jobs),
        done=lambda: sum(path.is_file() for path in results.values()),
        full=lambda: _full(results),
    )


def _generate(assignment: Assignment, folder: Path, surroundings: dict[str, str]) -> None:
    (folder / "tests").mkdir()
    tests = plain_tests(assignment)
    for exercise in assignment.exercises:
        path = folder / "tests" / f"{exercise.id}.py"
        path.write_text(_test_file(exercise, tests[exercise.id]), encoding="utf-8")
    done = subprocess.run(
        [str(PROGRAM), "generate", "--tests-dir", "tests", "--no-requirements", "--no-environment"],
        cwd=folder,
        env=os.environ | surroundings,
        capture_output=True,
        text=True,
    )
    if done.returncode:
        raise Failed(f"`otter generate` failed. {done.stderr[-800:]}")


def _test_file(exercise: Exercise, tests: str) -> str:
    """The plain tests as otter's exception-based test cases."""
    head = ["OK_FORMAT = False", "from otter.test_files import test_case"]
    head += [f"name, points = {exercise.id!r}, {exercise.points!r}"]
    cases = [f"{name} = test_case(name={name!r})({name})" for name in functions(tests)]
    return "\n".join([tests, *head, *cases])


def _full(results: dict[str, Path]) -> Full:
    marks = {}
    for student, path in results.items():
        for test in json.loads(path.read_text())["tests"]:
            if "max_score" in test:  # not the summary
                marks[student, test["name"]] = test["score"] == test["max_score"]
    return marks
