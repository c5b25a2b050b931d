"""nbgrader's `autograde`, `generate_feedback` and formgrader, with checks before what they open.

nbgrader converts a copy of what was checked: the notebook, the time, and of the files beside it those
that `c.Autograde.exclude_overwriting` lets students hand in. What else a student sent stays where it
is. An assignment without hidden graders is graded in nbgrader's own way, without walls: what a student
sent beside the notebook goes with it, as plain files.

Only what nbgrader has no setting for takes the place of its method of the same name.
"""

import os
import shutil
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import datetime
from pathlib import Path

from nbgrader.apps import NbGraderAPI
from nbgrader.converters import Autograde, GenerateFeedback
from nbgrader.converters.base import BaseConverter, NbGraderException
from sqlalchemy.exc import OperationalError

from autograder.engine.assignment import Assignment
from autograder.engine.course import read_course
from autograder.engine.notebook import MAX_BYTES
from autograder.engine.verdict import STUDENT
from autograder.files import read_regular
from autograder.gradebook.feedback_without_grade import remove_page, write_pages
from autograder.gradebook.late import LateRules
from autograder.gradebook.late_files import PolicyError
from autograder.gradebook.late_policy import LatePolicy
from autograder.gradebook.nbgrader_alone import grade_without_walls
from autograder.gradebook.submitted_files import (
    Refused,
    check_folder,
    check_name,
    check_notebook,
    time_in,
)
from autograder.times import TIMESTAMP

their_convert_notebooks = BaseConverter.convert_notebooks
their_get_submitted_students = NbGraderAPI.get_submitted_students


def install() -> None:
    """Put our functions into nbgrader's classes."""
    BaseConverter.convert_notebooks = convert_notebooks
    NbGraderAPI.get_submitted_students = get_submitted_students
    NbGraderAPI.get_submitted_timestamp = get_submitted_timestamp


def convert_notebooks(self: BaseConverter) -> None:
    """Convert one student after the other; whatever fails for one, the others go on. Feedback is
    written for those who have no grade, too.

    Raises `NbGraderException` at the end, with a sentence on each who failed; at once where the
    gradebook cannot be used.
    """
    if not isinstance(self, Autograde | GenerateFeedback):
        return _convert_one(self, ".")
    alone = isinstance(self, Autograde) and not _has_graders(self)
    if alone:
        grade_without_walls(self)
    failed = []
    for folder, notebooks in sorted(self.assignments.items()):
        try:
            _convert_checked(self, Path(folder), [Path(one).name for one in notebooks], alone)
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


def get_submitted_students(self: NbGraderAPI, assignment_id: str) -> set[str]:
    """Return who has a folder of submissions, as far as its name can be an id."""
    found = their_get_submitted_students(self, assignment_id)
    return {student for student in found if STUDENT.fullmatch(student)}


def get_submitted_timestamp(
    self: NbGraderAPI, assignment_id: str, student_id: str
) -> datetime | None:
    """Return when a submission was handed in, as formgrader shows it: as the course's file says."""
    top = self.coursedir.submitted_directory
    by_platform = time_in(self.coursedir.format_path(top, student_id, assignment_id), self.log)
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


def _convert_checked(self: BaseConverter, folder: Path, notebooks: list[str], alone: bool) -> None:
    """Convert one student's submission. Raises `Refused` for one that must not be opened."""
    student = folder.parent.name
    files = _checked(self, folder, notebooks, alone)
    if isinstance(self, GenerateFeedback):
        remove_page(self, self.coursedir.assignment_id, student)
    with _copied(self, folder, [*notebooks, *files]) as copy:
        self.assignments = {str(copy): [str(copy / name) for name in notebooks]}
        _convert_one(self, student)


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


def _checked(self: BaseConverter, folder: Path, notebooks: list[str], alone: bool) -> list[str]:
    """Return the files beside the notebooks that go with them. Raises `Refused`."""
    student, top = folder.parent.name, folder.parents[1]
    check_name(student)
    files = check_folder(student, folder, top)
    if not isinstance(self, Autograde):
        return []
    for notebook in notebooks if not alone else []:
        check_notebook(student, folder / notebook, top)
    _check_names(self, student, notebooks)
    asked_for = self.exclude_overwriting.get(self.coursedir.assignment_id, [])
    return [name for name in files if name != TIMESTAMP and (alone or name in asked_for)]


def _check_names(self: BaseConverter, student: str, notebooks: list[str]) -> None:
    """Raise `Refused` where no notebook is called like one of the assignment's."""
    folder = self.coursedir.format_path(
        self.coursedir.source_directory, ".", self.coursedir.assignment_id
    )
    wanted = sorted(path.name for path in Path(folder).glob("*.ipynb"))
    if wanted and not {*notebooks} & {*wanted}:
        raise Refused(
            f"{student} is left out: there is no `{wanted[0]}`. "
            "Rename the notebook, and run this again."
        )


@contextmanager
def _copied(self: BaseConverter, folder: Path, names: list[str]) -> Iterator[Path]:
    """Have nbgrader read a copy of these files of a submission, and of its time; yield its folder."""
    step = "submitted" if isinstance(self, Autograde) else "autograded"
    step_directory = f"{step}_directory"
    theirs = getattr(self.coursedir, step_directory)
    with tempfile.TemporaryDirectory(dir=self.coursedir.root, prefix=f".{step}-") as copies:
        setattr(self.coursedir, step_directory, Path(copies).name)
        try:
            copy = Path(self._format_source(folder.name, folder.parent.name))
            for name in names:
                (copy / name).parent.mkdir(parents=True, exist_ok=True)
                (copy / name).write_bytes(read_regular(folder / name, MAX_BYTES, folder.parents[1]))
            if submitted := time_in(folder, self.log):
                written = submitted.isoformat(" ", "microseconds") + " UTC"
                (copy / TIMESTAMP).write_text(written)
            yield copy
        finally:
            setattr(self.coursedir, step_directory, theirs)
