"""nbgrader's `autograde`, `generate_feedback`, `collect` and formgrader, with checks before what they
open and copy.

Each function below takes the place of nbgrader's method of the same name. Of the files beside a
notebook only those that the assignment's own folder in `source/` has are copied, and those that
`c.Autograde.exclude_overwriting` lets students hand in: what else a student sent stays where it is.

An assignment without hidden graders is graded in nbgrader's own way, without walls: what a student
sent beside the notebook goes with it, as plain files.
"""

import os
import re
import shutil
import tempfile
from datetime import datetime
from pathlib import Path

from nbgrader import utils
from nbgrader.apps import NbGraderAPI
from nbgrader.converters import Autograde, GenerateFeedback
from nbgrader.converters.base import BaseConverter, NbGraderException
from nbgrader.coursedir import CourseDirectory
from nbgrader.exchange.default import ExchangeCollect, ExchangeReleaseFeedback
from sqlalchemy.exc import OperationalError

from autograder.engine.assignment import Assignment
from autograder.engine.course import read_course
from autograder.engine.notebook import read_notebook
from autograder.engine.verdict import STUDENT
from autograder.files import read_regular, replacing, replacing_bytes
from autograder.gradebook.feedback_without_grade import remove_page, write_pages
from autograder.gradebook.late import LateRules
from autograder.gradebook.late_files import PolicyError, TimeError, submitted_at
from autograder.gradebook.late_policy import LatePolicy
from autograder.gradebook.nbgrader_alone import grade_without_walls
from autograder.gradebook.notebooks import received_notebook
from autograder.gradebook.released_feedback import copy_files
from autograder.gradebook.submitted_files import (
    MAX_FILE,
    Refused,
    check_folder,
    check_name,
    check_notebook,
)
from autograder.times import TIMESTAMP

GUARDED = Autograde, GenerateFeedback
their_convert_notebooks = BaseConverter.convert_notebooks
their_convert_single_notebook = BaseConverter.convert_single_notebook
their_init_assignment = BaseConverter.init_assignment
their_do_copy = ExchangeCollect.do_copy
their_get_submitted_students = NbGraderAPI.get_submitted_students


def install() -> None:
    """Put our functions into nbgrader's classes."""
    BaseConverter.convert_notebooks = convert_notebooks
    BaseConverter.convert_single_notebook = convert_single_notebook
    BaseConverter.init_assignment = init_assignment
    CourseDirectory.get_existing_timestamp = get_existing_timestamp
    ExchangeCollect.do_copy = do_copy
    ExchangeReleaseFeedback.copy_files = copy_files
    NbGraderAPI.get_submitted_students = get_submitted_students
    NbGraderAPI.get_submitted_timestamp = get_submitted_timestamp


def convert_notebooks(self: BaseConverter) -> None:
    """Convert one student after the other; whatever fails for one, the others go on. Feedback is
    written for those who have no grade, too.

    Raises `NbGraderException` at the end, with a sentence on each who failed; at once where the
    gradebook cannot be used.
    """
    if not isinstance(self, GUARDED):
        return _convert_one(self, ".")
    self.is_by_nbgrader = isinstance(self, Autograde) and not _has_graders(self)
    if self.is_by_nbgrader:
        grade_without_walls(self)
    failed = []
    for folder, notebooks in sorted(self.assignments.items()):
        try:
            _check(self, Path(folder), notebooks)
            if isinstance(self, GenerateFeedback):
                remove_page(self, self.coursedir.assignment_id, Path(folder).parent.name)
            self.assignments = {folder: notebooks}
            _convert_one(self, Path(folder).parent.name)
        except Refused as error:
            self.log.error("%s", error)
            failed.append(str(error))
        except Exception as error:
            if isinstance(error.__context__, OperationalError):
                raise
            if not isinstance(error, NbGraderException):  # those have been logged
                self.log.exception("There was an error processing %r", folder)
            failed.append(f"{Path(folder).parent.name!r}: {type(error).__name__}")
    if isinstance(self, GenerateFeedback):
        write_pages(self)
    if failed:
        raise NbGraderException("\n".join(failed))


def convert_single_notebook(self: BaseConverter, notebook_filename: str) -> None:
    """Convert what our own reader reads of a student's notebook: nbgrader sees nothing else of it."""
    if not (isinstance(self, Autograde) and self._sanitizing) or self.is_by_nbgrader:
        return their_convert_single_notebook(self, notebook_filename)
    path = Path(notebook_filename)
    notebook = received_notebook(read_notebook(path, _top(self, path)))
    resources = self.init_single_notebook_resources(notebook_filename)
    output, resources = self.exporter.from_notebook_node(notebook, resources=resources)
    self.write_single_notebook(output, resources)


def init_assignment(self: BaseConverter, assignment_id: str, student_id: str) -> None:
    """Copy what may lie beside a notebook."""
    if not isinstance(self, GUARDED) or self.is_by_nbgrader:
        return their_init_assignment(self, assignment_id, student_id)
    source = Path(self._format_source(assignment_id, student_id))
    target = Path(self._format_dest(assignment_id, student_id))
    if isinstance(self, Autograde):
        wanted = self.exclude_overwriting.get(assignment_id, [])
    else:
        wanted = _files_of(self, assignment_id)
    for name in wanted:
        try:
            content = read_regular(source / name, MAX_FILE, _top(self, source))
        except OSError:  # nobody needs to hand it in
            continue
        with replacing_bytes(target / name) as file:
            file.write(content)
    if submitted := self.coursedir.get_existing_timestamp(str(source)):
        with replacing(target / TIMESTAMP) as text:
            text.write(submitted.isoformat(" ", "microseconds") + " UTC")


def get_existing_timestamp(self: CourseDirectory, dest_path: str) -> datetime | None:
    """Return the time in a folder's `timestamp.txt`, None where there is none that can be read."""
    folder = Path(os.path.normpath(dest_path))
    try:
        return submitted_at(folder, folder.parents[1])
    except TimeError as error:
        self.log.warning("%s Taken as handed in without a time.", error)
        return None


def do_copy(self: ExchangeCollect, src: str, dest: str, log=None) -> None:
    """Collect one submission from the exchange, unless it holds a link or the like: students can
    write there.
    """
    try:
        check_folder(Path(dest).parent.name, Path(src), Path(src).parent)
    except Refused as error:
        self.log.error("%s", error)
    else:
        their_do_copy(self, src, dest, log)


def get_submitted_students(self: NbGraderAPI, assignment_id: str) -> set[str]:
    """Return who has a folder of submissions, as far as its name can be an id."""
    found = their_get_submitted_students(self, assignment_id)
    return {student for student in found if STUDENT.fullmatch(student)}


def get_submitted_timestamp(
    self: NbGraderAPI, assignment_id: str, student_id: str
) -> datetime | None:
    """Return when a submission was handed in, as formgrader shows it: as the course's file says."""
    top = self.coursedir.submitted_directory
    by_platform = self.coursedir.get_existing_timestamp(
        self.coursedir.format_path(top, student_id, assignment_id)
    )
    try:
        rules = LateRules(LatePolicy(config=self.config), Path(self.coursedir.root))
    except PolicyError as error:
        self.log.warning("%s", error)
        return by_platform
    return rules.submitted((student_id, assignment_id), by_platform)


def _has_graders(self: Autograde) -> bool:
    """Whether the assignment has hidden graders, or should have some. Raises `NoCourse`."""
    course = read_course(Path(self.coursedir.root))
    return Assignment(self.coursedir.assignment_id, course).has_graders


def _convert_one(self: BaseConverter, student: str) -> None:
    """Convert what is left of `self.assignments`, of one student (or of nobody: `.`).

    Where that fails, what was made before is put back: nbgrader removes it. A page of feedback is
    not: it may be older than its grade.
    """
    made = Path(os.path.normpath(self._format_dest(self.coursedir.assignment_id, student)))
    if isinstance(self, GenerateFeedback) or not made.is_dir():
        return their_convert_notebooks(self)
    with tempfile.TemporaryDirectory(dir=made.parent, prefix=".") as aside:
        kept = shutil.copytree(made, Path(aside) / made.name, symlinks=True)
        try:
            their_convert_notebooks(self)
        except BaseException:
            shutil.rmtree(made, ignore_errors=True)
            kept.rename(made)
            raise


def _check(self: BaseConverter, folder: Path, notebooks: list[str]) -> None:
    """Raise `Refused` for a submission that must not be opened."""
    pattern = self._format_source("(?P<assignment_id>.*)", "(?P<student_id>.*)", escape=True)
    found = re.fullmatch(pattern, str(folder), re.DOTALL)
    student = found["student_id"] if found else folder.parent.name
    check_name(student)
    top = _top(self, folder)
    check_folder(student, folder, top)
    if isinstance(self, Autograde):
        for notebook in notebooks if not self.is_by_nbgrader else []:
            check_notebook(student, Path(notebook), top)
        _check_names(self, student, notebooks)


def _check_names(self: BaseConverter, student: str, notebooks: list[str]) -> None:
    """Raise `Refused` where no notebook is called like one of the assignment's.

    nbgrader would say something else, after it has removed what was graded before.
    """
    folder = self.coursedir.format_path(
        self.coursedir.source_directory, ".", self.coursedir.assignment_id
    )
    wanted = sorted(path.name for path in Path(folder).glob("*.ipynb"))
    if wanted and not {Path(notebook).name for notebook in notebooks} & {*wanted}:
        raise Refused(
            f"{student} is left out: there is no `{wanted[0]}`. "
            "Rename the notebook, and run this again."
        )


def _top(self: BaseConverter, path: Path) -> Path:
    """The folder of all students, which staff have made, if need be as a link; else the course's."""
    top = Path(os.path.normpath(self.coursedir.format_path(self._input_directory, ".", ".")))
    return top if path.is_relative_to(top) else Path(self.coursedir.root)


def _files_of(self: BaseConverter, assignment_id: str) -> list[str]:
    """The files of the assignment itself, by their paths in its folder."""
    folder = self.coursedir.format_path(self.coursedir.source_directory, ".", assignment_id)
    found = utils.find_all_files(folder, [*self.coursedir.ignore, "*.ipynb"])
    return [os.path.relpath(file, folder) for file in found]
