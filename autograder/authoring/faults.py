"""What a kill matrix shows that is not as it has to be, in words."""

from autograder.authoring.matrix_table import NAMED, Results, checks_of, marks
from autograder.authoring.naming import Naming
from autograder.authoring.rows import Row
from autograder.engine.course.mistake import Mistake
from autograder.engine.examiner.checks import CheckRun
from autograder.engine.graded import Graded
from autograder.engine.verdict.verdict import check_sentence

RECALL = {"in a variant": 0.92, "composed": 0.95}  # in code that is no edit of the solution


def faults(row: Row, graded: Graded) -> list[str]:
    """Return what is not as it has to be, in words."""
    verdict, runs = graded.verdict, graded.runs
    if verdict.state != "graded":
        return [f"{row.place}: {verdict.state}: {verdict.reason}"]
    failed = [run for run in runs if not run.passed]
    if failed and row.is_right:
        others = f" and {len(failed) - 1} more" if len(failed) > 1 else ""
        check = check_sentence(failed[0].id)
        return [f"{row.place} fails `{check}`{others}: {failed[0].message}"]
    lost = {result.id for result in verdict.exercises if result.points < result.max_points}
    found = [f"points lost in {name}" for name in sorted(lost - row.exercises)]
    found += [f"no points lost in {name}" for name in sorted(row.exercises - lost)]
    alone = row.kind == "mistake"
    for mistake in row.mistakes if row.kind not in RECALL else ():
        wanted = {f"test_{name}" for name in mistake.caught_by}
        if alone:
            passed = sorted(wanted & _passed(runs, mistake.exercise))
            found += [f"{mistake.id} passes {name.removeprefix('test_')}" for name in passed]
        silent = wanted - _naming(runs, mistake)
        if silent and (alone or silent == wanted):
            found.append(
                f"{mistake.id} is not named by {', '.join(map(check_sentence, sorted(silent)))}"
            )
    made = {(mistake.exercise, mistake.id) for mistake in row.mistakes}
    named = {(run.exercise, mistake.id) for run in runs for mistake in run.mistakes}
    found += [f"{id} is named, too" for _, id in sorted(named - made)]
    return [f"{row.place}: {fault}" for fault in found]


def _passed(runs: list[CheckRun], exercise: str) -> set[str]:
    """The checks of an exercise that passed, in all their cases."""
    own = [run for run in runs if run.exercise == exercise]
    return {run.name for run in own if run.passed} - {run.name for run in own if not run.passed}


def _naming(runs: list[CheckRun], mistake: Mistake) -> set[str]:
    """The checks that named it, in one of their cases at least."""
    own = [run for run in runs if run.exercise == mistake.exercise]
    return {run.name for run in own if mistake.id in {one.id for one in run.mistakes}}


def too_few_names(counted: list[Naming]) -> list[str]:
    """Say in which kind of submission more mistakes go unnamed than may."""
    return [
        f"{one.kind}: {one.named} of {one.made} mistakes are named, fewer than {RECALL[one.kind]:.0%}"
        for one in counted
        if one.recall < RECALL.get(one.kind, 0.0)
    ]


def idle_checks(results: Results, exercise: str = "") -> list[str]:
    """Return the checks that name no mistake: one of them is superfluous, or lacks its mistake."""
    naming = {
        (run.exercise, run.name)
        for row, graded in results
        for run in graded.runs
        if marks(row, graded).get((run.exercise, run.id)) == NAMED
    }
    checks = dict.fromkeys((run.exercise, run.name) for run in checks_of(results, exercise))
    return [
        f"{check[0]}: {check_sentence(check[1])} names no mistake"
        for check in checks
        if check not in naming
    ]
