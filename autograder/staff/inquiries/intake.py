"""Take inquiries in: from a table, or from the text of one; refuse what cannot be one, or is late."""

from collections.abc import Callable
from dataclasses import dataclass
from datetime import UTC, datetime
from functools import cache, cached_property
from pathlib import Path
from typing import NamedTuple

from traitlets.config import Config

from autograder.engine.course.assignment import find_assignment
from autograder.engine.course.cells import CHECK
from autograder.engine.course.course import Course, read_config
from autograder.files.csv_text import read_table
from autograder.gradebook.inquiries import (
    Inquiry,
    only_writer,
    read_inquiries,
    record_inquiry,
    window_of,
)
from autograder.gradebook.late_files import EXAMPLE, time_in
from autograder.text.errors import CommandError
from autograder.text.printable import without_halves
from autograder.text.times import time_text, to_utc
from autograder.text.wording import name_some

COLUMNS = "student", "assignment", "exercise", "text", "received"
MAX_TEXT = 4_000  # characters


class Received(NamedTuple):
    """An inquiry as somebody wrote it down: nothing in it is checked yet."""

    student: str  # an id, a name or an e-mail address
    assignment: str
    exercise: str
    text: str
    received: str  # a time
    place: str = ""  # where it stands, for messages, such as "`inquiries.csv`, line 3: "


def read_received(path: Path) -> list[Received]:
    """Return the inquiries in a table (CSV) that has the five columns. Raises `TableError` if it
    cannot be read or lacks one.
    """
    table = read_table(path)
    return [
        Received(
            **{name: cells[name].strip() for name in COLUMNS},
            place=f"`{table.name}`, line {line}: ",
        )
        for line, cells in table.records(*COLUMNS)
    ]


@dataclass(frozen=True)
class Intake:
    """Takes inquiries into the results of a course.

    `who` returns the id of the student who is called so, and raises `CommandError` if there is not
    exactly one. With `at_any_time`, an inquiry outside the window is taken, too.
    """

    course: Course
    results: Path
    who: Callable[[str], str]
    at_any_time: bool = False

    def take(self, one: Received) -> bool:
        """Record an inquiry; return False if it was recorded before. Raises `CommandError` if it is
        refused; `OSError`.
        """
        inquiry = self._checked(one)
        with only_writer(self.results, one.assignment):
            before = read_inquiries(self.results, one.assignment).get(inquiry.name)
            if before is None:
                record_inquiry(self.results, one.assignment, inquiry)
        if before and before.text != inquiry.text:
            raise CommandError(
                f"{inquiry.student} has asked about `{inquiry.exercise}` already, on "
                f"{time_text(before.received)}: it is one inquiry by exercise."
            )
        return before is None

    def _checked(self, one: Received) -> Inquiry:
        """Return the inquiry that was written down. Raises `CommandError` if it cannot be one."""
        exercises = exercises_of(self.course, one.assignment)
        student = self.who(one.student)
        if one.exercise not in exercises:
            raise CommandError(
                f"`{one.assignment}` has no exercise `{one.exercise}`. It has: {name_some(exercises)}."
            )
        if not one.text:
            raise CommandError("The inquiry has no text: write what the student doubts.")
        if len(one.text) > MAX_TEXT:
            raise CommandError(
                f"The text has {len(one.text)} characters: shorten it to {MAX_TEXT} at most."
            )
        window = window_of(self._config, one.assignment)
        try:
            received = to_utc(time_in(one.received), window.zone)
        except (ValueError, OverflowError) as error:
            raise CommandError(f"`{one.received}` is no time like {EXAMPLE}.") from error
        why = window.refusal(received.replace(tzinfo=None))
        if why and not self.at_any_time:
            raise CommandError(
                f"Received on {time_text(received, window.zone)}, and {why}: to take it all the "
                "same, add --at-any-time."
            )
        return Inquiry(student, one.exercise, without_halves(one.text), received)

    @cached_property
    def _config(self) -> Config:
        return read_config(self.course.root)


def now_text() -> str:
    """Return the present time as `Received` has it."""
    return datetime.now(UTC).isoformat(timespec="seconds")


@cache
def exercises_of(course: Course, assignment_id: str) -> tuple[str, ...]:
    """Return the ids of all exercises of an assignment that have points. Raises `CourseError` or
    `GraderError`.
    """
    cells = find_assignment(assignment_id, course).cells
    return tuple(dict.fromkeys(one.id.removeprefix(CHECK) for one in cells if one.points))
