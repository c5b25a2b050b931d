"""Access a course through nbgrader's API: configuration, gradebook, graded notebooks."""

import logging
import mimetypes
import shutil
import tempfile
import warnings
from collections.abc import Collection, Iterable, Iterator, Mapping
from contextlib import contextmanager, suppress
from copy import deepcopy
from dataclasses import dataclass
from datetime import datetime
from logging.handlers import BufferingHandler
from pathlib import Path

import nbformat
from nbformat.notebooknode import NotebookNode
from nbgrader import utils
from nbgrader.api import Gradebook, MissingEntry
from nbgrader.converters import GenerateAssignment
from nbgrader.converters.base import BaseConverter, NbGraderException
from nbgrader.coursedir import CourseDirectory
from sqlalchemy.exc import SAWarning
from traitlets.config import Config

from autograder.classroom.roster import Person
from autograder.engine import Assignment, Course, Submission, Verdict, courses, files, texts
from autograder.gradebook.sync.cell_changes import compare_cells
from autograder.gradebook.sync.database import check_gradebook, limit_waiting
from autograder.gradebook.sync.entering import GradebookAssignment
from autograder.gradebook.sync.marks import StudentMarks
from autograder.gradebook.sync.notebooks import as_bytes, graded_notebook, shown_in
from autograder.gradebook.sync.own_tables import forget_rows_without_grade
from autograder.gradebook.sync.settings import configure_pages, configure_release

TRACEBACK = "Traceback (most recent call last)"  # first line of a Python traceback


@dataclass(frozen=True)
class Record:
    """A gradebook entry of a student: verdict, submission, and outputs by cell id."""

    verdict: Verdict
    submission: Submission
    outputs: dict[str, list[dict]]
    submitted: datetime | None = None  # UTC, without a zone
    person: Person | None = None  # name and address on the platform
    why: str = ""  # the reason why this submission counts, "" for the newest
    owner: str = ""  # the student or group that submitted it, "" for the student


class CellsRefused(NbGraderException):
    """nbgrader would refuse the cells of an assignment. The message names them."""


class NbgraderCourse:
    """A course's gradebook and graded notebooks: enters verdicts, registers assignments, runs
    nbgrader's converters.

    Methods raise `SQLAlchemyError` if the gradebook is unusable, `NbGraderException` if nbgrader
    refuses.
    """

    def __init__(self, course: Course, db_url: str | None = None, config: Config | None = None):
        """`db_url`: another gradebook than the course's. `config`: the course's configuration, if
        already read.

        Raises `CourseError` if the configuration cannot be read.
        """
        limit_waiting()
        self.root = course.root
        self.config = deepcopy(config) if config else courses.read_config(self.root)
        configure_pages(self.config)  # in case the course's own configuration does not
        configure_release(self.config)
        self.config.CourseDirectory.root = str(self.root)
        if db_url:
            self.config.CourseDirectory.db_url = db_url
        self.folders = CourseDirectory(config=self.config)
        self.db_url = self.folders.db_url
        self.registered: dict[str, str] = {}  # releases, by assignment
        self.is_clean = False  # rows of removed submissions are deleted

    @contextmanager
    def gradebook(self) -> Iterator[Gradebook]:
        """Yield nbgrader's `Gradebook`, open within the block. Missing tables are created."""
        if self.db_url.startswith("sqlite:///"):
            file = Path(self.db_url.removeprefix("sqlite:///"))
            if not file.exists() and file.parent.is_dir():
                file.touch()  # SQLite itself would not give permission to the group
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", SAWarning)
            with Gradebook(self.db_url, self.folders.course_id) as gradebook:
                yield gradebook
                # otherwise compiled queries stay in memory until a full garbage collection
                gradebook.engine.clear_compiled_cache()

    def enter(self, assignment: Assignment, records: Iterable[Record]) -> None:
        """Enter verdicts in one transaction, and write the graded notebooks for formgrader.

        Verdicts that may not be entered are skipped. See `may_be_entered`.
        """
        records_by_student = {
            record.verdict.student: record for record in records if may_be_entered(record.verdict)
        }
        if not records_by_student:
            return
        self.register(assignment)
        notebooks = {
            student: graded_notebook(
                assignment, record.submission, record.verdict, record.outputs, record.why
            )
            for student, record in records_by_student.items()
        }
        submitted = {student: record.submitted for student, record in records_by_student.items()}
        people = {
            student: record.person
            for student, record in records_by_student.items()
            if record.person
        }
        owners = {
            student: record.owner or student for student, record in records_by_student.items()
        }
        with self.gradebook() as gradebook:
            if not self.is_clean:
                forget_rows_without_grade(gradebook.db)
                self.is_clean = True
            rows = GradebookAssignment(gradebook, assignment.id)
            rows.write(notebooks, submitted, people, owners)
        pictures = self._pictures_beside(assignment)
        # last, because a notebook means that everything is entered
        for student, notebook in notebooks.items():
            self._write_files(assignment, student, notebook, submitted[student], pictures)

    def withdraw(self, assignment_id: str, students: Iterable[str]) -> None:
        """Remove submissions with their notebooks and pages. An extension stays."""
        with self.gradebook() as gradebook:
            for student in students:
                submission = gradebook.find_submission(assignment_id, student)
                if submission.extension:
                    submission.timestamp = None
                    gradebook.remove_submission_notebook(assignment_id, assignment_id, student)
                else:
                    gradebook.remove_submission(assignment_id, student)
                for top in (self.folders.autograded_directory, self.folders.feedback_directory):
                    folder = self.folders.format_path(top, student, assignment_id)
                    shutil.rmtree(folder, ignore_errors=True)

    def agrees_with(
        self,
        verdict: Verdict,
        marks: StudentMarks | None,
        submitted: datetime | None,
        why: str = "",
        owners: Collection[str] = (),
    ) -> bool:
        """Whether the gradebook and the graded notebook already show this verdict. Also True if
        the verdict may not be entered.

        `marks`: the student's in the gradebook, or None. `submitted`: time of submission. `why`:
        the reason why this submission counts, "" for the newest. `owners`: possible submitters, ()
        for any.
        """
        if not may_be_entered(verdict):
            return True
        points_by_cell = {courses.CHECK + result.id: result.points for result in verdict.exercises}
        if marks is None or marks.submitted != submitted:
            return False
        if owners and any(cell.owner not in owners for cell in marks.cells):
            return False
        if (
            not points_by_cell.items()
            <= {cell.name: cell.automatic for cell in marks.cells}.items()
        ):
            return False
        try:
            folder = self._autograded(verdict.assignment, verdict.student)
            stamp_and_reason = shown_in(folder / f"{verdict.assignment}.ipynb")
            return stamp_and_reason == (verdict.stamp, why)
        except (OSError, ValueError, RecursionError):
            return False

    def register(self, assignment: Assignment) -> None:
        """Write the assignment's cells, texts and points into the gradebook if they are missing or
        outdated. The gradebook is checked only once for each version of a release.

        Raises `CellsRefused` if cells were added or removed after the first submissions.
        """
        if self.registered.get(assignment.id) == assignment.pristine:
            return
        if not self._is_registered(assignment):
            release = nbformat.reads(assignment.pristine, as_version=4)
            with self.gradebook() as gradebook:
                changes = compare_cells(gradebook.db, assignment.id, release.cells)
            if changes.refusal:
                raise CellsRefused(changes.refusal)
            with tempfile.TemporaryDirectory() as folder:
                self.convert(GenerateAssignment, assignment, release_directory=folder)
        self.registered[assignment.id] = assignment.pristine

    def convert(self, kind: type[BaseConverter], assignment: Assignment, **folders: str) -> None:
        """Run nbgrader's converter of the class `kind` on this assignment for all students.
        `folders`: replacements for the course's directories, by nbgrader's settings, such as
        `release_directory`.

        Raises `NbGraderException` with nbgrader's own reason.
        """
        messages = BufferingHandler(capacity=100_000)
        log = logging.Logger("nbgrader", logging.ERROR)  # its warnings are about repaired problems
        log.addHandler(messages)
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", SAWarning)  # of nbgrader's own sessions
            try:
                self.converter(kind, assignment, log, **folders).start()
            except NbGraderException as error:
                raise NbGraderException(_reason_of(messages.buffer, error)) from error

    def converter(
        self,
        kind: type[BaseConverter],
        assignment: Assignment,
        log: logging.Logger,
        **folders: str,
    ) -> BaseConverter:
        """Return nbgrader's converter for all students, which overwrites output. See `convert`."""
        config = Config(self.config)
        course = CourseDirectory(config=config, assignment_id=assignment.id, **folders)
        return kind(coursedir=course, config=config, force=True, log=log)

    def _is_registered(self, assignment: Assignment) -> bool:
        """Whether the gradebook has exactly the release's cells, texts and points."""
        release = nbformat.reads(assignment.pristine, as_version=4)
        released = {
            cell.metadata.nbgrader.grade_id: (cell.metadata.nbgrader.get("points"), cell.source)
            for cell in release.cells
            if "nbgrader" in cell.metadata
        }
        with self.gradebook() as gradebook, suppress(MissingEntry):
            notebook = gradebook.find_notebook(assignment.id, assignment.id)
            points = {cell.name: cell.max_score for cell in notebook.grade_cells}
            sources = notebook.source_cells
            return released == {cell.name: (points.get(cell.name), cell.source) for cell in sources}
        return False

    def _autograded(self, assignment_id: str, student: str) -> Path:
        top = self.folders.autograded_directory
        return Path(self.folders.format_path(top, student, assignment_id))

    def _pictures_beside(self, assignment: Assignment) -> dict[Path, bytes]:
        """Return the content of pictures in `source/`, by path relative to the notebook's folder."""
        source = self.folders.format_path(self.folders.source_directory, ".", assignment.id)
        files = map(Path, utils.find_all_files(source, self.folders.ignore))
        return {
            file.relative_to(source): file.read_bytes()
            for file in files
            if (mimetypes.guess_type(file)[0] or "").startswith("image/")
        }

    def _write_files(
        self,
        assignment: Assignment,
        student: str,
        notebook: NotebookNode,
        submitted: datetime | None,
        pictures: Mapping[Path, bytes],
    ) -> None:
        """Write notebook, pictures and timestamp, as `nbgrader autograde` does."""
        folder = self._autograded(assignment.id, student)
        for path, picture in pictures.items():
            with files.replacing_bytes(folder / path) as copy:
                copy.write(picture)
        if submitted:
            with files.replacing(folder / files.TIMESTAMP) as file:
                file.write(texts.timestamp_text(submitted, "microseconds"))
        with files.replacing_bytes(folder / f"{assignment.id}.ipynb") as copy:
            copy.write(as_bytes(notebook))


def _reason_of(logged: list[logging.LogRecord], error: NbGraderException) -> str:
    """Return nbgrader's logged reason: the last line of a traceback or of the first message."""
    messages = [record.getMessage().strip() for record in logged] or [str(error)]
    tracebacks = [message for message in messages if message.startswith(TRACEBACK)]
    if tracebacks:
        return tracebacks[0].splitlines()[-1].partition(": ")[2] or tracebacks[0].splitlines()[-1]
    return messages[0].splitlines()[-1]


def open_course(course: Course, db_url: str | None = None) -> NbgraderCourse:
    """Return the course after checking its gradebook. `db_url`: another gradebook than the
    course's. Raises `CourseError` if the course's configuration cannot be read, `AutograderError`
    if the gradebook is unusable.
    """
    nbgrader_course = NbgraderCourse(course, db_url)
    check_gradebook(nbgrader_course.db_url)
    return nbgrader_course


def may_be_entered(verdict: Verdict) -> bool:
    """Whether a verdict may be entered into a gradebook: it is graded in a sandbox."""
    return verdict.state == "graded" and not verdict.is_practice
