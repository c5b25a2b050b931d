"""The outcome of grading a submission."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from autograder.engine.notebooks.submission import Submission
from autograder.engine.texts.printable import printable
from autograder.engine.verdicts.fingerprint import RunSettings
from autograder.engine.verdicts.verdict import SubmissionState, Verdict

if TYPE_CHECKING:  # the examiner imports torch, which the main process of a class run never needs
    from autograder.engine.examiner.checks import CheckRun

LONGEST_REASON = 300  # characters of an exception's message


@dataclass(frozen=True)
class Graded:
    """The outcome of grading a submission."""

    verdict: Verdict
    outputs: dict[str, list[dict]] = field(default_factory=dict)  # by cell, as in a notebook
    runs: list[CheckRun] = field(default_factory=list)  # of all checks, for staff
    submission: Submission | None = None  # parsed, None if it was not graded


def ungraded(settings: RunSettings, submission: Submission, reason: str) -> Graded:
    """Return the outcome `not_graded`, for a fault of the machine or a grader.

    `reason`: the fault, as a sentence.
    """
    return Graded(empty(settings, submission, "not_graded", reason))


def describe_error(error: BaseException) -> str:
    """Return an exception's type and message as a short line that can be written to any file."""
    try:
        lines = str(error).splitlines()
    except Exception:  # from the exception's own `__str__`
        lines = []
    words = f"{type(error).__name__}: {lines[0]}" if lines else type(error).__name__
    return printable(words, LONGEST_REASON)


def unreadable(settings: RunSettings, submission: Submission) -> Graded:
    """Return the outcome `unreadable` for a file that is not a notebook of this assignment."""
    return Graded(empty(settings, submission, "unreadable", submission.unreadable))


def empty(
    settings: RunSettings,
    submission: Submission,
    state: SubmissionState,
    reason: str | None = None,
) -> Verdict:
    """Return a verdict without results of exercises, with a stamp from the settings.

    `reason`: for the state, as a sentence.
    """
    return Verdict(
        student=submission.student,
        assignment=settings.assignment.id,
        state=state,
        points=0.0,
        max_points=sum((exercise.points for exercise in settings.assignment.exercises), 0.0),
        exercises=[],
        repairs=[],
        seconds=0.0,
        stamp=settings.stamp(submission.hash),
        reason=reason or None,
    )
