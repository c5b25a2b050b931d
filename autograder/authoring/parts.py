"""Import the parts of an assignment (checks, mistakes), note which cannot be imported, and find
what its graders grade wrongly.
"""

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
    """One check of a grader. The cases of a parametrised check are a `Check` each, with the same
    `name`.
    """

    name: str
    points: float | None


@dataclass(frozen=True)
class Parts:
    """The parts of an assignment that could be imported, by exercise id, and sentences on why
    others could not (`broken`).
    """

    assignment: Assignment  # its source in the place of its release
    checks: dict[str, list[Check]]
    mistakes: dict[str, list[Mistake]]
    broken: list[str]  # what could not be imported, and why

    @property
    def exercises(self) -> dict[str, courses.Exercise]:
        """The assignment's exercises, by id."""
        return {exercise.id: exercise for exercise in self.assignment.exercises}

    @property
    def graded(self) -> list[courses.Exercise]:
        """The exercises whose grader has checks."""
        return [one for one in self.assignment.exercises if self.checks.get(one.id)]

    def adds_up(self, exercise: courses.Exercise) -> bool:
        """Whether the points of an exercise's checks are those of its check cell: else `grade`
        refuses them.
        """
        return math.isclose(self.worth(exercise), exercise.points)

    def worth(self, exercise: courses.Exercise) -> float:
        """Return the sum of the points of an exercise's checks."""
        return sum(check.points or 0.0 for check in self.checks[exercise.id])


def read_parts(assignment: Assignment) -> Parts:
    """Import the modules of an assignment's graders, collect its checks with pytest and read its
    mistakes; return all that was found. Nothing is graded, and no error is raised: it is noted in
    `broken`.
    """
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
    """Import a module of the graders; if that fails, add the reason to `parts.broken`."""
    try:
        with quiet():
            parts.assignment.module(module.removesuffix("__init__"))
    except GraderError as error:
        if str(error) not in parts.broken:
            parts.broken.append(str(error))


def _collect(graders: list[Path], parts: Parts) -> None:
    """Collect the checks of these graders with pytest; add them to `parts.checks`, or the reason
    why they cannot be collected to `parts.broken`.
    """
    with quiet():
        collected = examiner.collect(graders, examiner.Fixtures())
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
    """Return the points of a collected check, from its pytest marker `points`; None if it has no
    such marker, or one without a number.
    """
    marker = item.get_closest_marker("points")
    worth = marker.args[0] if marker and marker.args else None
    return float(worth) if isinstance(worth, int | float) else None


def failures(parts: Parts) -> Iterator[str]:
    """Grade the solution, the first way of each mistake, and the variants, in this process without
    a sandbox. Yield a sentence for each check that fails but must pass, or passes but must fail.
    """
    assignment, solved = parts.assignment, parts.assignment.solved_cells()
    right = []
    for exercise in filter(parts.adds_up, parts.graded):
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
    mistake: Mistake, exercise: courses.Exercise, parts: Parts, solved: dict[str, str]
) -> Iterator[str]:
    """Yield a sentence for each check that must fail on this mistake, but passes; if grading itself
    fails, one that says so. A mistake whose code is missing or has a syntax error is left out.

    `solved`: the source of all cells with their solutions, by id.
    """
    where = f"the mistake `{exercise.id}: {mistake.id}`"
    with contextlib.suppress(IndexError, SyntaxError):  # which is said already
        made = mistake.cells[0]
        compile(made, mistake.id, "exec")
        cells = solved | {exercise.id: made}
        failed = _failed(exercise, parts.assignment, cells, where, examiner.PRECISIONS[:1])
        if "" in failed:
            yield failed[""]
            return
        there = {check.name for check in parts.checks[exercise.id]}
        passed = there - set(map(verdicts.check_name, failed))
        for check in mistake.caught_by:
            if f"test_{check}" in passed:
                yield f"{where} passes `test_{check}`, which it must fail."


def _failed(
    exercise: courses.Exercise,
    assignment: Assignment,
    cells: dict[str, str],
    what: str,
    precisions: Sequence[bool] = examiner.PRECISIONS,
) -> dict[str, str]:
    """Grade these cells (source by id) for one exercise, without a sandbox. Return a sentence for
    each check that fails, by check id; if grading itself fails, one with the key "".

    `what`: how the sentences call the submission; `precisions`: True for float64, False for
    float32.
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
