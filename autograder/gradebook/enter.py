"""Verdict files into a course's gradebook: what is there stays, what differs is entered, in batches.

It may be done at any time, and any number of times. Points and comments by hand stay.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator
from datetime import datetime
from itertools import islice
from pathlib import Path
from typing import TYPE_CHECKING

from autograder.engine.history import Dated, read_history, with_gone_mistakes, write_counted
from autograder.engine.results import ResultsFolder
from autograder.engine.verdict import Verdict, verdict_files
from autograder.gradebook.counted import Counted
from autograder.gradebook.record import Record
from autograder.people import Person
from autograder.text import first_line
from autograder.wording import plural

if TYPE_CHECKING:  # nbgrader takes seconds to import, and not every run has a gradebook
    from autograder.gradebook.late import LateRules, Penalty
    from autograder.gradebook.nbgrader_course import NbgraderCourse
    from autograder.gradebook.opened_later import OpenedLater

BATCH = 25
LONGEST_ERROR = 300  # characters
NOTHING_KEPT = "what its cells said is not kept beside it: grade again with --regrade"


class GradebookSync:
    """What enters the verdicts of one assignment; it does nothing where there is no course."""

    def __init__(
        self,
        course: NbgraderCourse | OpenedLater | None,
        results: ResultsFolder,
        top: Path,
        folders: dict[str, Path],
        people: dict[str, Person] | None = None,
    ):
        self.course = course
        self.results = results
        self.assignment = results.assignment
        self.top = top  # below it no link is followed
        self.folders = folders  # of the submissions, by student
        self.people = people or {}  # by student
        self.rules: LateRules | None = course.late_rules() if course else None
        self.counted: Counted | None = None  # which verdicts count
        self.count = 0  # verdicts that were entered
        self.notes: list[str] = []  # sentences about what else there is to know
        self.waiting: set[str] = set()  # students whose verdicts could not be entered now
        self.error = ""  # why
        self.refused: dict[str, str] = {}  # why a verdict cannot be entered, by student
        self.by_platform: dict[str, datetime | None] = {}  # when it was handed in, by student
        self.due_dates: dict[str, datetime | None] | None = None  # not read, or not to be read

    def prepare(self) -> None:
        """Import what takes long, while others work."""
        if self.course is not None:
            self.course.prepare()

    def enter(self) -> list[str]:
        """Enter all verdicts of which the gradebook says something else; return a sentence on each failure."""
        if self.course is None:
            return []
        assert self.rules is not None
        self.by_platform, self.waiting, self.refused = {}, set(), {}
        self.counted = Counted(self.course, self.results, self.rules)
        from sqlalchemy.exc import OperationalError

        try:
            todo = self._differing()
            while batch := list(islice(todo, BATCH)):
                self._enter([record for one in batch if (record := self._record(one))])
        except OperationalError as error:  # it cannot be read, so all wait
            self.error = first_line(error, LONGEST_ERROR)
            self.waiting = {one.student for one in self._verdicts() if one.state == "graded"}
            return self._troubles()
        write_counted(self.results.results, self.assignment.id, self.counted.others)
        for student, choice in self.counted.choices.items():
            words = [f"{student}: {one}" for one in (choice.sentence, choice.doubt) if one]
            self.notes += [one for one in words if one not in self.notes]
        return self._troubles()

    def penalties(self) -> dict[str, Penalty]:
        """Return what being late should cost those who handed in, and what is entered of that.

        Nothing while the gradebook cannot be read: a note says so, unless verdicts wait for it.
        """
        if self.course is None or self.rules is None or self.waiting:
            return {}
        from sqlalchemy.exc import SQLAlchemyError

        try:
            self.due_dates = self.course.due_dates(self.assignment)
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
        times, due = self.by_platform, self.due_dates
        return list(notes_on_times(self.rules, id, penalties, times, by_word, known, due))

    def enter_penalties(self) -> list[str]:
        """Enter the penalties that are not right yet; return a sentence on a failure."""
        if self.course is None or self.rules is None:
            return []
        try:
            self.course.enter_penalties(self.assignment, self.rules, self.folders.keys())
        except Exception as error:
            why = first_line(error, LONGEST_ERROR)
            return [f"The gradebook did not take the penalties ({why}). Grade again to enter them."]
        return []

    def _verdicts(self) -> Iterator[Verdict]:
        """The newest verdict of each student."""
        for file in verdict_files(self.results.folder):
            if verdict := self.results.verdict(file.stem):
                yield verdict

    def _differing(self) -> Iterator[Dated]:
        """The verdicts that count, of which the gradebook says something else. Raises `OperationalError`."""
        assert self.course is not None and self.counted is not None
        rows = self.course.rows(self.assignment)
        for newest in self._verdicts():
            student = newest.student
            counted = self.counted.of(Dated(newest, self._submitted(student)))
            if not self.course.agrees_with(
                counted.verdict, rows.get(student), counted.submitted, self.counted.why(student)
            ):
                yield counted

    def _record(self, dated: Dated) -> Record | None:
        assert self.counted is not None
        verdict, submitted = dated
        answers = self.results.answers(verdict)
        if answers is None:
            self.refused[verdict.student] = NOTHING_KEPT
            return None
        had = read_history(self.results.results, self.assignment.id, verdict.student)
        return Record(
            with_gone_mistakes(verdict, had),
            answers.submission,
            answers.outputs,
            submitted,
            self.people.get(verdict.student),
            self.counted.why(verdict.student),
        )

    def _enter(self, records: list[Record]) -> None:
        """Enter records together, or where that fails one by one: one keeps no other out."""
        assert self.course is not None
        try:
            self.course.enter(self.assignment, records)
            self.count += len(records)
        except Exception as error:
            if _is_of_all(error) or len(records) < 2:
                self._fail(records, error)
                return
            for record in records:
                self._enter([record])

    def _fail(self, records: list[Record], error: Exception) -> None:
        why = first_line(error, LONGEST_ERROR)
        students = [record.verdict.student for record in records]
        if _is_of_all(error):
            self.error = why
            self.waiting.update(students)
        else:
            self.refused.update(dict.fromkeys(students, why))

    def _troubles(self) -> list[str]:
        failed = [(f"the verdict on {student}", why) for student, why in self.refused.items()]
        if self.waiting:
            failed.append((plural(len(self.waiting), "verdict"), self.error))
        return [
            f"The gradebook did not take {what} ({why}). "
            "All verdicts are kept in the results; grade again to enter them."
            for what, why in failed
        ]

    def _submitted(self, student: str) -> datetime | None:
        """The time that counts: of the course's file, else the platform's, beside the submission or, where
        that is gone, as it was when it was graded.
        """
        from autograder.gradebook.late_files import TimeError, submitted_at

        assert self.rules is not None
        if student not in self.by_platform:
            self.by_platform[student] = None
            try:
                if folder := self.folders.get(student):
                    self.by_platform[student] = submitted_at(folder, self.top)
                elif verdict := self.results.verdict(student):
                    self.by_platform[student] = self.results.submitted(verdict)
            except TimeError as error:
                note = f"{error} Taken as handed in without a time."
                self.notes += [note] * (note not in self.notes)
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
