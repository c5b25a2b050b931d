"""The one writer of a run's gradebook: it enters verdicts in batches, and says what was not entered."""

from __future__ import annotations

from collections.abc import Collection
from datetime import datetime
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING

from autograder.engine.assignment import Assignment
from autograder.engine.submission import Submission
from autograder.engine.verdict import Verdict
from autograder.gradebook.record import Record
from autograder.people import Person
from autograder.text import first_line
from autograder.wording import plural

if TYPE_CHECKING:  # nbgrader takes seconds to import, and not every run has a gradebook
    from autograder.gradebook.entering import Row
    from autograder.gradebook.late import LateRules, Penalty
    from autograder.gradebook.nbgrader_course import NbgraderCourse
    from autograder.gradebook.opened_later import OpenedLater

BATCH = 25
LONGEST_ERROR = 300  # characters


class GradebookWriter:
    """Enters verdicts into a course's gradebook; does nothing where there is no course."""

    def __init__(
        self,
        course: NbgraderCourse | OpenedLater | None,
        assignment: Assignment,
        top: Path,
        folders: dict[str, Path],
        people: dict[str, Person],
    ):
        self.course = course
        self.assignment = assignment
        self.top = top  # below it no link is followed
        self.folders = folders  # of the submissions, by student
        self.people = people  # by student
        self.rules: LateRules | None = course.late_rules() if course else None
        self.waiting: list[Record] = []
        self.notes: list[str] = []  # sentences about what else there is to know
        self.error = ""  # why the last batch was not entered
        self.refused: dict[str, str] = {}  # why a verdict cannot be entered, by student
        self.by_platform: dict[str, datetime | None] = {}  # when it was handed in, by student

    @cached_property
    def rows(self) -> dict[str, Row]:
        """What the gradebook said before this run, by student.

        Nothing while it is locked or fails otherwise: then all verdicts are entered again, which says it.
        """
        if self.course is None:
            return {}
        from sqlalchemy.exc import OperationalError

        try:
            return self.course.rows(self.assignment)
        except OperationalError:
            return {}

    def agrees_with(self, verdict: Verdict) -> bool:
        """Whether the gradebook says what this verdict says, or need not say anything about it."""
        if self.course is None:
            return True
        student = verdict.student
        return self.course.agrees_with(verdict, self.rows.get(student), self._submitted(student))

    def add(self, verdict: Verdict, submission: Submission, outputs: dict[str, list[dict]]) -> None:
        """Enter this verdict, now or with the next ones."""
        if self.course is None or submission.unreadable:
            return
        submitted, person = self._submitted(verdict.student), self.people.get(verdict.student)
        self.waiting.append(Record(verdict, submission, outputs, submitted, person))
        self.course.prepare()
        if len(self.waiting) >= BATCH:
            self._enter()

    def expect(self, student: str, folder: Path) -> None:
        """Know where a submission is that came during the run, and forget when the one before came."""
        self.folders[student] = folder
        self.by_platform.pop(student, None)

    def finish(self) -> list[str]:
        """Enter the rest; return a sentence on each failure."""
        self._enter()
        failed = [(f"the verdict on {student}", why) for student, why in self.refused.items()]
        if self.waiting:
            count = plural(len(self.waiting), "verdict")
            failed.append((count, self.error))
        return [
            f"The gradebook did not take {what} ({why}). "
            "All verdicts are kept in the results; grade again to enter them."
            for what, why in failed
        ]

    def penalties(self) -> dict[str, Penalty]:
        """Return what being late should cost those who handed in, and what is entered of that.

        Nothing while the gradebook cannot be read: a note says so, unless verdicts wait for it.
        """
        if self.course is None or self.rules is None or self.waiting:
            return {}
        from sqlalchemy.exc import SQLAlchemyError

        try:
            return self.course.penalties(self.assignment, self.rules, self.folders.keys())
        except SQLAlchemyError as error:
            why = first_line(error, LONGEST_ERROR)
            self.notes.append(f"Nobody's lateness can be read ({why}). Grade again for that.")
            return {}

    def notes_on_times(self, penalties: dict[str, Penalty], by_word: Collection[str]) -> list[str]:
        """Return sentences on what decides these penalties, or keeps one from being decided.

        `by_word` are those of whom the platform says whether they are late, and no time.
        """
        if self.course is None or self.rules is None:
            return []
        from autograder.engine.which import every
        from autograder.gradebook.late_notes import notes_on_times

        for student in self.folders:
            self._submitted(student)
        known = {one.id for one in every(self.assignment.course)}
        id = self.assignment.id
        times = self.by_platform
        return list(notes_on_times(self.rules, id, penalties, times, by_word, known))

    def enter_penalties(self) -> list[str]:
        """Enter the penalties and extensions that are not right yet; return a sentence on a failure."""
        if self.course is None or self.rules is None:
            return []
        try:
            self.course.enter_penalties(self.assignment, self.rules, self.folders.keys())
        except Exception as error:
            why = first_line(error, LONGEST_ERROR)
            return [f"The gradebook did not take the penalties ({why}). Grade again to enter them."]
        return []

    def _enter(self) -> None:
        """Enter what waits together, or where that fails one by one: one record keeps no other out.

        Where nothing at all can be entered now, everything goes on waiting.
        """
        if self.course is None or not self.waiting:
            return
        try:
            self.course.enter(self.assignment, self.waiting)
            self.waiting = []
        except Exception as error:
            self.error = first_line(error, LONGEST_ERROR)
            if not _is_of_all(error):
                self._enter_one_by_one()

    def _enter_one_by_one(self) -> None:
        assert self.course is not None
        records, self.waiting = self.waiting, []
        for record in records:
            try:
                self.course.enter(self.assignment, [record])
            except Exception as error:
                if _is_of_all(error):
                    self.error = first_line(error, LONGEST_ERROR)
                    self.waiting.append(record)
                else:
                    self.refused[record.verdict.student] = first_line(error, LONGEST_ERROR)

    def _submitted(self, student: str) -> datetime | None:
        """The time that counts: of the course's file, else the platform's."""
        from autograder.gradebook.late_files import TimeError, submitted_at

        assert self.rules is not None
        if student not in self.by_platform:
            try:
                self.by_platform[student] = submitted_at(self.folders[student], self.top)
            except TimeError as error:
                note = f"{error} Taken as handed in without a time."
                self.notes += [note] * (note not in self.notes)
                self.by_platform[student] = None
        return self.rules.submitted((student, self.assignment.id), self.by_platform[student])


def _is_of_all(error: Exception) -> bool:
    """Whether it is the gradebook or the course that fails, whatever is to be entered."""
    from nbgrader.converters.base import NbGraderException
    from sqlalchemy.exc import OperationalError

    from autograder.gradebook.late_files import PolicyError
    from autograder.gradebook.url import is_locked

    if isinstance(error, OperationalError):
        return is_locked(error)
    return isinstance(error, NbGraderException | PolicyError)
