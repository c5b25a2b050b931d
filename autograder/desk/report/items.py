"""Compute the difficulty of exercises and checks for a class."""

from collections import Counter
from dataclasses import dataclass

from autograder.classroom.blocks.verdict_blocks import title
from autograder.desk.report.class_results import ClassResults
from autograder.engine import verdicts


@dataclass(frozen=True)
class ItemStatistics:
    """The difficulty of an exercise or a check."""

    id: str
    exercise: str  # id of the check's exercise, or the exercise's own
    name: str
    max_points: float
    attempted: int  # number of students who attempted the exercise
    passed: int  # number of students with all points
    share: float | None  # mean share of the points, 0 to 1; None if nobody attempted it


def exercise_items(results: ClassResults) -> list[ItemStatistics]:
    """Return the statistics of each exercise, in the notebook's order."""
    items = []
    for id in results.exercises:
        all_results = [result for _, result in results.results_of(id)]
        of = [
            (result.points, result.max_points)
            for result in all_results
            if result.state != "not_attempted"
        ]
        max_points = max(result.max_points for result in all_results)
        items.append(_item(id, id, title(id), max_points, of))
    return items


def check_items(results: ClassResults, exercise: str) -> list[ItemStatistics]:
    """Return the statistics of each check of an exercise, in the grader's order."""
    by_check: dict[str, list[verdicts.CheckResult]] = {}
    for _, result in results.results_of(exercise):
        for check in result.checks if result.state != "not_attempted" else ():
            by_check.setdefault(check.id, []).append(check)
    return [
        _item(
            id,
            exercise,
            verdicts.check_sentence(id),
            max(result.max_points for result in check_results),
            [(float(result.passed), 1.0) for result in check_results],
        )
        for id, check_results in by_check.items()
    ]


def state_counts(results: ClassResults) -> dict[str, Counter[str]]:
    """Return, for each exercise, the number of students in each state, such as `answered`."""
    return {
        id: Counter(result.state for _, result in results.results_of(id))
        for id in results.exercises
    }


def _item(
    id: str, exercise: str, name: str, max_points: float, of: list[tuple[float, float]]
) -> ItemStatistics:
    """Return the statistics. `of`: points and maximum of each student with an attempt."""
    shares = [min(1.0, points / maximum) for points, maximum in of if maximum]
    return ItemStatistics(
        id=id,
        exercise=exercise,
        name=name,
        max_points=max_points,
        attempted=len(of),
        passed=sum(points >= maximum for points, maximum in of),
        share=sum(shares) / len(shares) if shares else None,
    )
