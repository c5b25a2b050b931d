"""Compute how difficult the exercises and checks were for a class."""

from collections import Counter
from dataclasses import dataclass

from autograder.classroom.blocks.verdict_blocks import title
from autograder.desk.report.class_results import ClassResults
from autograder.engine import verdicts


@dataclass(frozen=True)
class ItemStatistics:
    """The difficulty of an exercise or of a check: how many students attempted the exercise, how
    many of them got all points, and the mean share of the points, from 0 to 1 (None if nobody
    attempted it). `exercise`: the id of the check's exercise, or the exercise's own.
    """

    id: str
    exercise: str
    name: str
    max_points: float
    attempted: int  # by how many
    passed: int  # by how many: with all of its points
    share: float | None  # of its points: 1 is easy; None where nobody attempted it


def exercise_items(results: ClassResults) -> list[ItemStatistics]:
    """Return the statistics of each exercise, in the notebook's order."""
    items = []
    for id in results.exercises:
        every = [result for _, result in results.results_of(id)]
        of = [(one.points, one.max_points) for one in every if one.state != "not_attempted"]
        most = max(result.max_points for result in every)
        items.append(_item(id, id, title(id), most, of))
    return items


def check_items(results: ClassResults, exercise: str) -> list[ItemStatistics]:
    """Return the statistics of each check of the exercise with this id, in the grader's order."""
    by_check: dict[str, list[verdicts.CheckResult]] = {}
    for _, result in results.results_of(exercise):
        for check in result.checks if result.state != "not_attempted" else ():
            by_check.setdefault(check.id, []).append(check)
    return [
        _item(
            id,
            exercise,
            verdicts.check_sentence(id),
            max(one.max_points for one in made),
            [(float(one.passed), 1.0) for one in made],
        )
        for id, made in by_check.items()
    ]


def state_counts(results: ClassResults) -> dict[str, Counter[str]]:
    """Return, for each exercise, how many students are in each state, such as `answered` or
    `timed_out`.
    """
    return {
        id: Counter(result.state for _, result in results.results_of(id))
        for id in results.exercises
    }


def _item(
    id: str, exercise: str, name: str, max_points: float, of: list[tuple[float, float]]
) -> ItemStatistics:
    """Return the statistics of an exercise or a check. `of` has points and maximum points of each
    student who attempted the exercise.
    """
    shares = [min(1.0, had / most) for had, most in of if most]
    return ItemStatistics(
        id=id,
        exercise=exercise,
        name=name,
        max_points=max_points,
        attempted=len(of),
        passed=sum(had >= most for had, most in of),
        share=sum(shares) / len(shares) if shares else None,
    )
