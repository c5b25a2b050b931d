"""Our preprocessors for `nbgrader autograde` and for formgrader's button; see nbgrader_config.py."""

import json
from collections.abc import Mapping
from contextlib import suppress
from dataclasses import replace
from datetime import datetime
from pathlib import Path

from nbformat.notebooknode import NotebookNode
from nbgrader.api import Gradebook
from nbgrader.coursedir import CourseDirectory
from nbgrader.preprocessors import NbGraderPreprocessor

from autograder.engine.assignment import Assignment, find_assignment
from autograder.engine.bounded import run_bounded
from autograder.engine.course import read_course
from autograder.engine.fingerprint import RunSettings
from autograder.engine.graded import Graded
from autograder.engine.history import read_history, with_gone_mistakes
from autograder.engine.notebook import SubmittedCell, parse_notebook
from autograder.engine.pictures import Picture, Pictures
from autograder.engine.process import PRACTICE
from autograder.engine.results import RESULTS, ResultsFolder
from autograder.engine.submission import Submission, repair
from autograder.engine.verdict import Verdict
from autograder.gradebook.class_lateness import due_dates
from autograder.gradebook.entering import GradebookAssignment
from autograder.gradebook.late import LateRules
from autograder.gradebook.late_files import TimeError, submitted_at
from autograder.gradebook.late_notes import without_due_date
from autograder.gradebook.late_policy import LatePolicy
from autograder.gradebook.notebooks import REPAIRS, graded_notebook, repaired_notebook
from autograder.locks import Busy


class NotGraded(Exception):
    """nbgrader must not enter anything for this submission; the message says why."""


class Repair(NbGraderPreprocessor):
    """Puts the student's cells into the pristine notebook before nbgrader reads any of them."""

    def preprocess(self, nb: NotebookNode, resources: dict) -> tuple[NotebookNode, dict]:
        assignment = _assignment(self, resources)
        name = f"{assignment.id}.ipynb"
        submission = run_bounded(lambda: repair(assignment, _read(nb, name)))
        repaired = repaired_notebook(assignment, submission)
        # `Examine` gets the repaired notebook, and could not find these out
        repaired.metadata[REPAIRS] = submission.repairs
        return repaired, resources


class Examine(NbGraderPreprocessor):
    """Replaces `Execute`: grades the submission and writes points and questions as outputs."""

    def preprocess(self, nb: NotebookNode, resources: dict) -> tuple[NotebookNode, dict]:
        assignment, names = _assignment(self, resources), resources["nbgrader"]
        submission = replace(
            repair(assignment, _repaired_cells(nb), PicturesAsTheyAre()),
            student=names["student"],
            repairs=nb.metadata.get(REPAIRS, []),
        )
        graded = _graded(assignment, submission, _handed_in(self, names))
        had = read_history(assignment.course.root / RESULTS, assignment.id, names["student"])
        verdict = with_gone_mistakes(graded.verdict, had)
        made = graded_notebook(assignment, submission, verdict, graded.outputs)
        nb.cells, nb.metadata = made.cells, made.metadata
        return nb, resources


class SaveGrades(NbGraderPreprocessor):
    """Replaces `SaveAutoGrades`, which has everything marked again that was marked by hand."""

    def preprocess(self, nb: NotebookNode, resources: dict) -> tuple[NotebookNode, dict]:
        names = resources["nbgrader"]
        folders = CourseDirectory(config=self.config)
        with Gradebook(names["db_url"], folders.course_id) as gradebook:
            rows = GradebookAssignment(gradebook, names["assignment"])
            rows.write_cells(names["student"], nb)
        return nb, resources


class Penalise(NbGraderPreprocessor):
    """Replaces `AssignLatePenalties`: times from the course's file, penalties by its policy."""

    def preprocess(self, nb: NotebookNode, resources: dict) -> tuple[NotebookNode, dict]:
        names = resources["nbgrader"]
        student, assignment_id = names["student"], names["assignment"]
        folders = CourseDirectory(config=self.config)
        rules = LateRules(LatePolicy(config=self.config), Path(folders.root))
        submitted = rules.submitted((student, assignment_id), _handed_in(self, names))
        with Gradebook(names["db_url"], folders.course_id) as gradebook:
            rows = GradebookAssignment(gradebook, assignment_id)
            rows.write_time(student, submitted)
            rows.write_penalties(rules, [student])
            if note := without_due_date(rules, assignment_id, due_dates(rows.db, assignment_id)):
                self.log.warning("%s", note)
        return nb, resources


def may_be_entered(verdict: Verdict) -> bool:
    """Whether a verdict belongs into a gradebook: graded, and behind walls."""
    return verdict.state == "graded" and verdict.stamp.sandbox != PRACTICE


def _assignment(preprocessor: NbGraderPreprocessor, resources: dict) -> Assignment:
    """The assignment that nbgrader is about to grade, in the course that it is configured for."""
    root = Path(CourseDirectory(config=preprocessor.config).root)
    return find_assignment(resources["nbgrader"]["assignment"], read_course(root))


def _handed_in(preprocessor: NbGraderPreprocessor, names: dict) -> datetime | None:
    """When a submission was handed in, as the platform says; None where it does not say it."""
    folders = CourseDirectory(config=preprocessor.config)
    top = Path(folders.format_path(folders.submitted_directory, ".", "."))
    with suppress(TimeError):  # it was told when the submission was opened
        return submitted_at(top / names["student"] / names["assignment"], top)
    return None


def _graded(assignment: Assignment, submission: Submission, submitted: datetime | None) -> Graded:
    """Grade a submission as `grade` does, into the course's results. Raises `NotGraded`, `OSError`."""
    from autograder.engine.grade import prepare  # torch, only where something is graded

    results, student = (
        ResultsFolder(assignment.course.root / RESULTS, assignment),
        submission.student,
    )
    try:
        with results.exclusively():
            before = results.verdict(student)
            seed = before.stamp.seed if before else None
            grader = prepare(RunSettings(assignment, seed=seed))
            graded = grader.grade_submission(submission)
            if not may_be_entered(graded.verdict):
                raise NotGraded(f"{student}: {graded.verdict.state}. {graded.verdict.reason or ''}")
            results.put(graded, submitted)
            return graded
    except Busy as error:
        raise NotGraded(f"{student}: {error}") from error


def _read(nb: NotebookNode, name: str) -> list[SubmittedCell]:
    """The cells of a notebook that nbgrader has opened, read as strictly as a file."""
    return parse_notebook(json.dumps(nb, ensure_ascii=False).encode(errors="replace"), name)


def _repaired_cells(nb: NotebookNode) -> list[SubmittedCell]:
    """The cells of a notebook that `Repair` made."""
    return [
        SubmittedCell(
            cell.cell_type,
            cell.source,
            cell.get("id"),
            cell.metadata.get("nbgrader", {}).get("grade_id"),
            cell.get("attachments", {}),
        )
        for cell in nb.cells
    ]


class PicturesAsTheyAre(Pictures):
    """Takes the pictures that `Repair` wrote anew: a JPEG loses a little each time."""

    def read(self, forms: Mapping[str, str]) -> Picture:
        ((mime, encoded),) = forms.items()
        return Picture(mime, encoded)
