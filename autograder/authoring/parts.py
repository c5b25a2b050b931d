"""The parts of an assignment that can be imported (exercises, checks, mistakes), those that cannot,
and the mistakes and variants that its graders grade wrongly.
"""

import contextlib
import pkgutil
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import NamedTuple

import pytest

from autograder.authoring.variants import variants
from autograder.authoring.without_walls import examine_without_walls, quiet
from autograder.engine.course.assignment import Assignment, Exercise, GraderError
from autograder.engine.course.mistake import Mistake, read_mistakes
from autograder.engine.examiner.collecting import collect
from autograder.engine.examiner.fixtures import Fixtures
from autograder.engine.examiner.session import PRECISIONS
from autograder.engine.verdict.verdict import check_name

SEED = 1


class Check(NamedTuple):
    """A check of a grader; the cases of a parametrised check share their `name`."""

    name: str
    points: float | None


@dataclass(frozen=True)
class Parts:
    """The importable parts of an assignment, by exercise, and why the others cannot be imported."""

    assignment: Assignment  # its source in the place of its release
    checks: dict[str, list[Check]]
    mistakes: dict[str, list[Mistake]]
    broken: list[str]  # what could not be imported, and why

    @property
    def exercises(self) -> dict[str, Exercise]:
        return {exercise.id: exercise for exercise in self.assignment.exercises}

    @property
    def graded(self) -> list[Exercise]:
        """Return the exercises whose grader has checks."""
        return [one for one in self.assignment.exercises if self.checks.get(one.id)]


def read_parts(assignment: Assignment) -> Parts:
    """Import an assignment's modules, collect its checks with pytest; return what was found."""
    parts = Parts(assignment, {}, {}, [])
    if not (assignment.graders / "__init__.py").is_file():
        return parts
    for file in sorted(assignment.graders.glob("*.py")):
        if file.name != "conftest.py" and not file.name.startswith("test_"):
            _import(file.stem, parts)
    found, wrong = read_mistakes(assignment)
    parts.mistakes.update(found)
    parts.broken.extend(wrong)
    graders = [one.grader for one in assignment.exercises if one.grader.is_file()]
    if graders:
        _collect(graders, parts)
    return parts


def _import(module: str, parts: Parts) -> None:
    """Import a module of the graders; note the reason if that fails."""
    try:
        with quiet():
            parts.assignment.module(module.removesuffix("__init__"))
    except GraderError as error:
        if str(error) not in parts.broken:
            parts.broken.append(str(error))


def _collect(graders: list[Path], parts: Parts) -> None:
    """Collect the checks of the graders with pytest; note them, or why they cannot be collected."""
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
    """Return a check's points; None if it has no marker, or one without a number."""
    marker = item.get_closest_marker("points")
    worth = marker.args[0] if marker and marker.args else None
    return float(worth) if isinstance(worth, int | float) else None


def library_pieces(parts: Parts) -> Iterator[str]:
    """Yield a sentence for each error in LIBRARY_PARTS, which maps exercises to dotted paths of
    equivalent library parts.
    """
    declared = {} if parts.broken else parts.assignment.library_parts
    if not isinstance(declared, Mapping):
        yield "`LIBRARY_PARTS` is no dict: exercises, and for each a tuple of dotted paths."
        return
    for name, paths in declared.items():
        if name not in parts.exercises:
            yield f"`LIBRARY_PARTS` names the exercise `{name}`, which there is not."
        if not isinstance(paths, tuple | list):
            yield f"`LIBRARY_PARTS` of `{name}` is no tuple of dotted paths."
            continue
        for path in paths:
            try:
                pkgutil.resolve_name(str(path))
            except (ImportError, AttributeError, ValueError):
                yield f"`LIBRARY_PARTS` of `{name}` names `{path}`, which cannot be imported."


def failures(parts: Parts) -> Iterator[str]:
    """Grade the solution, each mistake's first way, and the variants in this process; yield a
    sentence for each check that fails but must pass, or passes but must fail.
    """
    assignment, solved = parts.assignment, parts.assignment.solved_cells()
    right = []
    for exercise in parts.graded:
        worth = [check.points for check in parts.checks[exercise.id]]
        if exercise.id not in assignment.solutions or None in worth:
            continue
        failed = _failed(exercise, assignment, solved, "the solution")
        yield from failed.values()
        if not failed:
            right.append(exercise)
            for mistake in parts.mistakes.get(exercise.id, ()):
                yield from _escapes(mistake, exercise, parts, solved)
    for variant in variants(assignment):
        for exercise in right:
            if exercise.id in variant.cells:
                cells = solved | variant.cells
                if failed := _failed(exercise, assignment, cells, f"`{variant.path}`"):
                    yield next(iter(failed.values()))
                    break


def _escapes(
    mistake: Mistake, exercise: Exercise, parts: Parts, solved: dict[str, str]
) -> Iterator[str]:
    """Yield a sentence for each check that a mistake passes but must fail."""
    where = f"the mistake `{exercise.id}: {mistake.id}`"
    with contextlib.suppress(IndexError, SyntaxError):  # which is said already
        made = mistake.cells[0]
        compile(made, mistake.id, "exec")
        cells = solved | {exercise.id: made}
        failed = _failed(exercise, parts.assignment, cells, where, PRECISIONS[:1])
        if "" in failed:
            yield failed[""]
            return
        there = {check.name for check in parts.checks[exercise.id]}
        passed = there - set(map(check_name, failed))
        for check in mistake.caught_by:
            if f"test_{check}" in passed:
                yield f"{where} passes `test_{check}`, which it must fail."


def _failed(
    exercise: Exercise,
    assignment: Assignment,
    cells: dict[str, str],
    what: str,
    precisions: Sequence[bool] = PRECISIONS,
) -> dict[str, str]:
    """Return a sentence for each check of an exercise that these cells fail, by check; the key ""
    if grading itself failed.
    """
    try:
        with quiet():
            runs = examine_without_walls(assignment, cells, SEED, [exercise], precisions)
    except Exception as error:  # whatever a grader, or the cells, raise
        return {"": f"{what} cannot be graded in `{exercise.id}`: {error}."}
    failed: dict[str, str] = {}
    for run in runs:
        if not run.passed:
            reason = run.message if run.kind == "wrong" else f"{run.kind}: {run.message}"
            failed[run.id] = f"{what} fails `{run.id}` of `{exercise.id}`: {reason}"
    return failed
