"""Examine one submission: run its cells behind the walls, put the graders' checks to it."""

from collections.abc import Sequence
from dataclasses import dataclass

from autograder.assignment import Assignment
from autograder.examiner.diagnosis import diagnose
from autograder.examiner.faults import ENDINGS, UNWRITTEN
from autograder.examiner.proxy import Candidate
from autograder.examiner.session import Check, run_checks
from autograder.examiner.sitting import Sitting
from autograder.mistake import Mistake
from autograder.repair import Submission
from autograder.sandbox import Limits, Walls


@dataclass(frozen=True)
class Examination:
    """What came out of it: checks by exercise, each exercise's state, what the cells showed."""

    checks: dict[str, list[Check]]
    states: dict[str, str]
    outputs: dict[str, list]
    mistakes: dict[str, list[Mistake]]


def examine(
    assignment: Assignment, submission: Submission, walls: Walls, limits: Limits, seed: int
) -> Examination:
    """Return the outcome. Raises `SandboxError` or `GraderError`: faults of ours, never a zero."""
    known, exercises = assignment.known, assignment.exercises
    with Sitting(walls, limits, submission) as sitting:
        candidate = Candidate(sitting, known.ALIASES, known.STATEMENT)
        checks = run_checks(exercises, candidate, seed, known.look_around)
    by_exercise = {
        exercise.id: [c for c in checks if c.exercise == exercise.id] for exercise in exercises
    }
    states = {}
    for name, results in by_exercise.items():
        states[name] = _state(name, results, sitting, name in submission.untouched)
        _explain(results, name, sitting)
    found = {name: diagnose(assignment, results) for name, results in by_exercise.items()}
    return Examination(by_exercise, states, sitting.outputs, found)


def _state(name: str, checks: Sequence[Check], sitting: Sitting, untouched: bool) -> str:
    """What became of an exercise: how it ended, if it earned nothing and its code told why."""
    kinds = [check.kind for check in checks]
    for ending in (sitting.deadly.get(name), *kinds):
        if ending in ENDINGS:
            return ending
    fault = sitting.faults.get(name)
    if fault and fault.kind == "out_of_memory":
        return "out_of_memory"
    if any(check.passed or check.kind == "wrong" for check in checks):
        return "answered"
    if all(kind in UNWRITTEN for kind in kinds) and (untouched or "missing" not in kinds):
        return "not_attempted"
    return "error"


def _explain(checks: Sequence[Check], name: str, sitting: Sitting) -> None:
    """Where a class is missing because its cell stopped, say that instead."""
    ending, fault = sitting.deadly.get(name), sitting.faults.get(name)
    for check in checks:
        if check.kind != "missing":
            continue
        if ending:
            check.message = ENDINGS[ending]
        elif fault:
            check.message = f"The cell `{name}` stopped before its end. {sitting.tell(fault)}"
