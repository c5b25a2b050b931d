"""An nbgrader course: its folder with `nbgrader_config.py`, and its gradebook."""

import json
import logging
import os
import shutil
import sys
import tempfile
import warnings
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import datetime
from logging.handlers import BufferingHandler
from pathlib import Path

import nbformat
from nbgrader import utils
from nbgrader.api import Gradebook, MissingEntry
from nbgrader.converters import GenerateAssignment
from nbgrader.converters.base import BaseConverter, NbGraderException
from nbgrader.coursedir import CourseDirectory
from sqlalchemy.exc import SAWarning
from traitlets.config import Config, PyFileConfigLoader

from autograder.assignment import Assignment
from autograder.gradebook.entering import Book, Row
from autograder.gradebook.late import LatePolicy
from autograder.gradebook.notebooks import STAMP, graded_notebook
from autograder.gradebook.preprocessors import may_be_entered
from autograder.gradebook.url import limit_waiting
from autograder.intake.roster import Person
from autograder.repair import Submission
from autograder.replacing import replacing
from autograder.verdict import Verdict


@dataclass(frozen=True)
class Record:
    """What goes into the gradebook for one student."""

    verdict: Verdict
    submission: Submission
    outputs: dict[str, list[dict]]
    submitted: datetime | None = None  # UTC, without a zone
    person: Person | None = None  # who that is on the platform


class Course:
    """Enters verdicts, and says what the gradebook holds.

    Raises `SQLAlchemyError` where the gradebook cannot be used, `NbGraderException` where nbgrader
    refuses, `PolicyError` where the file of extensions is damaged.
    """

    def __init__(self, root: Path, db_url: str | None = None):
        _put_our_programs_on_the_path()
        limit_waiting()
        self.root = root
        self.config = PyFileConfigLoader("nbgrader_config.py", path=str(root)).load_config()
        self.config.CourseDirectory.root = str(root)
        if db_url:
            self.config.CourseDirectory.db_url = db_url
        self.folders = CourseDirectory(config=self.config)
        self.db_url = self.folders.db_url
        self.policy = LatePolicy(config=self.config)

    def enter(self, assignment: Assignment, records: Iterable[Record]) -> None:
        """Enter verdicts in one transaction, and the notebooks that formgrader shows."""
        wanted = {one.verdict.student: one for one in records if may_be_entered(one.verdict)}
        if not wanted:
            return
        self.announce(assignment)
        notebooks = {
            student: graded_notebook(assignment, one.submission, one.verdict, one.outputs)
            for student, one in wanted.items()
        }
        submitted = {student: one.submitted for student, one in wanted.items()}
        granted = self.policy.granted(self.root, assignment.id)
        people = {student: one.person for student, one in wanted.items() if one.person}
        with self._book(assignment) as book:
            book.write(notebooks, submitted, granted, people)
        for student, notebook in notebooks.items():  # last: what is there now, the gradebook holds
            text = json.dumps(notebook, sort_keys=True, ensure_ascii=False)
            self._write_files(assignment, student, text, submitted[student])

    def rows(self, assignment: Assignment) -> dict[str, Row]:
        """What the gradebook says of this assignment, by student; nothing where it knows none."""
        try:
            with self._book(assignment) as book:
                return book.rows(self.policy.granted(self.root, assignment.id))
        except MissingEntry:
            return {}

    def holds(self, verdict: Verdict, row: Row | None, submitted: datetime | None) -> bool:
        """Whether the gradebook says what this verdict says, or has nothing to say about it."""
        if not may_be_entered(verdict):
            return True
        wanted = {f"check_{result.id}": result.points for result in verdict.exercises}
        if row is None or not row.settled or row.submitted != submitted:
            return False
        if not wanted.items() <= row.points.items():
            return False
        try:
            path = self._autograded(verdict.assignment, verdict.student)
            shown = json.loads((path / f"{verdict.assignment}.ipynb").read_text(encoding="utf-8"))
            return shown["metadata"][STAMP] == verdict.stamp
        except (OSError, ValueError, LookupError, TypeError):
            return False

    def points(self, assignment: Assignment, student: str) -> float | None:
        """The automatic points that the gradebook holds, or None if it knows no such submission."""
        row = self.rows(assignment).get(student)
        return None if row is None else sum(row.points.values())

    def announce(self, assignment: Assignment) -> None:
        """Tell the gradebook what the assignment consists of, if it does not know."""
        if self._knows(assignment):
            return
        with tempfile.TemporaryDirectory() as folder:
            self.convert(GenerateAssignment, assignment, release_directory=folder)

    def convert(self, kind: type[BaseConverter], assignment: Assignment, **folders: str) -> None:
        """Run one of nbgrader's converters for all students. Raises `NbGraderException`."""
        config = Config(self.config)
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

    @contextmanager
    def _book(self, assignment: Assignment) -> Iterator[Book]:
        """The assignment in the gradebook. Raises `MissingEntry`."""
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", SAWarning)
            with Gradebook(self.db_url, self.folders.course_id) as gradebook:
                yield Book(gradebook, assignment.id, self.policy)

    def _knows(self, assignment: Assignment) -> bool:
        """Whether the gradebook has the cells, texts and points of the release."""
        release = nbformat.read(assignment.release, as_version=4)
        ours = {
            cell.metadata.nbgrader.grade_id: (cell.metadata.nbgrader.get("points"), cell.source)
            for cell in release.cells
            if "nbgrader" in cell.metadata
        }
        try:
            with self._book(assignment) as book:
                points = {cell.name: cell.max_score for cell in book.notebook.grade_cells}
                sources = book.notebook.source_cells
                return ours == {cell.name: (points.get(cell.name), cell.source) for cell in sources}
        except MissingEntry:
            return False

    def _autograded(self, assignment_id: str, student: str) -> Path:
        top = self.folders.autograded_directory
        return Path(self.folders.format_path(top, student, assignment_id))

    def _write_files(
        self, assignment: Assignment, student: str, text: str, submitted: datetime | None
    ) -> None:
        """The graded notebook and its pictures, as `nbgrader autograde` leaves them."""
        folder = self._autograded(assignment.id, student)
        source = self.folders.format_path(self.folders.source_directory, ".", assignment.id)
        for file in utils.find_all_files(source, [*self.folders.ignore, "*.ipynb"]):
            target = folder / Path(file).relative_to(source)
            target.parent.mkdir(parents=True, exist_ok=True)
            shutil.copy(file, target)
        if submitted:
            with replacing(folder / "timestamp.txt") as file:
                file.write(f"{submitted:%Y-%m-%d %H:%M:%S.%f} UTC")
        with replacing(folder / f"{assignment.id}.ipynb") as file:
            file.write(text + "\n")


def _put_our_programs_on_the_path() -> None:
    """nbgrader calls `alembic` by name, also where the environment was never activated."""
    programs = str(Path(sys.executable).parent)
    if programs not in os.environ.get("PATH", "").split(os.pathsep):
        os.environ["PATH"] = programs + os.pathsep + os.environ.get("PATH", os.defpath)
