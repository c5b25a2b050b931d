"""Make the student and the solution version of an assignment with nbgrader, and prove them.

nbgrader's own commands end with status 0 when a solution fails; this one reads the outputs.
"""

import argparse
import shutil
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path

import nbformat
from nbgrader.converters import GenerateAssignment, GenerateSolution
from nbgrader.converters.base import BaseConverter, NbGraderException

from autograder.engine.assignment import BEGIN, ROOT, Assignment
from autograder.gradebook.nbgrader_course import Course
from autograder.cli.exit_status import FAILED, OK, refuse

CELL_SECONDS = 600  # for a training that takes 3, on a machine that is busy with other things


def main(arguments: list[str] | None = None) -> int:
    """`python -m autograder.authoring.publish release|solution|check ASSIGNMENT`"""
    parser = argparse.ArgumentParser(prog="python -m autograder.authoring.publish", description=__doc__)
    parser.add_argument("verb", choices=("release", "solution", "check"))
    parser.add_argument("assignment", metavar="ASSIGNMENT")
    options = parser.parse_args(arguments)
    name = options.assignment
    if not (ROOT / "source" / name / f"{name}.ipynb").is_file():
        return refuse(f"There is no notebook source/{name}/{name}.ipynb.")
    try:
        complaints = list(
            {"release": release, "solution": solution, "check": check}[options.verb](name)
        )
    except NbGraderException as error:
        complaints = [f"nbgrader: {error}"]
    for complaint in complaints:
        print(complaint, file=sys.stderr)
    return FAILED if complaints else OK


def release(name: str) -> Iterator[str]:
    """Make release/NAME/; yield what must not be in it and is."""
    with tempfile.TemporaryDirectory() as folder:
        made = make(GenerateAssignment, name, Path(folder))
        complaints = list(leaks(made / f"{name}.ipynb"))
        if not complaints:
            _put(made, ROOT / "release" / name)
            print(f"release/{name}/ is made: publish this folder, and nothing else.")
    yield from complaints


def solution(name: str) -> Iterator[str]:
    """Make solution/NAME/, executed; yield the cells that failed."""
    with tempfile.TemporaryDirectory() as folder:
        _put(make(GenerateSolution, name, Path(folder)), ROOT / "solution" / name)
    yield from failures(ROOT / "solution" / name / f"{name}.ipynb")
    print(f"solution/{name}/ is made and executed.")


def check(name: str) -> Iterator[str]:
    """Yield what differs between release/NAME/ and what nbgrader makes of source/NAME/ now."""
    kept = ROOT / "release" / name
    with tempfile.TemporaryDirectory() as folder:
        fresh = make(GenerateAssignment, name, Path(folder))
        files = {file.relative_to(top) for top in (fresh, kept) for file in top.rglob("*.*")}
        for file in sorted(files):
            if _content(fresh / file) != _content(kept / file):
                yield f"release/{name}/{file} is not what source/ makes: run `make release`."
    yield from leaks(kept / f"{name}.ipynb")


def make(kind: type[BaseConverter], name: str, folder: Path) -> Path:
    """Let nbgrader make a version of an assignment, with a gradebook of its own; return where it is."""
    made = folder / "made"
    course = Course(ROOT, f"sqlite:///{folder}/gradebook.db")
    course.config.Execute.timeout = CELL_SECONDS
    course.announce(Assignment(name))  # nbgrader executes solutions of assignments it knows
    course.convert(
        *(kind, Assignment(name)), release_directory=str(made), solution_directory=str(made)
    )
    return made / name


def leaks(path: Path) -> Iterator[str]:
    """Yield what a release gives away: solutions, marking schemes, outputs."""
    for cell in nbformat.read(path, as_version=4).cells:
        if BEGIN in cell.source or "marking scheme" in cell.source.lower():
            yield f"{path.name}: the cell `{cell.id}` gives its solution away."
        if cell.get("outputs") or cell.get("execution_count"):
            yield f"{path.name}: the cell `{cell.id}` has outputs."


def failures(path: Path) -> Iterator[str]:
    """Yield the cells of an executed notebook that failed, or that were never run."""
    for cell in nbformat.read(path, as_version=4).cells:
        if cell.cell_type != "code" or not cell.source.strip():
            continue
        for output in cell.outputs:
            if output.output_type == "error":
                yield f"{path.name}: the cell `{cell.id}` raised {output.ename}: {output.evalue}"
        if cell.execution_count is None:
            yield f"{path.name}: the cell `{cell.id}` was not run."


def _put(made: Path, target: Path) -> None:
    """Replace a folder by another, which may lie on another disk."""
    shutil.rmtree(target, ignore_errors=True)
    shutil.copytree(made, target)


def _content(path: Path) -> bytes | None:
    return path.read_bytes() if path.is_file() else None


if __name__ == "__main__":
    sys.exit(main())
