"""What nbgrader's `GetGrades` does not tell a page of feedback: the gradebook's details of one student."""

import contextlib
import math
from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from pathlib import Path

from nbformat.notebooknode import NotebookNode
from nbgrader.api import Gradebook, SubmittedAssignment
from nbgrader.coursedir import CourseDirectory
from nbgrader.preprocessors import NbGraderPreprocessor
from traitlets import List

from autograder.engine.verdict import points_text
from autograder.gradebook.late import DAY, LatePolicy, PolicyError, extension, seconds_late
from autograder.gradebook.pages.no_grade import time_text

DETAILS = "details"  # the key in nbgrader's resources


@dataclass(frozen=True)
class Details:
    """One submission, as the gradebook has it. Times are UTC, without a zone."""

    submitted: datetime | None = None
    late: str = ""  # how the penalty was calculated; empty where there is none
    waiting: frozenset[str] = frozenset()  # cells that nobody has marked yet
    automatic: Mapping[str, float] = field(default_factory=dict)  # points of the checks, by cell


class GetDetails(NbGraderPreprocessor):
    """Puts `Details` into the resources from which the page is made."""

    display_data_priority: List = List().tag(
        config=True
    )  # the exporter sets it, and this shows no data

    def preprocess(self, nb: NotebookNode, resources: dict) -> tuple[NotebookNode, dict]:
        names = resources["nbgrader"]
        folders = CourseDirectory(config=self.config)
        with Gradebook(names["db_url"], folders.course_id) as gradebook:
            submission = gradebook.find_submission(names["assignment"], names["student"])
            grades = [grade for one in submission.notebooks for grade in one.grades]
            names[DETAILS] = Details(
                submitted=submission.timestamp,
                late=_late(
                    submission, names["late_penalty"], LatePolicy(config=self.config), folders
                ),
                waiting=frozenset(one.name for one in grades if one.needs_manual_grade),
                automatic={
                    one.name: one.auto_score for one in grades if one.auto_score is not None
                },
            )
        return nb, resources


def _late(
    submission: SubmittedAssignment, penalty: float, policy: LatePolicy, folders: CourseDirectory
) -> str:
    """How the penalty in the gradebook was calculated; empty where the policy now says another one."""
    due, when = submission.assignment.duedate, submission.timestamp
    if not penalty or due is None or when is None:
        return ""
    with contextlib.suppress(PolicyError):
        until = policy.granted(Path(folders.root), submission.assignment.name)
        extended = extension(due, until.get(submission.student_id)) or submission.extension
        late = seconds_late(when, due, extended)
        points = submission.assignment.max_score
        if policy.penalty(late, points) == penalty:
            return _calculation(policy, late, points, due + (extended or timedelta()), when)
    return ""


def _calculation(
    policy: LatePolicy, late: float, points: float, due: datetime, when: datetime
) -> str:
    days = math.ceil((late - 60 * policy.grace_minutes) / DAY)
    percent = min(policy.percent_per_day * days, policy.most_percent)
    most = percent < policy.percent_per_day * days
    return (
        f"Handed in on {time_text(when)}, due on {time_text(due)}: {days} day{'s' * (days > 1)} begun"
        f", {points_text(policy.percent_per_day)} % of {points_text(points)} points each"
        f"{f', {points_text(percent)} % at most' if most else ''}."
    )
