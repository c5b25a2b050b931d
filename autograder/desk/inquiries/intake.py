"""Record inquiries. Refuse invalid inquiries, inquiries outside the window, and a second inquiry
about an exercise.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path

from traitlets.config import Config

from autograder.classroom.late_files import EXAMPLE, time_in
from autograder.desk.inquiries.asked import with_answer
from autograder.engine import AutograderError, Course, courses, find_assignment, name_some, texts
from autograder.gradebook.inquiries import Inquiry, Name, read_inquiries, record_inquiry, window_of
from autograder.gradebook.lateness.late_policy import zone_of
from autograder.gradebook.sync.database import TRY_AGAIN, open_session
from autograder.gradebook.sync.group_marks import AnswerMarks

MAX_TEXT = 4_000  # characters


@dataclass(frozen=True)
class Intake:
    """Records inquiries in the results of a course, and refuses those that are not allowed."""

    course: Course
    config: Config
    results: Path  # the folder of all results
    gradebook: str | None  # the database's URL, None if there is none yet
    at_any_time: bool = False  # also outside the window
    _recorded: dict[str, dict[Name, Inquiry]] = field(default_factory=dict)  # by assignment
    _answers: dict[str, AnswerMarks] = field(default_factory=dict)  # by assignment

    def take(self, student: str, row: Mapping[str, str]) -> bool:
        """Record a student's inquiry. Return False if the same inquiry was recorded before.

        `row`: the texts of assignment, exercise, text and received (a time). Raises
        `AutograderError` if any of them is invalid, if the time is outside the window, if the
        student has another inquiry about the exercise, or if the gradebook cannot be used,
        `OSError` if the records cannot be read or written.
        """
        inquiry, id = self._checked(student, row), row["assignment"]
        if id not in self._recorded:
            self._recorded[id] = read_inquiries(self.results, id)
        recorded = self._recorded[id].setdefault(inquiry.name, inquiry)
        if recorded is inquiry:
            record_inquiry(self.results, id, self._with_answer(id, inquiry))
        elif recorded.text != inquiry.text:
            raise AutograderError(
                f"{student} has asked about `{inquiry.exercise}` already, on "
                f"{texts.time_text(recorded.received, zone_of(self.config))}: it is one inquiry by exercise."
            )
        return recorded is inquiry

    def _with_answer(self, id: str, inquiry: Inquiry) -> Inquiry:
        if self.gradebook is None:
            return inquiry
        if id not in self._answers:
            with open_session(self.gradebook, TRY_AGAIN) as session:
                self._answers[id] = AnswerMarks(session, id)
        return with_answer(inquiry, self._answers[id])

    def _checked(self, student: str, row: Mapping[str, str]) -> Inquiry:
        assignment, exercise = find_assignment(row["assignment"], self.course), row["exercise"]
        exercises = [
            cell.id.removeprefix(courses.CHECK) for cell in assignment.cells if cell.points
        ]
        if exercise not in exercises:
            raise AutograderError(
                f"`{assignment.id}` has no exercise `{exercise}`. It has: {name_some(exercises)}."
            )
        window, text = window_of(self.config, assignment.id), texts.without_halves(row["text"])
        if not 1 <= len(text) <= MAX_TEXT:
            raise AutograderError(f"The text has {len(text)} characters: it needs 1 to {MAX_TEXT}.")
        try:
            received = texts.to_utc(time_in(row["received"], window.zone), window.zone)
        except ValueError as error:
            raise AutograderError(f"`{row['received']}` is no time like {EXAMPLE}.") from error
        if not (self.at_any_time or window.has(received)):
            raise AutograderError(
                f"It came on {texts.time_text(received, window.zone)}, and inquiries are taken "
                f"{window.limits}: to take it all the same, add --at-any-time."
            )
        return Inquiry(student, exercise, text, received)
