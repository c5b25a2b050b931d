"""Derive the result of an exercise, and its state, from the results of its checks."""

from collections.abc import Sequence
from math import fsum

from autograder.engine.examiner.checks import CheckRun, Explanation
from autograder.engine.examiner.faults import ENDINGS, UNWRITTEN
from autograder.engine.examiner.supervisor import Supervisor
from autograder.engine.verdicts.verdict import ExerciseResult, ExerciseState, NamedMistake

ANSWERED = ("wrong", "no_value", "no_function")  # kinds of failure by an answer


def exercise_result(
    name: str, state: ExerciseState, checks: Sequence[CheckRun], mistakes: Sequence[Explanation]
) -> ExerciseResult:
    """Return the result of an exercise for the verdict. Its points are the sum over its checks.

    `name`: the exercise's id. `mistakes`: the known mistakes that were found in it.
    """
    return ExerciseResult(
        id=name,
        state=state,
        points=fsum(check.points for check in checks),
        max_points=fsum(check.max_points for check in checks),
        checks=[check.result(mistakes) for check in checks],
        mistakes=[NamedMistake(mistake.id, mistake.sentence) for mistake in mistakes],
    )


def exercise_state(
    name: str, checks: Sequence[CheckRun], supervisor: Supervisor, untouched: bool
) -> ExerciseState:
    """Return the state of an exercise: the state of its lost candidate, if there is one.

    Else the state is "out_of_memory" if its cell raised for lack of memory, "answered" if a check
    passed or failed by an answer, "not_attempted" if the student wrote nothing that could answer,
    and "error" for anything else.

    `name`: the exercise's id. `supervisor`: has the faults of the cells. `untouched`: whether the
    student left the cell as released, emptied it or deleted it.
    """
    kinds = [check.kind for check in checks]
    for ending in (supervisor.fatal.get(name), *kinds):
        if ending in ENDINGS:
            return ending  # type: ignore[return-value]
    fault = supervisor.faults.get(name)
    if fault and fault.kind == "out_of_memory":
        return "out_of_memory"
    if any(check.passed or check.kind in ANSWERED for check in checks):
        return "answered"
    if all(kind in UNWRITTEN for kind in kinds) and (untouched or "missing" not in kinds):
        return "not_attempted"
    return "error"


def explain_missing(checks: Sequence[CheckRun], name: str, supervisor: Supervisor) -> None:
    """Add the reason to checks with a missing class or function if the cell stopped early.

    `name`: the exercise's id. `supervisor`: has the faults of the cells.
    """
    ending, fault = supervisor.fatal.get(name), supervisor.faults.get(name)
    for check in checks:
        if check.kind != "missing":
            continue
        if ending:
            check.message = ENDINGS[ending]
        elif fault:
            sentence = supervisor.describe(fault)
            check.message = f"The cell `{name}` stopped before its end. {sentence}"
