"""What nbgrader's `GetGrades` does not tell a page of feedback: the gradebook's details of one student."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime
from pathlib import Path

from nbformat.notebooknode import NotebookNode
from nbgrader.api import Gradebook
from nbgrader.coursedir import CourseDirectory
from nbgrader.preprocessors import NbGraderPreprocessor
from traitlets import List

from autograder.gradebook.late import LatePolicy
from autograder.gradebook.late_calculation import Entered, late_calculation

DETAILS = "details"  # the key in nbgrader's resources


@dataclass(frozen=True)
class Details:
    """One submission, as the gradebook has it. Times are UTC, without a zone."""

    submitted: datetime | None = None
    late: str = ""  # how the penalty was calculated
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
            entered = Entered(
                student=names["student"],
                assignment=names["assignment"],
                submitted=submission.timestamp,
                due=submission.assignment.duedate,
                extended=submission.extension,
                max_points=submission.assignment.max_score,
                penalty=names["late_penalty"],
            )
            names[DETAILS] = Details(
                submitted=submission.timestamp,
                late=late_calculation(entered, LatePolicy(config=self.config), Path(folders.root)),
                waiting=frozenset(one.name for one in grades if one.needs_manual_grade),
                automatic={
                    one.name: one.auto_score for one in grades if one.auto_score is not None
                },
            )
        return nb, resources
