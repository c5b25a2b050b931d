"""Make the feedback pages of a class. A page is made again only if its content has changed.

`python -m autograder feedback`, `nbgrader generate_feedback` and formgrader all use this module.
Other files in the folder of a graded notebook are not opened.
"""

import glob
import logging
import shutil
from contextlib import nullcontext
from functools import cache
from pathlib import Path
from typing import NamedTuple

import nbformat
from nbformat.notebooknode import NotebookNode
from nbgrader.converters import GenerateFeedback
from traitlets.utils.importstring import import_item

from autograder.engine import Assignment, courses, files, grading, verdicts
from autograder.gradebook.pages.details import MADE_FROM, groups_of
from autograder.gradebook.pages.feedback_without_grade import write_pages
from autograder.gradebook.sync.group_marks import share_group_marks
from autograder.gradebook.sync.nbgrader_course import NbgraderCourse
from autograder.gradebook.sync.one_by_one import for_each

MAX_BYTES = 256 << 20  # of a page, and of a graded notebook
SILENT = logging.Logger("nbgrader", logging.ERROR)


def generate_feedback(converter: GenerateFeedback) -> list[str]:
    """Make outdated pages (with --force, all), and pages of students without a grade. Return and
    log a sentence for each failure.

    `converter`: nbgrader's application, with the course and the students. Raises `CannotGoOn` if
    the gradebook is unusable, `OSError` if the page of a student without a grade cannot be
    written.
    """
    folders, id = converter.coursedir, converter.coursedir.assignment_id
    pages = FeedbackPages(converter)
    with files.only_for(pages.course.is_shared) if pages.has_graders else nullcontext():
        share_group_marks(folders.db_url, id, groups_of(folders, id))
        failed = for_each(converter, lambda student, *_: pages.make(student, converter.force))
        write_pages(converter)
        return failed


class FeedbackPages:
    """The feedback pages of an assignment, in the course's `feedback/` folder."""

    def __init__(self, converter: GenerateFeedback):
        self.converter = converter
        self.assignment_id = converter.coursedir.assignment_id
        self.course = courses.read_course(Path(converter.coursedir.root))
        self.has_graders = Assignment(self.assignment_id, self.course).has_graders
        self.exporter = converter.exporter_class(parent=converter, config=converter.config)

    def students(self) -> list[str]:
        """Return the ids of students with a graded notebook."""
        names = {notebook.parents[1].name for notebook in self._graded("*")}
        return sorted(filter(verdicts.STUDENT.fullmatch, names))

    def make(self, student: str, anew: bool = False) -> bool:
        """Render and write a student's pages unless they are current. Return whether pages were
        written.

        `anew`: also render current pages. If rendering fails, the student's old pages are removed,
        because they would contradict the new grade, and the exception is raised again.
        """
        try:
            pages = [self._page(notebook) for notebook in self._graded(student)]
            if not anew and all(page.is_current for page in pages):
                return False
            if self.converter.coursedir.notebook_id == "*":
                self.remove(student)
            for page in pages:
                html, _ = self.exporter.from_notebook_node(page.notebook, page.resources)
                with files.replacing(page.path) as file:
                    file.write(html)
            if not self.has_graders:  # as nbgrader does for its own assignments
                self.converter.set_permissions(self.assignment_id, student)
        except BaseException:
            self.remove(student)
            raise
        return True

    def remove(self, student: str) -> None:
        shutil.rmtree(self._folder(student), ignore_errors=True)

    def _graded(self, student: str) -> list[Path]:
        """Return the graded notebooks of a student, or of all students for `*`."""
        source = self.converter._format_source(self.assignment_id, student)
        name = self.converter.coursedir.notebook_id  # `*` for all
        return [Path(notebook) for notebook in glob.glob(f"{source}/{name}.ipynb")]

    def _folder(self, student: str) -> Path:
        return Path(self.converter._format_dest(self.assignment_id, student))

    def _page(self, notebook: Path) -> "_Page":
        """Return the page for a graded notebook, not rendered. No link is followed."""
        text = files.read_regular(notebook, MAX_BYTES, notebook.parents[2]).decode()
        content = nbformat.reads(text, as_version=4)
        resources = self.converter.init_single_notebook_resources(str(notebook))
        resources["metadata"] = {"path": str(notebook.parent), "name": notebook.stem}
        for preprocessor in self.converter.preprocessors:
            kind = import_item(preprocessor) if isinstance(preprocessor, str) else preprocessor
            content, resources = kind(parent=self.converter).preprocess(content, resources)
        page = self._folder(notebook.parents[1].name) / f"{notebook.stem}.html"
        return _Page(page, content, resources)


class _Page(NamedTuple):
    """A feedback page: path of its file, notebook, and nbconvert's resources."""

    path: Path
    notebook: NotebookNode
    resources: dict

    @property
    def is_current(self) -> bool:
        """Whether the file exists and was made from these inputs."""
        try:
            html = files.read_regular(self.path, MAX_BYTES, self.path.parent).decode()
        except (OSError, ValueError):
            return False
        return f'content="{self.resources["nbgrader"][MADE_FROM]}"' in html


def make_page(root: Path, db_url: str | None, assignment_id: str, student: str) -> tuple[bool, str]:
    """Make a student's pages if they are outdated. Return whether they were made, and an error
    message ("" for none). No exception is raised.

    `root`: the course's folder. `db_url`: another gradebook than the course's, or None.
    """
    try:
        return feedback_pages(root, db_url, assignment_id).make(student), ""
    except Exception as error:  # nbconvert raises many kinds on a student's notebook
        return False, grading.describe_error(error)


@cache
def feedback_pages(root: Path, db_url: str | None, assignment_id: str) -> FeedbackPages:
    """Return the feedback pages of an assignment, cached in this process. Parameters as for
    `make_page`.

    Raises `CourseError` if the course or its configuration cannot be read.
    """
    course = courses.read_course(root)
    assignment = Assignment(assignment_id, course)
    return FeedbackPages(
        NbgraderCourse(course, db_url).converter(GenerateFeedback, assignment, SILENT)
    )
