"""The nbgrader side: our preprocessors for `nbgrader autograde`, and the way into the gradebook."""

import base64
import contextlib
import logging
import os
import sys
import tempfile
import warnings
from collections.abc import Iterator
from functools import cache
from logging.handlers import BufferingHandler
from pathlib import Path

import nbformat
from nbformat.notebooknode import NotebookNode
from nbformat.v4 import new_code_cell, new_markdown_cell, new_output, new_raw_cell
from nbgrader.api import Gradebook, MissingEntry
from nbgrader.converters import Autograde, GenerateAssignment
from nbgrader.converters.base import BaseConverter, NbGraderException
from nbgrader.coursedir import CourseDirectory
from nbgrader.preprocessors import NbGraderPreprocessor
from sqlalchemy.exc import SAWarning
from traitlets import Dict
from traitlets.config import Config, PyFileConfigLoader

from autograder.assignment import Assignment, find_assignment
from autograder.grade import Graded, Grader
from autograder.notebook import SubmittedCell
from autograder.repair import Submission, repair
from autograder.report.check_cell import as_html, as_text
from autograder.sandbox import PRACTICE, choose_walls
from autograder.verdict import ExerciseResult, Verdict


class NotGraded(Exception):
    """nbgrader must not enter anything for this submission; the message says why."""


class Known(dict[str, Graded]):
    """Examinations that are done, by student; one object, however often traitlets copies a config."""

    def __deepcopy__(self, memo: dict) -> "Known":
        return self


class Repair(NbGraderPreprocessor):
    """Puts the student's cells into the pristine notebook before nbgrader looks at anything."""

    def preprocess(self, nb: NotebookNode, resources: dict) -> tuple[NotebookNode, dict]:
        assignment = find_assignment(resources["nbgrader"]["assignment"])
        return to_notebook(assignment, repair(assignment, _cells(nb))), resources


class Examine(NbGraderPreprocessor):
    """Replaces `Execute`: examines the submission and writes points and questions as outputs."""

    graded = Dict(help="Graded by student, where the examination has been done").tag(config=True)

    def preprocess(self, nb: NotebookNode, resources: dict) -> tuple[NotebookNode, dict]:
        assignment = find_assignment(resources["nbgrader"]["assignment"])
        student = resources["nbgrader"]["student"]
        graded = self.graded.get(student) or _examine(assignment, student, nb)
        if not may_be_entered(graded.verdict) or graded.submission is None:
            raise NotGraded(f"{student}: {graded.verdict.state}. {graded.verdict.reason or ''}")
        results = {f"check_{result.id}": result for result in graded.verdict.exercises}
        nb.cells = to_notebook(assignment, graded.submission).cells
        for cell in nb.cells:
            if cell.cell_type == "code":
                result = results.get(cell.id)
                cell.outputs = list(_shown(result) if result else _outputs(graded, cell.id))
        return nb, resources


def may_be_entered(verdict: Verdict) -> bool:
    """Whether a verdict belongs into a gradebook: it is one, and it was made behind walls."""
    return verdict.state == "graded" and verdict.stamp["sandbox"] != PRACTICE


def _examine(assignment: Assignment, student: str, nb: NotebookNode) -> Graded:
    grader = Grader(assignment, _walls())
    return grader.grade_submission(student, repair(assignment, _cells(nb)))


@cache
def _walls():
    return choose_walls("require")


def to_notebook(assignment: Assignment, submission: Submission) -> NotebookNode:
    """Return the repaired notebook: pristine metadata, the student's text, no outputs."""
    notebook = nbformat.read(assignment.release, as_version=4)
    pristine = {cell.id: cell for cell in notebook.cells}
    make = {"code": new_code_cell, "markdown": new_markdown_cell}
    cells = []
    for page in submission.pages:
        cell = pristine.get(page.id) or make.get(page.kind, new_raw_cell)(id=page.id)
        cell.source = page.source
        cells.append(cell)
    notebook.cells = cells
    return notebook


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


def _shown(result: ExerciseResult) -> Iterator[NotebookNode]:
    """The checks for people, then the points for nbgrader: a plain float, the only result there is."""
    yield new_output("display_data", {"text/plain": as_text(result), "text/html": as_html(result)})
    yield new_output("execute_result", {"text/plain": repr(float(result.points))})


def _outputs(graded: Graded, cell_id: str) -> Iterator[NotebookNode]:
    """What a student's cell printed and drew, without anything that a browser would run."""
    for output in graded.outputs.get(cell_id, ()):
        match output:
            case {"kind": "stream", "name": "stdout" | "stderr" as name, "text": bytes(text)}:
                yield new_output("stream", name=name, text=text.decode(errors="replace"))
            case {"kind": "display", "data": dict(data)}:
                yield new_output("display_data", dict(_mime_bundle(data)))
            case {
                "kind": "error",
                "type": str(kind),
                "text": bytes(text),
                "traceback": bytes(lines),
            }:
                value, traceback = text.decode(errors="replace"), lines.decode(errors="replace")
                yield new_output("error", ename=kind, evalue=value, traceback=traceback.split("\n"))


def _mime_bundle(data: dict) -> Iterator[tuple[str, str]]:
    if isinstance(text := data.get("text/plain"), bytes):
        yield "text/plain", text.decode(errors="replace")
    for mime in ("image/png", "image/jpeg"):
        if isinstance(picture := data.get(mime), bytes):
            yield mime, base64.b64encode(picture).decode()


class Course:
    """An nbgrader course: its folder with `nbgrader_config.py`, and its gradebook."""

    def __init__(self, root: Path, db_url: str | None = None):
        _put_our_programs_on_the_path()
        self.config = PyFileConfigLoader("nbgrader_config.py", path=str(root)).load_config()
        self.config.CourseDirectory.root = str(root)
        if db_url:
            self.config.CourseDirectory.db_url = db_url
        self.db_url = CourseDirectory(config=self.config).db_url

    def enter(self, assignment: Assignment, graded: list[Graded]) -> list[str]:
        """Enter verdicts into the gradebook; return a sentence for each that is not in it now.

        What goes to nbgrader is the repaired notebook, so that a link or a damaged file of a
        student's never does.
        """
        wanted = Known({one.verdict.student: one for one in graded if may_be_entered(one.verdict)})
        if not wanted:
            return []
        self.announce(assignment)
        with tempfile.TemporaryDirectory() as folder:
            for student, one in wanted.items():
                path = Path(folder, "submitted", student, assignment.id, f"{assignment.id}.ipynb")
                path.parent.mkdir(parents=True)
                assert one.submission is not None
                nbformat.write(to_notebook(assignment, one.submission), path)
            with contextlib.suppress(NbGraderException):  # told below, student by student
                self.convert(
                    Autograde, assignment, wanted, submitted_directory=f"{folder}/submitted"
                )
        return [
            f"{student}: nbgrader did not take the points; `nbgrader autograde` says why."
            for student, one in wanted.items()
            if self.points(assignment, student) != one.verdict.points
        ]

    def announce(self, assignment: Assignment) -> None:
        """Tell the gradebook what the assignment consists of, as `nbgrader generate_assignment` does."""
        with tempfile.TemporaryDirectory() as folder:
            self.convert(GenerateAssignment, assignment, release_directory=folder)

    def holds(self, verdict: Verdict) -> bool:
        """Whether the gradebook says what this verdict says, or has nothing to say about it."""
        if not may_be_entered(verdict):
            return True
        return self.points(find_assignment(verdict.assignment), verdict.student) == verdict.points

    def points(self, assignment: Assignment, student: str) -> float | None:
        """The automatic points that the gradebook holds, or None if it knows no such submission."""
        with Gradebook(self.db_url) as gradebook:
            try:
                submission = gradebook.find_submission(assignment.id, student)
            except MissingEntry:
                return None
            grades = [grade for notebook in submission.notebooks for grade in notebook.grades]
            return sum(grade.auto_score or 0.0 for grade in grades)

    def convert(
        self,
        kind: type[BaseConverter],
        assignment: Assignment,
        graded: Known | None = None,
        **folders: str,
    ) -> None:
        """Run one of nbgrader's converters for all students. Raises `NbGraderException`."""
        config = Config(self.config)
        config.Examine.graded = graded or Known()
        course = CourseDirectory(config=config, assignment_id=assignment.id, **folders)
        said = BufferingHandler(capacity=100_000)
        log = logging.Logger("nbgrader", logging.ERROR)  # its warnings are about what we repaired
        log.addHandler(said)
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", SAWarning)  # of nbgrader's own sessions
            try:
                kind(coursedir=course, config=config, force=True, log=log).start()
            except NbGraderException as error:
                reasons = [record.getMessage().strip().splitlines()[-1] for record in said.buffer]
                raise NbGraderException("; ".join(reasons[:1]) or str(error)) from error


def _put_our_programs_on_the_path() -> None:
    """nbgrader calls `alembic` by name, also where the environment was never activated."""
    programs = str(Path(sys.executable).parent)
    if programs not in os.environ.get("PATH", "").split(os.pathsep):
        os.environ["PATH"] = programs + os.pathsep + os.environ.get("PATH", os.defpath)
