"""Our preprocessors for `nbgrader autograde` and for formgrader's button; see nbgrader_config.py."""

from functools import cache
from pathlib import Path

from nbformat.notebooknode import NotebookNode
from nbgrader.api import Gradebook
from nbgrader.coursedir import CourseDirectory
from nbgrader.preprocessors import NbGraderPreprocessor

from autograder.assignment import Assignment, find_assignment
from autograder.gradebook.entering import Book
from autograder.gradebook.late import LatePolicy
from autograder.gradebook.notebooks import graded_notebook, repaired_notebook
from autograder.graded import Graded
from autograder.handed import Handed
from autograder.notebook import SubmittedCell
from autograder.repair import Submission, repair
from autograder.stamp import PRACTICE, Terms
from autograder.verdict import Verdict


class NotGraded(Exception):
    """nbgrader must not enter anything for this submission; the message says why."""


class Repair(NbGraderPreprocessor):
    """Puts the student's cells into the pristine notebook before nbgrader looks at anything."""

    def preprocess(self, nb: NotebookNode, resources: dict) -> tuple[NotebookNode, dict]:
        assignment = find_assignment(resources["nbgrader"]["assignment"])
        return repaired_notebook(assignment, repair(assignment, _cells(nb))), resources


class Examine(NbGraderPreprocessor):
    """Replaces `Execute`: examines the submission and writes points and questions as outputs."""

    def preprocess(self, nb: NotebookNode, resources: dict) -> tuple[NotebookNode, dict]:
        assignment = find_assignment(resources["nbgrader"]["assignment"])
        student = resources["nbgrader"]["student"]
        submission = repair(assignment, _cells(nb))
        graded = _examine(assignment, student, submission)
        if not may_be_entered(graded.verdict):
            raise NotGraded(f"{student}: {graded.verdict.state}. {graded.verdict.reason or ''}")
        made = graded_notebook(assignment, submission, graded.verdict, graded.outputs)
        nb.cells, nb.metadata = made.cells, made.metadata
        return nb, resources


class Penalise(NbGraderPreprocessor):
    """Replaces `AssignLatePenalties`: extensions from the course's file, penalties by its policy."""

    def preprocess(self, nb: NotebookNode, resources: dict) -> tuple[NotebookNode, dict]:
        names = resources["nbgrader"]
        folders = CourseDirectory(config=self.config)
        policy = LatePolicy(config=self.config)
        granted = policy.granted(Path(folders.root), names["assignment"])
        with Gradebook(names["db_url"], folders.course_id) as gradebook:
            Book(gradebook, names["assignment"], policy).penalise(names["student"], granted)
        return nb, resources


def may_be_entered(verdict: Verdict) -> bool:
    """Whether a verdict belongs into a gradebook: it is one, and it was made behind walls."""
    return verdict.state == "graded" and verdict.stamp["sandbox"] != PRACTICE


def _examine(assignment: Assignment, student: str, submission: Submission) -> Graded:
    return _grader(assignment).grade_handed(Handed(student, submission, submission.hash))


@cache
def _grader(assignment: Assignment):
    from autograder.classroom.worker import (
        prepare,
    )  # and with it torch, only where something is graded

    return prepare(Terms(assignment))


def _cells(nb: NotebookNode) -> list[SubmittedCell]:
    return [
        SubmittedCell(
            cell.cell_type,
            cell.source,
            cell.get("id"),
            cell.metadata.get("nbgrader", {}).get("grade_id"),
        )
        for cell in nb.cells
    ]
