"""One notebook in, one verdict out, behind the sandbox.

Other rooms import what this module exports, and nothing else of the engine; `mistakes` alone goes deeper.
Half of the names are parts of the engine, as `files` and `verdicts`, which say themselves what they offer.
"""

from typing import TYPE_CHECKING

from autograder import _lazily

if TYPE_CHECKING:
    from autograder.engine import (
        courses,
        examiner,
        files,
        grading,
        limits,
        notebooks,
        notes,
        sandbox,
        texts,
        verdicts,
    )
    from autograder.engine.courses.assignment import Assignment, find_assignment
    from autograder.engine.courses.cells import GraderError
    from autograder.engine.courses.course import Course, CourseError, find_course
    from autograder.engine.grading.graded import Graded
    from autograder.engine.grading.results import ResultsFolder
    from autograder.engine.limits.process import SandboxError
    from autograder.engine.notebooks.reader import Unreadable
    from autograder.engine.notebooks.submission import Submission
    from autograder.engine.texts.errors import AutograderError
    from autograder.engine.texts.patterns import Pattern
    from autograder.engine.texts.printable import printable
    from autograder.engine.texts.wording import name_some, plural
    from autograder.engine.verdicts.fingerprint import RunSettings
    from autograder.engine.verdicts.verdict import Verdict, points_text

__all__ = [
    "Assignment",
    "AutograderError",
    "Course",
    "CourseError",
    "Graded",
    "GraderError",
    "Pattern",
    "ResultsFolder",
    "RunSettings",
    "SandboxError",
    "Submission",
    "Unreadable",
    "Verdict",
    "courses",
    "examiner",
    "files",
    "find_assignment",
    "find_course",
    "grading",
    "limits",
    "name_some",
    "notebooks",
    "notes",
    "plural",
    "points_text",
    "printable",
    "sandbox",
    "texts",
    "verdicts",
]

# Each is imported when it is first asked for: a candidate imports a part of this package, too, and nothing
# of the rest may be in its process.
__getattr__ = _lazily(
    __name__,
    {
        "autograder.engine.courses.assignment": "Assignment find_assignment",
        "autograder.engine.courses.cells": "GraderError",
        "autograder.engine.courses.course": "Course CourseError find_course",
        "autograder.engine.grading.graded": "Graded",
        "autograder.engine.grading.results": "ResultsFolder",
        "autograder.engine.limits.process": "SandboxError",
        "autograder.engine.notebooks.reader": "Unreadable",
        "autograder.engine.notebooks.submission": "Submission",
        "autograder.engine.texts.errors": "AutograderError",
        "autograder.engine.texts.patterns": "Pattern",
        "autograder.engine.texts.printable": "printable",
        "autograder.engine.texts.wording": "name_some plural",
        "autograder.engine.verdicts.fingerprint": "RunSettings",
        "autograder.engine.verdicts.verdict": "Verdict points_text",
    },
)
