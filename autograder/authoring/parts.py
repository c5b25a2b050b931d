"""Import the parts of an assignment (checks, mistakes), and grade its solution and mistakes."""

import contextlib
import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import NamedTuple

import pytest

from autograder.authoring.variants import variants
from autograder.authoring.without_walls import examine_without_walls, quiet
from autograder.engine import Assignment, GraderError, courses, examiner, verdicts
from autograder.mistakes.mistake import Mistake, read_mistakes

SEED = 1


class Check(NamedTuple):
    """One check of a grader. The cases of a parametrised check have the same `name`."""

    name: str
    points: float | None


@dataclass(frozen=True)
class Parts:
    """The parts of an assignment that could be imported, by exercise id."""

    assignment: Assignment  # with its source in the place of its release
    checks: dict[str, list[Check]]
    mistakes: dict[str, list[Mistake]]
    broken: list[str]  # sentences on parts that could not be imported

    @property
    def exercises(self) -> dict[str, courses.Exercise]:
        """The assignment's exercises, by id."""
        return {exercise.id: exercise for exercise in self.assignment.exercises}

    @property
    def graded(self) -> list[courses.Exercise]:
        """The exercises with checks in their grader."""
        return [exercise for exercise in self.assignment.exercises if self.checks.get(exercise.id)]

    def adds_up(self, exercise: courses.Exercise) -> bool:
        """Whether the points of an exercise's checks are those of its check cell.

        Otherwise `grade` refuses them.
        """
        return math.isclose(self.worth(exercise), exercise.points)

    def worth(self, exercise: courses.Exercise) -> float:
        """Return the sum of the points of an exercise's checks."""
        return sum(check.points or 0.0 for check in self.checks[exercise.id])


def read_parts(assignment: Assignment) -> Parts:
    """Import an assignment's graders, collect its checks with pytest and read its mistakes.

    Nothing is graded. Errors are not raised, but added to `broken`.
    """
    parts = Parts(assignment, {}, {}, [])
    if not (assignment.graders / "__init__.py").is_file():
        return parts
    for file in sorted(assignment.graders.glob("*.py")):
        if file.name != "conftest.py" and not file.name.startswith("test_"):
            _import(file.stem, parts)
    mistakes, errors = read_mistakes(assignment)
    parts.mistakes.update(mistakes)
    parts.broken.extend(errors)
    graders = [exercise.grader for exercise in assignment.exercises if exercise.grader.is_file()]
    if graders:
        _collect(graders, parts)
    return parts


def _import(module: str, parts: Parts) -> None:
    try:
        with quiet():
            parts.assignment.module(module.removesuffix("__init__"))
    except GraderError as error:
        if str(error) not in parts.broken:
            parts.broken.append(str(error))


def _collect(graders: list[Path], parts: Parts) -> None:
    with quiet():
        collected = examiner.collect(graders, examiner.Fixtures())
    for name, report in collected.broken.items():
        reason = report.strip().splitlines()[-1].removeprefix("E").strip()
        parts.broken.append(f"`{name}` cannot be collected: {reason}")
    for grader in graders:
        if grader.name not in collected.broken:
            parts.checks[grader.stem.removeprefix("test_")] = []
    for function in collected.items:
        check = Check(function.originalname, _points(function))
        parts.checks[function.path.stem.removeprefix("test_")].append(check)


def _points(item: pytest.Function) -> float | None:
    """Return the points of a check from its pytest marker, or None."""
    marker = item.get_closest_marker("points")
    worth = marker.args[0] if marker and marker.args else None
    return float(worth) if isinstance(worth, int | float) else None


def failures(parts: Parts) -> Iterator[str]:
    """Grade the solution, the first way of each mistake, and the variants, without a sandbox.

    Yield a sentence for each check that fails but must pass, or passes but must fail.
    """
    assignment, solved = parts.assignment, parts.assignment.solved_cells()
    correct_exercises = []
    for exercise in filter(parts.adds_up, parts.graded):
        points = [check.points for check in parts.checks[exercise.id]]
        if exercise.id not in assignment.solutions or None in points:
            continue
        failed = _failed(exercise, assignment, solved, "the solution")
        yield from failed.values()
        if not failed:
            correct_exercises.append(exercise)
            for mistake in parts.mistakes.get(exercise.id, ()):
                yield from _escapes(mistake, exercise, parts, solved)
    for variant in variants(assignment):
        for exercise in correct_exercises:
            if exercise.id in variant.cells:
                cells = solved | variant.cells
                if failed := _failed(exercise, assignment, cells, f"`{variant.path}`"):
                    yield next(iter(failed.values()))
                    break


def _escapes(
    mistake: Mistake, exercise: courses.Exercise, parts: Parts, solved: dict[str, str]
) -> Iterator[str]:
    """Yield a sentence for each check that must fail on this mistake, but passes.

    `solved`: the source of all cells with their solutions, by id.
    """
    description = f"the mistake `{exercise.id}: {mistake.id}`"
    with contextlib.suppress(IndexError, SyntaxError):  # reported elsewhere
        cell = mistake.cells[0]
        compile(cell, mistake.id, "exec")
        cells = solved | {exercise.id: cell}
        failed = _failed(exercise, parts.assignment, cells, description, examiner.PRECISIONS[:1])
        if "" in failed:
            yield failed[""]
            return
        checks = {check.name for check in parts.checks[exercise.id]}
        passed = checks - set(map(verdicts.check_name, failed))
        for check in mistake.caught_by:
            if f"test_{check}" in passed:
                yield f"{description} passes `test_{check}`, which it must fail."


def _failed(
    exercise: courses.Exercise,
    assignment: Assignment,
    cells: dict[str, str],
    submission: str,
    precisions: Sequence[bool] = examiner.PRECISIONS,
) -> dict[str, str]:
    """Grade these cells (source by id) for an exercise, without a sandbox.

    Return a sentence for each check that fails, by check id. The key "" means that grading itself
    failed. `precisions`: True for float64, False for float32.
    """
    try:
        with quiet():
            runs = examine_without_walls(assignment, cells, SEED, [exercise], precisions)
    except Exception as error:  # graders and cells may raise anything
        return {"": f"{submission} cannot be graded in `{exercise.id}`: {error}."}
    failed: dict[str, str] = {}
    for run in runs:
        if not run.passed:
            reason = run.message if run.kind == "wrong" else f"{run.kind}: {run.message}"
            failed[run.id] = f"{submission} fails `{run.id}` of `{exercise.id}`: {reason}"
    return failed
