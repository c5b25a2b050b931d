"""The one writer of a run's gradebook: in batches, and what cannot be entered is told at the end."""

from __future__ import annotations

from datetime import datetime
from pathlib import Path
from typing import TYPE_CHECKING

from autograder.assignment import Assignment
from autograder.handed import Handed
from autograder.intake.roster import Person
from autograder.verdict import Verdict

if TYPE_CHECKING:  # nbgrader takes seconds to import, and not every run has a gradebook
    from autograder.gradebook.course import Course, Record
    from autograder.gradebook.entering import Row

BATCH = 25


class Clerk:
    """Enters verdicts into a course's gradebook, if there is a course."""

    def __init__(
        self,
        course: Course | None,
        assignment: Assignment,
        folders: dict[str, Path],
        people: dict[str, Person],
    ):
        self.course = course
        self.assignment = assignment
        self.folders = folders  # of the submissions, by student
        self.waiting: list[Record] = []
        self.notes: list[str] = []  # what else there is to know
        self.rows = self._read() if course else {}
        self.people = people

    def holds(self, verdict: Verdict) -> bool:
        """Whether the gradebook says what this verdict says, or has nothing to say about it."""
        if self.course is None:
            return True
        student = verdict.student
        return self.course.holds(verdict, self.rows.get(student), self._submitted(student))

    def take(self, verdict: Verdict, handed: Handed, outputs: dict[str, list[dict]]) -> None:
        """Enter this verdict, now or with the next ones."""
        if self.course is None or handed.submission is None:
            return
        from autograder.gradebook.course import Record

        submitted, person = self._submitted(verdict.student), self.people.get(verdict.student)
        self.waiting.append(Record(verdict, handed.submission, outputs, submitted, person))
        if len(self.waiting) >= BATCH:
            self._enter()

    def finish(self) -> list[str]:
        """Enter the rest; return a sentence if something stood in the way."""
        self._enter()
        if not self.waiting:
            return []
        count = f"{len(self.waiting)} verdict{'s' * (len(self.waiting) > 1)}"
        return [
            f"The gradebook did not take {count} ({self.reason}). "
            "They are kept in the results; grade again to enter them."
        ]

    def _read(self) -> dict[str, Row]:
        """What the gradebook says; nothing while somebody keeps it locked: then all is entered again."""
        from sqlalchemy.exc import OperationalError

        from autograder.gradebook.url import is_locked

        assert self.course is not None
        try:
            return self.course.rows(self.assignment)
        except OperationalError as error:
            if not is_locked(error):
                raise
            return {}

    def _enter(self) -> None:
        """Enter what waits; what cannot be entered waits on."""
        if self.course is None or not self.waiting:
            return
        from nbgrader.converters.base import NbGraderException
        from sqlalchemy.exc import SQLAlchemyError

        try:
            self.course.enter(self.assignment, self.waiting)
            self.waiting = []
        except (NbGraderException, SQLAlchemyError, OSError) as error:
            self.reason = str(error).splitlines()[0]

    def _submitted(self, student: str) -> datetime | None:
        from autograder.gradebook.late import TimeError, submitted_at

        try:
            return submitted_at(self.folders[student])
        except TimeError as error:
            note = f"{error} Taken as handed in without a time."
            if note not in self.notes:
                self.notes.append(note)
            return None
