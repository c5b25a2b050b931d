"""Patch nbgrader's `autograde`, `generate_feedback` and formgrader for a course with hidden
graders.

Each function here replaces nbgrader's method of the same name, because nbgrader has no setting for
the change.
"""

from datetime import datetime
from pathlib import Path

from nbconvert.exporters import NotebookExporter  # noqa: F401 -- see configuration.py
from nbgrader.apps import NbGraderAPI
from nbgrader.converters import Autograde, GenerateAssignment, GenerateFeedback
from nbgrader.converters.base import BaseConverter, NbGraderException

from autograder.classroom.submitted_files import time_in
from autograder.engine import Assignment, AutograderError, courses, files, verdicts
from autograder.gradebook.lateness.late import LateRules
from autograder.gradebook.pages.feedback import generate_feedback
from autograder.gradebook.sync.autograding import autograde
from autograder.gradebook.sync.nbgrader_alone import (
    autograde_alone,
    convert_or_put_back,
    their_convert_notebooks,
)
from autograder.gradebook.sync.one_file import has_hidden_graders, remove_figures

their_get_submitted_students = NbGraderAPI.get_submitted_students


def convert_notebooks(self: BaseConverter) -> None:
    """Replace nbgrader's method: grade submissions or make feedback one student after the other,
    so that a failure does not stop the others. Other converters, such as that of releases, run
    unchanged, but their old output is restored if they fail. Unconfigured courses are left to
    nbgrader.

    Raises `NbGraderException` at the end with a sentence for each failure, or at once if the
    gradebook is unusable.
    """
    if not self.config.Graders.get("configured"):
        return their_convert_notebooks(self)
    if isinstance(self, Autograde):
        failed = _autograde(self)
    elif isinstance(self, GenerateFeedback):
        failed = generate_feedback(self)
    else:
        convert_or_put_back(self, ".")
        if isinstance(self, GenerateAssignment) and has_hidden_graders(self):
            remove_figures(Path(self._format_dest(self.coursedir.assignment_id, ".")))
        return None
    if failed:
        raise NbGraderException("\n".join(failed))


def _autograde(converter: Autograde) -> list[str]:
    """Grade with hidden graders, else with nbgrader alone. Return a sentence for each failure."""
    course = courses.read_course(Path(converter.coursedir.root))
    assignment = Assignment(converter.coursedir.assignment_id, course)
    if assignment.has_graders:
        with files.only_for(group=course.is_shared):
            return autograde(converter, assignment)
    return autograde_alone(converter)


def get_submitted_students(self: NbGraderAPI, assignment_id: str) -> set[str]:
    """Return ids of students with submissions. Folders with invalid ids are left out."""
    names = their_get_submitted_students(self, assignment_id)
    return {student for student in names if verdicts.STUDENT.fullmatch(student)}


def get_submitted_timestamp(
    self: NbGraderAPI, assignment_id: str, student_id: str
) -> datetime | None:
    """Return the time in `late.csv`, else in `timestamp.txt`, or None."""
    top = self.coursedir.submitted_directory
    by_platform = time_in(self.coursedir.format_path(top, student_id, assignment_id), self.log)
    try:
        rules = LateRules(self.config, Path(self.coursedir.root))
    except AutograderError as error:
        self.log.warning("%s", error)
        return by_platform
    return rules.submitted((student_id, assignment_id), by_platform)


BaseConverter.convert_notebooks = convert_notebooks
NbGraderAPI.get_submitted_students = get_submitted_students
NbGraderAPI.get_submitted_timestamp = get_submitted_timestamp
