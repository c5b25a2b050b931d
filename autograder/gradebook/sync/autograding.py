"""Replace `nbgrader autograde` for assignments with hidden graders: grade and enter verdicts."""

from contextlib import suppress
from pathlib import Path

from nbgrader.converters import Autograde
from nbgrader.converters.base import NbGraderException

from autograder.classroom.late_files import submitted_at
from autograder.classroom.submitted_files import check_folder, check_notebooks, chosen_notebook
from autograder.engine import (
    Assignment,
    AutograderError,
    ResultsFolder,
    RunSettings,
    Submission,
    grading,
    notebooks,
)
from autograder.gradebook.lateness.late import LateRules
from autograder.gradebook.lateness.late_notes import without_due_date
from autograder.gradebook.sync.choices import graded_class
from autograder.gradebook.sync.class_penalties import (
    enter_penalties,
    read_penalties,
    read_penalties_elsewhere,
)
from autograder.gradebook.sync.enter import enter_verdicts
from autograder.gradebook.sync.nbgrader_course import NbgraderCourse, may_be_entered
from autograder.gradebook.sync.one_by_one import CannotGoOn, for_each
from autograder.gradebook.sync.tables import read_names
from autograder.gradebook.table import write_table


def autograde(converter: Autograde, assignment: Assignment) -> list[str]:
    """Grade and enter new or changed submissions (with --force, all). Return and log a sentence
    for each failure.

    `converter`: nbgrader's application, with the course and the students. Raises
    `NbGraderException` if another run is grading this assignment, or if the late policy or the
    gradebook is unusable, `CourseError` if the course's configuration cannot be read.
    """
    results = ResultsFolder(assignment.course.root / grading.RESULTS, assignment)
    course = NbgraderCourse(assignment.course, converter.coursedir.db_url, converter.config)
    try:
        LateRules(course.config, course.root)
        with results.exclusively():
            try:
                return for_each(converter, _Autograding(converter, course, results))
            finally:
                write_table(results.results, assignment)
    except AutograderError as error:
        converter.log.error("%s", error)
        raise NbGraderException(str(error)) from error


class _Autograding:
    """Grades and enters students' submissions, called for each in turn."""

    def __init__(self, converter: Autograde, course: NbgraderCourse, results: ResultsFolder):
        self.converter = converter
        self.course = course
        self.results = results
        self.assignment = results.assignment

    def __call__(self, student: str, folder: Path, notebook_names: list[str]) -> None:
        """Grade a student's submission unless its verdict is current (with --force, always), and
        enter the verdict.

        Raises `AutograderError` if this student cannot be graded or entered, `CannotGoOn` if the
        gradebook fails for everybody. The verdict file stays even if entering fails.
        """
        top = folder.parents[1]
        check_folder(student, folder, top)
        notebook = chosen_notebook(folder, self.assignment.id, top)
        check_notebooks(student, notebook_names, [notebook.name])
        self._check_student(student)
        submission = notebooks.read_submission(self.assignment, student, notebook, top)
        previous = self.results.verdict(student)
        graded_hash = previous.stamp.submission if previous and may_be_entered(previous) else None
        if graded_hash == submission.hash and not self.converter.force:
            self.converter.log.info("%s has a verdict on this submission", student)
            self._enter(student, folder)
            return
        self.converter.notebooks = [str(notebook)]
        self.converter.run_pre_convert_hook()
        self._grade(submission, folder, previous.stamp.seed if previous else None)
        self._enter(student, folder)
        if "permissions" in self.converter._trait_values:  # otherwise the course decides
            self.converter.set_permissions(self.assignment.id, student)
        self.converter.run_post_convert_hook()

    def _check_student(self, student: str) -> None:
        """Raise `AutograderError` for a new student if the course forbids adding students."""
        if not self.converter.create_student and student not in read_names(self.course.db_url):
            raise AutograderError(
                f"{student} is left out: no student in the gradebook has this id, and "
                f"c.Autograde.create_student is off. `nbgrader db student add {student}` adds one."
            )

    def _grade(self, submission: Submission, folder: Path, seed: int | None) -> None:
        """Grade the submission and write its verdict, if it may be entered."""
        # imported here because they import torch
        from autograder.engine import grading
        from autograder.mistakes.exercises import diagnose_exercises

        self.converter.log.info("Grading %s", folder)
        grader = grading.prepare(
            RunSettings(self.assignment, seed=seed), explain=diagnose_exercises
        )
        graded = grader.grade_submission(submission)
        if not may_be_entered(verdict := graded.verdict):
            raise AutograderError(
                f"{verdict.student} is left out, {verdict.state}: {verdict.reason}"
            )
        submitted = None
        with suppress(AutograderError):  # it is reported when the verdict is entered
            submitted = submitted_at(folder, folder.parents[1])
        self.results.put(graded, submitted)

    def _enter(self, student: str, folder: Path) -> None:
        """Enter the counted verdict and the late penalty, and log notes on doubtful times."""
        graded = graded_class(
            self.course, self.results, folder.parents[1], {student: folder}, only=student
        )
        entered = enter_verdicts(graded)
        penalties = read_penalties(graded, entered)
        failures = enter_penalties(graded, self.assignment.id, penalties.by_student)
        troubles = entered.troubles + failures
        elsewhere = {} if entered.waiting else read_penalties_elsewhere(graded)
        for other_id, changed in elsewhere.items():
            troubles += enter_penalties(graded, other_id, changed)
        if troubles:
            raise (CannotGoOn if entered.waiting else AutograderError)("\n".join(troubles))
        no_due_date = without_due_date(graded.rules, self.assignment.id, penalties.due_dates)
        for note in filter(None, (*entered.notes, penalties.error, no_due_date)):
            self.converter.log.warning("%s", note)
