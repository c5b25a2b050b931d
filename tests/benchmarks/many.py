"""A verdict of the usual size, without any grading."""

from autograder import CheckResult, ExerciseResult, NamedMistake, Verdict
from autograder.engine import Graded, RunSettings, Submission

CHECKS = 8  # of each exercise
QUESTION = "Which of the axes should be the one over which softmax sums, and which one is it here? "
SHOWN = 3_000  # characters that a student's cells have shown


def canned(settings: RunSettings, submission: Submission) -> Graded:
    """Return a verdict of the usual size: one check of each exercise is failed."""
    exercises = []
    for exercise in settings.assignment.exercises:
        worth = exercise.points / CHECKS
        checks = [
            CheckResult(f"test_law_{number}", worth * bool(number), worth, bool(number), None)
            for number in range(CHECKS)
        ]
        checks[0] = CheckResult(checks[0].id, 0.0, worth, False, QUESTION)
        mistakes = [NamedMistake("another_axis", QUESTION)]
        points = exercise.points - worth
        exercises.append(
            ExerciseResult(exercise.id, "answered", points, exercise.points, checks, mistakes)
        )
    whole = sum(exercise.points for exercise in settings.assignment.exercises)
    verdict = Verdict(
        student=submission.student,
        assignment=settings.assignment.id,
        state="graded",
        points=sum(one.points for one in exercises),
        max_points=whole,
        exercises=exercises,
        repairs=[],
        seconds=0.1,
        stamp=settings.stamp(submission.hash),
    )
    first = settings.assignment.exercises[0].id
    shown = {"output_type": "stream", "name": "stdout", "text": "0.5 " * (SHOWN // 4)}
    return Graded(verdict, {first: [shown]}, submission=submission)
