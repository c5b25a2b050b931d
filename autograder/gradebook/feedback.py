"""Pages of feedback for a class: each is made anew where what it shows has changed, and only there."""

import glob
import logging
import shutil
from functools import cache
from pathlib import Path

import nbformat
from nbgrader.converters import GenerateFeedback
from nbgrader.preprocessors import GetGrades
from sqlalchemy.exc import SQLAlchemyError

from autograder.engine.assignment import Assignment
from autograder.engine.course import read_course
from autograder.engine.graded import describe_error
from autograder.engine.verdict import STUDENT, Verdict
from autograder.files import read_regular
from autograder.gradebook.feedback_without_grade import write_pages
from autograder.gradebook.nbgrader_course import NbgraderCourse
from autograder.gradebook.notebooks import shown_in
from autograder.gradebook.pages.details import MADE_FROM, GetDetails

MAX_BYTES = 256 << 20  # of a page
SILENT = logging.Logger("nbgrader", logging.ERROR)


class FeedbackPages:
    """The pages of one assignment, in the course's folder for them."""

    def __init__(self, root: Path, db_url: str | None, assignment_id: str):
        """Raises `NoCourse`."""
        self.course = _opened(root, db_url)
        self.assignment = Assignment(assignment_id, read_course(root))
        self.converter = self.course.converter(GenerateFeedback, self.assignment, SILENT)

    def students(self) -> list[str]:
        """Return who has a graded notebook, and so gets a page with points."""
        found = {notebook.parents[1].name for notebook in self._graded("*")}
        return sorted(filter(STUDENT.fullmatch, found))

    def is_current(self, student: str) -> bool:
        """Whether all of a student's pages show what is known now."""
        graded = self._graded(student)
        return bool(graded) and all(map(self._shows_what_is_known, graded))

    def shows(self, verdict: Verdict) -> bool:
        """Whether the student's page shows what is known now, this verdict among it."""
        try:
            stamps = [shown_in(one)[0] for one in self._graded(verdict.student)]
            return verdict.stamp in stamps and self.is_current(verdict.student)
        except (OSError, ValueError, RecursionError, SQLAlchemyError):
            return False

    def make(self, student: str) -> None:
        """Make a student's pages. Raises `NbGraderException`."""
        self.course.convert(GenerateFeedback, self.assignment, student_id=student)

    def remove(self, student: str) -> None:
        """Remove a student's pages."""
        shutil.rmtree(self._folder(student), ignore_errors=True)

    def make_without_grade(self) -> None:
        """Make the pages that say why there is no grade. Raises `OSError`."""
        write_pages(self.converter)

    def _graded(self, student: str) -> list[Path]:
        where = self.converter._format_source(self.assignment.id, student)
        return [Path(notebook) for notebook in glob.glob(f"{where}/*.ipynb")]

    def _folder(self, student: str) -> Path:
        return Path(self.converter._format_dest(self.assignment.id, student))

    def _shows_what_is_known(self, notebook: Path) -> bool:
        page = self._folder(notebook.parents[1].name) / f"{notebook.stem}.html"
        try:
            shown = read_regular(page, MAX_BYTES, page.parent).decode()
        except (OSError, ValueError):
            return False
        resources = self.converter.init_single_notebook_resources(str(notebook))
        resources["metadata"] = {"path": str(notebook.parent)}
        read = nbformat.read(notebook, as_version=4)
        for preprocessor in (GetGrades, GetDetails):
            read, resources = preprocessor(parent=self.converter).preprocess(read, resources)
        return f'content="{resources["nbgrader"][MADE_FROM]}"' in shown


def make_page(root: Path, db_url: str | None, assignment_id: str, student: str) -> tuple[bool, str]:
    """Make one student's pages, if they are not current; return whether, and why they cannot be."""
    try:
        pages = FeedbackPages(root, db_url, assignment_id)
        if pages.is_current(student):
            return False, ""
        pages.make(student)
    except Exception as error:  # whatever one student's notebook makes it raise
        return False, describe_error(error)
    return True, ""


@cache
def _opened(root: Path, db_url: str | None) -> NbgraderCourse:
    return NbgraderCourse(read_course(root), db_url)
