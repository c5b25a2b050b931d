"""nbgrader's converters as its commands run them, and what they say."""

import logging

from nbgrader.converters.base import BaseConverter, NbGraderException
from nbgrader.coursedir import CourseDirectory

from autograder import Assignment
from autograder.gradebook.sync.nbgrader_course import NbgraderCourse


def listening_log() -> tuple[logging.Logger, list[str]]:
    """A log, and the messages that are written to it."""
    log, lines, handler = logging.Logger("nbgrader"), [], logging.Handler()
    handler.emit = lambda record: lines.append(record.getMessage())  # type: ignore[method-assign]
    log.addHandler(handler)
    return log, lines


def convert(
    kind: type[BaseConverter],
    course: NbgraderCourse,
    assignment: Assignment,
    student: str = "*",
    **options,
) -> tuple[str, str]:
    """Run one of nbgrader's converters; return what it ended with, and its messages."""
    ids = {"assignment_id": assignment.id, "student_id": student}
    folders = CourseDirectory(config=course.config, **ids)
    log, lines = listening_log()
    error = ""
    try:
        options = {"force": True} | options
        kind(coursedir=folders, config=course.config, log=log, **options).start()
    except NbGraderException as raised:
        error = str(raised)
    return error, "\n".join(lines)
