"""Use a course through nbgrader's API: its configuration, its gradebook, its graded notebooks."""

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

TRACEBACK = "Traceback (most recent call last)"  # how Python begins one


@dataclass(frozen=True)
class Record:
    """What is entered for one student: a verdict, the submission it is about, and the outputs of
    its cells (by cell id); when it was handed in, name and address from the platform, `why` this
    submission counts, "" if it is the newest, and the `owner`: the student or group who submitted it,
    "" for the student.
    """

    verdict: Verdict
    submission: Submission
    outputs: dict[str, list[dict]]
    submitted: datetime | None = None  # UTC, without a zone
    person: Person | None = None  # name and address, as the platform has them
    why: str = ""  # this submission counts, and not the newest
    owner: str = ""


class CellsRefused(NbGraderException):
    """nbgrader would refuse the cells of an assignment. The message says which, and what to do."""


class NbgraderCourse:
    """A course's gradebook and graded notebooks: enters verdicts, registers assignments, runs
    nbgrader's converters.

    Methods raise `SQLAlchemyError` if the gradebook cannot be used, `NbGraderException` if nbgrader
    refuses.
    """

    def __init__(self, course: Course, db_url: str | None = None, config: Config | None = None):
        """`db_url`: another gradebook than the course's; `config`: the course's configuration, if
        it has been read already.

        Raises `CourseError` if the configuration cannot be read.
        """
        limit_waiting()
        self.root = course.root
        self.config = deepcopy(config) if config else courses.read_config(self.root)
        configure_pages(self.config)  # also where the course's own configuration does not
        configure_release(self.config)
        self.config.CourseDirectory.root = str(self.root)
        if db_url:
            self.config.CourseDirectory.db_url = db_url
        self.folders = CourseDirectory(config=self.config)
        self.db_url = self.folders.db_url
        self.registered: dict[str, str] = {}  # releases, by assignment
        self.is_clean = False  # of what submissions left that are gone

    @contextmanager
    def gradebook(self) -> Iterator[Gradebook]:
        """Yield nbgrader's `Gradebook`, open within the block; tables that are missing are created."""
        if self.db_url.startswith("sqlite:///"):
            file = Path(self.db_url.removeprefix("sqlite:///"))
            if not file.exists() and file.parent.is_dir():
                file.touch()  # SQLite alone would give no permission to the group
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", SAWarning)
            with Gradebook(self.db_url, self.folders.course_id) as gradebook:
                yield gradebook
                # else what SQLAlchemy has compiled stays until all garbage is collected
                gradebook.engine.clear_compiled_cache()

    def enter(self, assignment: Assignment, records: Iterable[Record]) -> None:
        """Enter verdicts in one transaction, and write the graded notebooks that formgrader shows.

        Verdicts that may not be entered are skipped; see `may_be_entered`.
        """
        wanted = {one.verdict.student: one for one in records if may_be_entered(one.verdict)}
        if not wanted:
            return
        self.register(assignment)
        notebooks = {
            student: graded_notebook(assignment, one.submission, one.verdict, one.outputs, one.why)
            for student, one in wanted.items()
        }
        submitted = {student: one.submitted for student, one in wanted.items()}
        people = {student: one.person for student, one in wanted.items() if one.person}
        owners = {student: one.owner or student for student, one in wanted.items()}
        with self.gradebook() as gradebook:
            if not self.is_clean:
                forget_rows_without_grade(gradebook.db)
                self.is_clean = True
            rows = GradebookAssignment(gradebook, assignment.id)
            rows.write(notebooks, submitted, people, owners)
        pictures = self._pictures_beside(assignment)
        for student, notebook in notebooks.items():  # last: a notebook says that all is entered
            self._write_files(assignment, student, notebook, submitted[student], pictures)

    def withdraw(self, assignment_id: str, students: Iterable[str]) -> None:
        """Take these students' submissions of an assignment out of the gradebook, with the notebooks
        and pages that were made of them. An extension stays, without a submission.
        """
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
        """Whether the gradebook and the graded notebook already show this verdict, so that nothing
        has to be entered.

        True as well if the verdict may not be entered. `marks`: the student's in the gradebook,
        None if there are none; `submitted`: when the submission was handed in; `why`: why this
        submission counts, "" if it is the newest; `owners`: who may have submitted it, () for anybody.
        """
        if not may_be_entered(verdict):
            return True
        wanted = {courses.CHECK + result.id: result.points for result in verdict.exercises}
        if marks is None or marks.submitted != submitted:
            return False
        if owners and any(cell.owner not in owners for cell in marks.cells):
            return False
        if not wanted.items() <= {cell.name: cell.automatic for cell in marks.cells}.items():
            return False
        try:
            folder = self._autograded(verdict.assignment, verdict.student)
            shown = shown_in(folder / f"{verdict.assignment}.ipynb")
            return shown == (verdict.stamp, why)
        except (OSError, ValueError, RecursionError):
            return False

    def register(self, assignment: Assignment) -> None:
        """Write the assignment's cells, texts and points into the gradebook, unless they are in it
        already. This object looks into the gradebook only once for each version of a release.

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
        """Run one of nbgrader's converters, the class `kind`, on this assignment of all students.
        `folders`: directories that replace the course's, by the names of nbgrader's settings, such
        as `release_directory`.

        Raises `NbGraderException` with nbgrader's own reason.
        """
        messages = BufferingHandler(capacity=100_000)
        log = logging.Logger("nbgrader", logging.ERROR)  # its warnings are about what we repaired
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
        """Return one of nbgrader's converters, of the class `kind`, for this assignment and all
        students, set to overwrite existing output. `folders`: directories that replace the
        course's, by the names of nbgrader's settings.
        """
        config = Config(self.config)
        course = CourseDirectory(config=config, assignment_id=assignment.id, **folders)
        return kind(coursedir=course, config=config, force=True, log=log)

    def _is_registered(self, assignment: Assignment) -> bool:
        """Whether the gradebook has exactly the cells, texts and points of the assignment's
        release.
        """
        release = nbformat.reads(assignment.pristine, as_version=4)
        ours = {
            cell.metadata.nbgrader.grade_id: (cell.metadata.nbgrader.get("points"), cell.source)
            for cell in release.cells
            if "nbgrader" in cell.metadata
        }
        with self.gradebook() as gradebook, suppress(MissingEntry):
            notebook = gradebook.find_notebook(assignment.id, assignment.id)
            points = {cell.name: cell.max_score for cell in notebook.grade_cells}
            sources = notebook.source_cells
            return ours == {cell.name: (points.get(cell.name), cell.source) for cell in sources}
        return False

    def _autograded(self, assignment_id: str, student: str) -> Path:
        """Return the folder of a student's graded notebook."""
        top = self.folders.autograded_directory
        return Path(self.folders.format_path(top, student, assignment_id))

    def _pictures_beside(self, assignment: Assignment) -> dict[Path, bytes]:
        """Return the content of the pictures beside the notebook in `source/`, by their paths
        relative to its folder.
        """
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
        """Write a student's graded notebook, its pictures and its timestamp, as `nbgrader
        autograde` does.

        `pictures`: their contents, by path relative to the notebook's folder.
        """
        folder = self._autograded(assignment.id, student)
        for place, picture in pictures.items():
            with files.replacing_bytes(folder / place) as copy:
                copy.write(picture)
        if submitted:
            with files.replacing(folder / files.TIMESTAMP) as file:
                file.write(texts.timestamp_text(submitted, "microseconds"))
        with files.replacing_bytes(folder / f"{assignment.id}.ipynb") as copy:
            copy.write(as_bytes(notebook))


def _reason_of(logged: list[logging.LogRecord], error: NbGraderException) -> str:
    """Return the reason why nbgrader failed, as it logged it: the last line of a traceback, else
    of the first message.
    """
    messages = [record.getMessage().strip() for record in logged] or [str(error)]
    tracebacks = [message for message in messages if message.startswith(TRACEBACK)]
    if tracebacks:
        return tracebacks[0].splitlines()[-1].partition(": ")[2] or tracebacks[0].splitlines()[-1]
    return messages[0].splitlines()[-1]


def open_course(course: Course, db_url: str | None = None) -> NbgraderCourse:
    """Return the course with its gradebook, after checking that the gradebook can be used.

    `db_url`: another gradebook than the course's. Raises `CourseError` if the course's configuration
    cannot be read, `AutograderError` if the gradebook cannot be used.
    """
    opened = NbgraderCourse(course, db_url)
    check_gradebook(opened.db_url)
    return opened


def may_be_entered(verdict: Verdict) -> bool:
    """Whether a verdict may be entered into a gradebook: it is graded, and was graded in the
    sandbox.
    """
    return verdict.state == "graded" and not verdict.is_practice
