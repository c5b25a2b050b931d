"""Try an assignment in this process: its cells, its solution, its mistakes and its variants.

Nothing is sealed, since it is all code of ours. What is not as it has to be is yielded, a sentence
each.
"""

import contextlib
import re
from collections.abc import Iterator, Sequence
from typing import Any

import torch

from autograder.authoring.parts import Parts, quiet
from autograder.authoring.variants import Variant, variants
from autograder.authoring.without_walls import examine_without_walls
from autograder.engine.assignment import CHECK, Assignment, Exercise, PristineCell
from autograder.engine.examiner.session import PRECISIONS, undisturbed
from autograder.engine.mistake import Mistake

SEED = 1
UNKNOWN = re.compile(r"NameError: name '(\w+)'")
MAGIC = re.compile(r"^\s*[%!]", re.MULTILINE)
Sentences = Iterator[str]


def failing_cells(assignment: Assignment) -> Sentences:
    """Run the notebook with its solution, and yield the check cells that fail.

    A cell of another kind that fails is the last one that is run.
    """
    with quiet(), undisturbed(), contextlib.chdir(assignment.source.parent):
        failed = list(_failing_cells(assignment))
    for cell, error in failed:
        reason = str(error).partition("\n")[0]
        kind = type(error).__name__
        yield f"the cell `{cell.id}` fails on the solution: {kind}{reason and f': {reason}'}."


def _failing_cells(assignment: Assignment) -> Iterator[tuple[PristineCell, Exception]]:
    torch.default_generator.manual_seed(SEED)
    names: dict[str, Any] = {"__name__": "__main__"}
    cells = [cell for cell in assignment.cells if cell.kind == "code"]
    skipped = "\n".join(cell.source for cell in cells if cell.demo)
    for cell in cells:
        if cell.demo:
            continue
        source = assignment.solutions.get(cell.id, cell.source)
        try:
            exec(compile(source, cell.id, "exec"), names)
        except SyntaxError as error:
            if not MAGIC.search(source):  # which Jupyter alone can run
                yield cell, error
        except Exception as error:  # whatever the cell raises
            if isinstance(error, NameError) and error.name and error.name in skipped:
                continue  # it needs a cell that is not run here
            yield cell, error
            if not cell.check:
                return
        if cell.check and (reason := _failed_step(names, cell.id.removeprefix(CHECK))):
            unknown = UNKNOWN.search(reason)
            if not unknown or unknown[1] not in skipped:
                yield cell, AssertionError(reason)


def _failed_step(names: dict[str, Any], exercise: str) -> str:
    """What a check in steps says, which raises nothing; the empty string where it passes."""
    result = names.get("RESULTS", {}).get(exercise)
    return "" if result is None or result.state == "done" else f"{result.question} {result.message}"


def failures(parts: Parts) -> Sentences:
    """The solution and the variants pass every check, and a mistake, in its usual way, fails those
    that it must.
    """
    known, solved = parts.assignment.solutions, parts.assignment.solved_cells()
    right = []
    for exercise in parts.graded:
        if exercise.id not in known or None in _worth(parts, exercise):
            continue
        failed = list(_fails(exercise, parts.assignment, solved, "the solution", PRECISIONS))
        yield from (reason for _, reason in failed)
        if failed:
            continue
        right.append(exercise)
        for mistake in parts.mistakes.get(exercise.id, ()):
            with contextlib.suppress(IndexError, SyntaxError):  # which is said already
                made = mistake.cells[0]
                compile(made, mistake.id, "exec")
                yield from _escapes(mistake, exercise, parts, solved | {exercise.id: made})
    for variant in variants(parts.assignment):
        yield from _refused(variant, parts.assignment, solved, right)


def _escapes(
    mistake: Mistake, exercise: Exercise, parts: Parts, cells: dict[str, str]
) -> Sentences:
    """The checks that a mistake has to fail, and passes."""
    where = f"the mistake `{exercise.id}: {mistake.id}`"
    failed = dict(_fails(exercise, parts.assignment, cells, where, PRECISIONS[:1]))
    if "" in failed:
        yield failed[""]
        return
    there = {check.name for check in parts.checks[exercise.id]}
    for check in mistake.caught_by:
        if f"test_{check}" in there - failed.keys():
            yield f"{where} passes `test_{check}`, which it must fail."


def _refused(
    variant: Variant, assignment: Assignment, solved: dict[str, str], exercises: list[Exercise]
) -> Sentences:
    """The first check that a variant fails, of those of the exercises that it changes."""
    for exercise in exercises:
        if exercise.id in variant.cells:
            cells = solved | variant.cells
            failed = _fails(exercise, assignment, cells, f"`{variant.path}`", PRECISIONS)
            if first := next(failed, None):
                yield first[1]
                return


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
            reason = run.message if run.kind == "wrong" else f"{run.kind}: {run.message}"
            yield run.name, f"{what} fails `{run.id}` of `{exercise.id}`: {reason}"


def _worth(parts: Parts, exercise: Exercise) -> list[float | None]:
    return [check.points for check in parts.checks[exercise.id]]
