"""Try an assignment in this process: its cells, its solution, its mistakes and its variants.

Nothing is sealed, since it is all code of ours. What is not as it has to be is yielded, a sentence
each.
"""

import contextlib
from collections.abc import Iterator, Sequence

from autograder.authoring.parts import Parts, quiet
from autograder.authoring.variants import Variant, variants
from autograder.authoring.visible_checks import VisibleChecks, VisibleChecksError
from autograder.authoring.without_walls import examine_without_walls
from autograder.engine.course.assignment import CHECK, Assignment, Exercise
from autograder.engine.course.mistake import Mistake
from autograder.engine.examiner.session import PRECISIONS, undisturbed

SEED = 1
Sentences = Iterator[str]


def failing_cells(assignment: Assignment) -> Sentences:
    """Run the notebook with its solution, and yield the cells that fail, and the visible checks."""
    with quiet(), undisturbed(), contextlib.chdir(assignment.source.parent):
        try:
            checks = VisibleChecks(assignment)
        except VisibleChecksError:  # which is said already
            return
        results = checks.run({}, *checks.exercises)
    for name, result in results.items():
        if result.state != "done":
            said = f"{result.question} {result.message}".strip().partition("\n")[0]
            yield f"the cell `{CHECK}{name}` fails on the solution: {said}"


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
