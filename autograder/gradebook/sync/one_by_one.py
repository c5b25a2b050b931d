"""Run nbgrader's converters one student at a time, so that a failure does not stop the others."""

from collections.abc import Callable
from pathlib import Path

from nbgrader.converters.base import BaseConverter, NbGraderException
from sqlalchemy.exc import OperationalError

from autograder.classroom.submitted_files import check_name
from autograder.engine import AutograderError, grading, texts

LONGEST_ERROR = 500  # characters


class CannotGoOn(NbGraderException):
    """The gradebook is unusable for every student. The message has the reason."""


def for_each(
    converter: BaseConverter, convert: Callable[[str, Path, list[str]], object]
) -> list[str]:
    """Call `convert` for each student of nbgrader's `converter`, except those in its
    `student_id_exclude`. Return and log a sentence for each exception.

    `convert` gets the student, the submission's folder and the names of its notebooks. Raises
    `CannotGoOn`, or nbgrader's own exception, if the gradebook is unusable, and stops.
    """
    failed = []
    left_out = converter.coursedir.student_id_exclude.split(",")
    for folder, notebooks in sorted(converter.assignments.items()):
        student = Path(folder).parent.name
        if student in left_out:
            continue
        try:
            check_name(student)
            convert(student, Path(folder), [Path(notebook).name for notebook in notebooks])
        except (CannotGoOn, OperationalError) as error:
            converter.log.error("%s", texts.first_line(error, LONGEST_ERROR))
            raise CannotGoOn(texts.first_line(error, LONGEST_ERROR)) from error
        except AutograderError as error:
            converter.log.error("%s", error)
            failed.append(str(error))
        except Exception as error:
            if isinstance(error.__context__, OperationalError):  # nbgrader has logged it
                raise
            if not isinstance(error, NbGraderException):  # those have been logged
                converter.log.exception("There was an error processing %r", folder)
            failed.append(f"{student!r}: {grading.describe_error(error)}")
    return failed
