"""What an assignment still lacks, a sentence for each piece.

Most is seen in its files. At last the solution is put to every check, and each mistake to those of its
exercise: in this process, since it is all code of ours.
"""

import contextlib
import warnings
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import NamedTuple

import pytest

from autograder.authoring.edited import as_edited
from autograder.authoring.variants import SEVERAL
from autograder.authoring.without_walls import examine_without_walls
from autograder.engine.assignment import CHECK, Assignment, Exercise, GraderError
from autograder.engine.examiner.fixtures import Fixtures
from autograder.engine.examiner.session import PRECISIONS, collect
from autograder.engine.mistake import DoesNotFit, Mistake, Mistakes, pairs
from autograder.engine.verdict import points_text

TODO = "TODO"  # marks what a skeleton leaves to be written
SEED = 1
Pieces = Iterator[str]


def missing_pieces(assignment: Assignment) -> Pieces:
    """Yield what the assignment lacks, from the notebook to what comes out of trying it."""
    if not assignment.release.is_file():
        yield f"there is no release yet: run `make release ASSIGNMENT={assignment.id}`."
    parts = read_parts(as_edited(assignment))
    for look in (_cells, _files, _checks, _mistakes, _together, _variants, _todo, _tried):
        yield from look(parts)


def _cells(parts: Parts) -> Pieces:
    """Solution cells and check cells belong together, and have points."""
    if not parts.exercises:
        yield "the notebook has no exercise yet: a solution cell and its check cell."
    for name in parts.assignment.solutions:
        if name not in parts.exercises:
            yield f"the solution cell `{name}` has no check cell `{CHECK}{name}`."
    for name, exercise in parts.exercises.items():
        if name not in parts.assignment.solutions:
            yield f"the check cell `{exercise.check_cell}` has no solution cell `{name}`."
        if not exercise.points:
            yield f"the check cell `{exercise.check_cell}` has no points."


def _files(parts: Parts) -> Pieces:
    """There is a package, all of it can be imported, and each exercise has a grader."""
    folder = parts.assignment.graders
    if not (folder / "__init__.py").is_file():
        yield f"there is no `{folder.name}/__init__.py`, which makes the graders a package."
    yield from (f"{reason}." for reason in parts.broken)
    for exercise in parts.exercises.values():
        if not exercise.grader.is_file():
            yield f"the check cell `{exercise.check_cell}` has no grader `{exercise.grader.name}`."
    for file in sorted(folder.glob("test_*.py")):
        if (name := file.stem.removeprefix("test_")) not in parts.exercises:
            yield f"the grader `{file.name}` has no check cell `{CHECK}{name}`."


def _checks(parts: Parts) -> Pieces:
    """A grader has checks, and they have points, which add up to those of the check cell."""
    for name, checks in parts.checks.items():
        if not checks:
            yield f"`test_{name}.py` has no check."
    for exercise in parts.graded:
        checks = parts.checks[exercise.id]
        without = [check.name for check in checks if not check.points]
        for check in dict.fromkeys(without):
            yield f"`{exercise.grader.name}`: the check `{check}` has no points."
        total = sum(check.points or 0.0 for check in checks)
        if exercise.points and not without and total != exercise.points:
            yield (
                f"the checks of `{exercise.grader.name}` are worth {points_text(total)}, and the "
                f"cell `{exercise.check_cell}` {points_text(exercise.points)}."
            )


def _mistakes(parts: Parts) -> Pieces:
    """Each check is there to catch a mistake, and each mistake can be made."""
    for exercise in parts.graded:
        known = parts.mistakes.get(exercise.id, [])
        if not known:
            yield f"no mistake fails `{exercise.grader.name}`: write `mistakes/{exercise.id}.py`."
            continue
        for name, count in Counter(mistake.id for mistake in known).items():
            if count > 1:
                yield f"`mistakes/{exercise.id}.py` has the mistake `{name}` {count} times."
        checks = list(dict.fromkeys(check.name for check in parts.checks[exercise.id]))
        for mistake in known:
            yield from _about(mistake, exercise, parts.assignment, checks)
        caught_by = {f"test_{check}" for mistake in known for check in mistake.caught_by}
        for check in checks:
            if check not in caught_by:
                yield f"`{exercise.grader.name}`: no mistake is there for `{check}` to catch."


def _about(
    mistake: Mistake, exercise: Exercise, assignment: Assignment, checks: list[str]
) -> Pieces:
    """What is wrong with one mistake, seen from its words and its edits."""
    where = f"the mistake `{exercise.id}: {mistake.id}`"
    if mistake.exercise != exercise.id:
        yield f"{where} is said to be one of `{mistake.exercise}`."
    if not mistake.caught_by:
        yield f"{where} says of no check that it must fail."
    for check in mistake.caught_by:
        if f"test_{check}" not in checks:
            yield f"{where} must fail `test_{check}`, which there is not."
    if not mistake.ways:
        yield f"{where} has no way in which it is made."
    for way in range(len(mistake.ways)):
        try:
            made = mistake.make(assignment.solutions.get(exercise.id, ""), way)
            compile(made, mistake.id, "exec")
        except DoesNotFit as error:
            yield f"the mistake {error}."
        except SyntaxError as error:
            yield f"{where} is no Python in its way {way + 1}: {error}."


def _together(parts: Parts) -> Pieces:
    """The mistakes that have to be told apart are there."""
    if parts.broken:
        return
    try:
        pairs(parts.assignment)
    except GraderError as error:
        yield f"{error}."
    except AttributeError:  # a file of mistakes without mistakes, which is said elsewhere
        return


def _variants(parts: Parts) -> Pieces:
    """An exercise has a variant; a variant, or a file of mistakes, belongs to an exercise."""
    folder, exercises = parts.assignment.graders, parts.exercises
    for name in exercises:
        if not any(folder.glob(f"variants/{name}/*.py")):
            yield f"the exercise `{name}` has no variant in `variants/{name}/`."
    files = [*folder.glob("variants/*/*.py"), *folder.glob(f"variants/{SEVERAL}/*/*.py")]
    for file in sorted(files):
        several = file.parent.parent.name == SEVERAL
        if (file.stem if several else file.parent.name) not in exercises:
            yield f"`{file.relative_to(folder)}` is of no exercise."
    for name in parts.mistakes:
        if name not in exercises:
            yield f"`mistakes/{name}.py` is of no exercise."


def _todo(parts: Parts) -> Pieces:
    """What a skeleton left to be written is written."""
    for cell in parts.assignment.cells:
        if TODO in cell.source:
            yield f"the cell `{cell.id}` still says {TODO}."
    folder = parts.assignment.graders
    for file in sorted(folder.rglob("*.py")):
        if TODO in file.read_text(encoding="utf-8"):
            yield f"`{file.relative_to(folder)}` still says {TODO}."


def _tried(parts: Parts) -> Pieces:
    """The solution passes every check, and a mistake, in its usual way, fails those that it must."""
    for exercise in parts.graded:
        if exercise.id not in parts.assignment.solutions or None in _worth(parts, exercise):
            continue
        solved = parts.assignment.solved_cells()
        failed = list(_fails(exercise, parts.assignment, solved, "the solution", PRECISIONS))
        yield from (reason for _, reason in failed)
        for mistake in parts.mistakes.get(exercise.id, ()) if not failed else ():
            with contextlib.suppress(DoesNotFit, IndexError, SyntaxError):  # which is said already
                made = mistake.make(parts.assignment.solutions[exercise.id])
                compile(made, mistake.id, "exec")
                yield from _escapes(mistake, exercise, parts, solved | {exercise.id: made})


def _escapes(mistake: Mistake, exercise: Exercise, parts: Parts, cells: dict[str, str]) -> Pieces:
    where = f"the mistake `{exercise.id}: {mistake.id}`"
    failed = dict(_fails(exercise, parts.assignment, cells, where, PRECISIONS[:1]))
    if "" in failed:
        yield failed[""]
        return
    there = {check.name for check in parts.checks[exercise.id]}
    for check in mistake.caught_by:
        if f"test_{check}" in there - failed.keys():
            yield f"{where} passes `test_{check}`, which it must fail."


def _fails(
    exercise: Exercise,
    assignment: Assignment,
    cells: dict[str, str],
    what: str,
    precisions: Sequence[bool],
) -> Iterator[tuple[str, str]]:
    """Yield the checks of an exercise that these cells fail, with a sentence; "" if all broke."""
    try:
        with quiet():
            runs = examine_without_walls(assignment, cells, SEED, [exercise], precisions)
    except Exception as error:  # whatever a grader, or the cells, raise
        yield "", f"{what} cannot be graded in `{exercise.id}`: {error}."
        return
    for run in runs:
        if not run.passed:
            yield run.name, f"{what} fails `{run.id}` of `{exercise.id}`: {run.message}"


def _worth(parts: Parts, exercise: Exercise) -> list[float | None]:
    return [check.points for check in parts.checks[exercise.id]]
