"""An assignment as far as it can be imported: its exercises, checks and mistakes, and what is broken."""

import contextlib
import warnings
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import NamedTuple

import pytest

from autograder.engine.course.assignment import Assignment, Exercise, GraderError
from autograder.engine.course.mistake import Mistake, read_mistakes
from autograder.engine.examiner.fixtures import Fixtures
from autograder.engine.examiner.session import collect


class Check(NamedTuple):
    """A check of a grader: `name` is shared by the cases of a parametrized one."""

    name: str
    points: float | None


@dataclass(frozen=True)
class Parts:
    """What was found of an assignment, by exercise, as far as it could be imported."""

    assignment: Assignment  # its source in the place of its release
    checks: dict[str, list[Check]]
    mistakes: dict[str, list[Mistake]]
    broken: list[str]  # what could not be imported, and why

    @property
    def exercises(self) -> dict[str, Exercise]:
        return {exercise.id: exercise for exercise in self.assignment.exercises}

    @property
    def graded(self) -> list[Exercise]:
        """The exercises with a grader that has checks."""
        return [one for one in self.assignment.exercises if self.checks.get(one.id)]


def read_parts(assignment: Assignment) -> Parts:
    """Import what there is, and have pytest collect the checks."""
    parts = Parts(assignment, {}, {}, [])
    if not (assignment.graders / "__init__.py").is_file():
        return parts
    files = [*assignment.graders.glob("*.py"), *assignment.graders.glob("mistakes/*.py")]
    for file in sorted(files):
        if file.name != "conftest.py" and not file.name.startswith("test_"):
            _import(file, parts)
    found, wrong = read_mistakes(assignment)
    parts.mistakes.update(found)
    parts.broken.extend(wrong)
    graders = [one.grader for one in assignment.exercises if one.grader.is_file()]
    if graders:
        _collect(graders, parts)
    return parts


def _import(file: Path, parts: Parts) -> None:
    """Import a module of the graders; note why it cannot be imported."""
    names = file.relative_to(parts.assignment.graders).with_suffix("").parts
    try:
        with quiet():
            parts.assignment.module(".".join(names).removesuffix("__init__").rstrip("."))
    except GraderError as error:
        if str(error) not in parts.broken:
            parts.broken.append(str(error))


def _collect(graders: list[Path], parts: Parts) -> None:
    """Have pytest import the graders and collect their checks; note those, or what is broken."""
    with quiet():
        collected = collect(graders, Fixtures())
    for name, report in collected.broken.items():
        reason = report.strip().splitlines()[-1].removeprefix("E").strip()
        parts.broken.append(f"`{name}` cannot be collected: {reason}")
    for grader in graders:
        if grader.name not in collected.broken:
            parts.checks[grader.stem.removeprefix("test_")] = []
    for item in collected.items:
        check = Check(item.originalname, _points(item))
        parts.checks[item.path.stem.removeprefix("test_")].append(check)


def _points(item: pytest.Function) -> float | None:
    """The points of a check; None where it has none, or no number."""
    marker = item.get_closest_marker("points")
    worth = marker.args[0] if marker and marker.args else None
    return float(worth) if isinstance(worth, int | float) else None


@contextlib.contextmanager
def quiet() -> Iterator[None]:
    """Show nothing of what the solution's cells print, or warn of."""
    with contextlib.redirect_stdout(None), warnings.catch_warnings(action="ignore"):
        yield
