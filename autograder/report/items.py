"""Exercises and checks: how hard each one was, and how well it tells students apart."""

from collections import Counter
from dataclasses import dataclass

import numpy as np

from autograder.engine.verdict import CheckResult, ExerciseResult, Verdict, check_sentence
from autograder.report.class_results import ClassResults, title
from autograder.report.statistics import Estimate, item_rest_correlation, wilson

Of = list[tuple[Verdict, float]]  # a student's verdict, and the points that an item gave


@dataclass(frozen=True)
class Item:
    """An exercise or a check, as those did it who attempted the exercise."""

    id: str
    exercise: str
    name: str
    max_points: float
    count: int  # who attempted it
    share: Estimate | None  # of its points: 1 is easy. Of a check: who passed it
    discrimination: Estimate | None  # correlation with the rest of the points
    everybody: bool = False  # has it fully
    nobody: bool = False  # has anything of it


def exercise_items(results: ClassResults) -> list[Item]:
    """Return an item for each exercise, in the notebook's order."""
    return [_exercise_item(results, id) for id in results.exercises]


def check_items(results: ClassResults) -> list[Item]:
    """Return an item for each check, by exercise, in the grader's order."""
    return [item for id in results.exercises for item in _check_items(results, id)]


def attempted(results: ClassResults, exercise: str) -> list[tuple[Verdict, ExerciseResult]]:
    """Return the results of those who wrote something there."""
    return [
        (verdict, result)
        for verdict, result in results.results_of(exercise)
        if result.state != "not_attempted"
    ]


def _exercise_item(results: ClassResults, id: str) -> Item:
    of = attempted(results, id)
    most = max((result.max_points for _, result in results.results_of(id)), default=0.0)
    shares = [result.points / result.max_points for _, result in of if result.max_points]
    share = wilson(min(1.0, float(np.mean(shares))), len(shares)) if shares else None
    points = [(verdict, result.points) for verdict, result in of]
    return Item(
        id=id,
        exercise=id,
        name=title(id),
        max_points=most,
        count=len(of),
        share=share,
        discrimination=_discrimination(points),
    )


def _check_items(results: ClassResults, exercise: str) -> list[Item]:
    by_check: dict[str, list[tuple[Verdict, CheckResult]]] = {}
    for verdict, result in attempted(results, exercise):
        for check in result.checks:
            by_check.setdefault(check.id, []).append((verdict, check))
    return [_check_item(id, exercise, of) for id, of in by_check.items()]


def _check_item(id: str, exercise: str, of: list[tuple[Verdict, CheckResult]]) -> Item:
    passed = sum(check.passed for _, check in of)
    return Item(
        id=id,
        exercise=exercise,
        name=check_sentence(id),
        max_points=max(check.max_points for _, check in of),
        count=len(of),
        share=wilson(passed / len(of), len(of)),
        discrimination=_discrimination([(verdict, check.points) for verdict, check in of]),
        everybody=passed == len(of),
        nobody=passed == 0,
    )


def _discrimination(of: Of) -> Estimate | None:
    points = np.array([points for _, points in of])
    return item_rest_correlation(points, np.array([verdict.points for verdict, _ in of]) - points)


def state_counts(results: ClassResults) -> dict[str, Counter[str]]:
    """Return for each exercise how many students are in each state."""
    return {
        id: Counter(result.state for _, result in results.results_of(id))
        for id in results.exercises
    }
