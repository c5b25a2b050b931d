"""What a simulated worker does with a submission: sleep as long as a verdict takes, and hand one back.

Workers import this module and nothing else of the tests.
"""

import time
from bisect import bisect_left
from dataclasses import dataclass, replace
from functools import cache
from random import Random

import msgspec

from autograder import Assignment, CheckResult, ExerciseResult
from autograder.classroom.worker import Task
from autograder.engine import Graded, RunSettings, Submission
from autograder.engine.grading.graded import empty

# How long the verdicts on two sample classes of 40 took, divided by their mean: such a share of them
# at most so many times the mean. Between two of these points it is a straight line.
SHARES = 0.0, 0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9, 0.95, 1.0
TIMES_THE_MEAN = 0.1, 0.19, 0.53, 0.72, 0.79, 0.92, 1.15, 1.22, 1.32, 1.56, 1.69, 3.2
CHECKS = 8  # of an exercise
OUTPUT = "0.123 " * 120  # what the cells of one exercise show; a result is 10 kB then, as real ones


def verdict_seconds(student: str, mean: float) -> float:
    """Return how long this student's verdict takes, where the class has such a mean."""
    share = Random(student).random()
    right = max(1, bisect_left(SHARES, share))
    part = (share - SHARES[right - 1]) / (SHARES[right] - SHARES[right - 1])
    low, high = TIMES_THE_MEAN[right - 1], TIMES_THE_MEAN[right]
    return mean * (low + part * (high - low))


@dataclass(frozen=True)
class Sleeping:
    """Takes the place of `worker.grade`: takes the usual time, and returns a verdict of the usual size."""

    mean: float  # seconds

    def __call__(self, settings: RunSettings, task: Task) -> Graded:
        time.sleep(verdict_seconds(task.student, self.mean))
        graded = invented(settings.assignment)
        verdict = msgspec.structs.replace(graded.verdict, student=task.student)
        return replace(graded, verdict=verdict)


@cache
def invented(assignment: Assignment) -> Graded:
    """Return a verdict with as many exercises as a real one, and as large."""
    results = []
    for exercise in assignment.exercises:
        names = [f"test_what_{exercise.id}_does[{number}]" for number in range(CHECKS)]
        checks = [CheckResult(name, 1.0, 1.0, True, None) for name in names]
        results.append(ExerciseResult(exercise.id, "answered", CHECKS, CHECKS, checks, []))
    nothing = empty(RunSettings(assignment), Submission([], "s0"), "graded")
    verdict = msgspec.structs.replace(nothing, exercises=results)
    return Graded(verdict, {one.id: [{"output_type": "stream", "text": OUTPUT}] for one in results})
