"""Run nbgrader's converters one student at a time, so that a failure stops nobody else."""

from collections.abc import Callable
from pathlib import Path

from nbgrader.converters.base import BaseConverter, NbGraderException
from sqlalchemy.exc import OperationalError

from autograder.classroom.submitted_files import check_name
from autograder.engine import AutograderError, grading, texts

LONGEST_ERROR = 500  # characters


class CannotGoOn(NbGraderException):
    """The gradebook cannot be used for any student; the message says why."""


def for_each(
    converter: BaseConverter, convert: Callable[[str, Path, list[str]], object]
) -> list[str]:
    """Call `convert` for each student whom nbgrader's `converter` is to convert, but those whom its
    `student_id_exclude` names; return a sentence for each student for whom it raised an exception.

    `convert` gets the student, the submission's folder and the names of its notebooks. The
    sentences are logged, too. Raises `CannotGoOn`, or nbgrader's own exception, if the gradebook
    cannot be used; nobody else is then converted.
    """
    failed = []
    left_out = converter.coursedir.student_id_exclude.split(",")
    for folder, notebooks in sorted(converter.assignments.items()):
        student = Path(folder).parent.name
        if student in left_out:
            continue
        try:
            check_name(student)
            convert(student, Path(folder), [Path(one).name for one in notebooks])
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
