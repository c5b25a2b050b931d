"""Students' inquiries about marks, and the period in which a course accepts them.

An inquiry has a record from its arrival, and another from its answer. Of several inquiries by a student
about an exercise, the last with an answer counts.

In `nbgrader_config.py`, with times in the zone of `c.LatePolicy.timezone`:

    c.Inquiries.opens = {"sheet-1": "2026-12-01 12:00"}
    c.Inquiries.closes = {"sheet-1": "2026-12-08 18:00"}
    c.Inquiries.address = "https://example.org/form"  # or an e-mail address, or words
"""

from collections.abc import Iterable
from dataclasses import dataclass
from datetime import datetime, tzinfo
from pathlib import Path

from msgspec import Struct
from msgspec.structs import replace
from traitlets import Dict, Unicode
from traitlets.config import Config

from autograder.classroom.groups import Groups
from autograder.classroom.late_files import EXAMPLE, time_in
from autograder.classroom.records import add_records, read_records, stored_in
from autograder.engine import AutograderError, points_text, texts, verdicts
from autograder.gradebook.lateness.course_settings import CourseSettings
from autograder.gradebook.lateness.late_policy import LatePolicy
from autograder.gradebook.sync.marks import StudentMarks

SAME = 1e-6  # points
Name = tuple[str, str]  # student and exercise


class Decision(Struct, frozen=True):
    """The answer to an inquiry."""

    by: str
    at: datetime
    old_points: float
    new_points: float
    max_points: float
    reason: str
    stamp: verdicts.Stamp | None = None  # of the verdict at that time
    entered: bool = True  # False while the gradebook may not have the new points yet

    @property
    def is_change(self) -> bool:
        return abs(self.new_points - self.old_points) > SAME

    @property
    def outcome(self) -> str:
        """The effect on the points, such as `changed from 1 to 2 of 4 points`."""
        old_text, new_text = points_text(self.old_points), points_text(self.new_points)
        change = (
            f"changed from {old_text} to {new_text}" if self.is_change else f"kept at {old_text}"
        )
        return f"{change} of {points_text(self.max_points)} points"

    def sentence(self, zone: tzinfo) -> str:
        """Return the decision in one sentence for staff, with the time in this zone."""
        return f"{self.outcome} by {self.by} on {texts.time_text(self.at, zone)}: {self.reason}"


@stored_in("inquiries", earlier="inquiries.jsonl")
class Inquiry(Struct, frozen=True):
    """A student's doubt about the points of one exercise, and the answer once there is one.

    `owner`: student or group of the disputed answer. `answer_id`: digest of that answer. `points`:
    points of the answer when the inquiry arrived. `owner` and `answer_id` are "" if the gradebook
    did not have the answer.
    """

    student: str
    exercise: str
    text: str
    received: datetime
    decision: Decision | None = None
    owner: str = ""
    answer_id: str = ""
    points: float = 0.0

    @property
    def name(self) -> Name:
        return self.student, self.exercise

    @property
    def about(self) -> Name:
        """Owner and exercise of the disputed answer."""
        return self.owner or self.student, self.exercise

    @property
    def answer(self) -> Decision | None:
        """The decision once its points are in the gradebook, else None."""
        return self.decision if self.decision and self.decision.entered else None


def read_inquiries(results: Path, assignment_id: str) -> dict[Name, Inquiry]:
    """Return the current inquiries of an assignment, by student and exercise. `results`: the
    folder of all results. Raises `AutograderError` if the records are unreadable.
    """
    inquiries: dict[Name, Inquiry] = {}
    for inquiry in read_records(results, assignment_id, Inquiry):
        # a duplicate arrival must not hide an answer
        if inquiry.decision or inquiry.name not in inquiries:
            inquiries[inquiry.name] = inquiry
    return inquiries


def inquiries_of(student: str, inquiries: Iterable[Inquiry], groups: Groups) -> list[Inquiry]:
    """Return inquiries of a student or group, and answered ones on their group's answer, without
    text.
    """
    ids = student, *groups.by_student.get(student, ())
    return [
        inquiry if inquiry.student == student else replace(inquiry, text="")
        for inquiry in inquiries
        if inquiry.student == student
        or (inquiry.answer and (inquiry.owner or groups.of(inquiry.student)) in ids)
    ]


def replaced(inquiries: Iterable[Inquiry], marks: StudentMarks | None) -> list[Name]:
    """Return names of a student's inquiries about answers that are no longer in these marks."""
    current_answers = {(cell.exercise, cell.answer_id) for cell in (marks.cells if marks else ())}
    return [
        inquiry.name
        for inquiry in inquiries
        if current_answers
        and inquiry.answer_id
        and (inquiry.exercise, inquiry.answer_id) not in current_answers
    ]


def record_inquiry(results: Path, assignment_id: str, inquiry: Inquiry) -> None:
    """Record an inquiry, in place of earlier records on the same student and exercise. `results`:
    the folder of all results. Raises `AutograderError` if the records are unreadable.
    """
    add_records(results, assignment_id, [inquiry])


class Inquiries(CourseSettings):
    """Settings of a course for inquiries."""

    opens = Dict(
        value_trait=Unicode(), key_trait=Unicode(), help="from when they are taken, by assignment"
    ).tag(config=True)
    closes = Dict(
        value_trait=Unicode(), key_trait=Unicode(), help="until when they are taken, by assignment"
    ).tag(config=True)
    address = Unicode(
        "", help="where students send them: a form's or an e-mail address, or words"
    ).tag(config=True)


@dataclass(frozen=True)
class Window:
    """Period for inquiries, from `opens` until before `closes` (UTC, None for no limit)."""

    opens: datetime | None
    closes: datetime | None
    zone: tzinfo
    address: str = ""  # recipient of inquiries, "" if the course does not say

    @property
    def limits(self) -> str:
        """The period in words, "" without any limit."""
        ends = ("from", self.opens), ("until", self.closes)
        return " ".join(f"{word} {texts.time_text(time, self.zone)}" for word, time in ends if time)

    def has(self, time: datetime) -> bool:
        """Whether an inquiry at this time is accepted."""
        return (self.opens or time) <= time and (self.closes is None or time < self.closes)


def window_of(config: Config, assignment_id: str) -> Window:
    """Return the period in which this course accepts inquiries about an assignment.

    Raises `AutograderError` for an invalid or unknown setting, because a misspelt setting would
    set no limit.
    """
    settings, zone = Inquiries(config=config), LatePolicy(config=config).zone
    try:
        opens, closes = (
            texts.to_utc(time_in(times[assignment_id], zone), zone)
            if assignment_id in times
            else None
            for times in (settings.opens, settings.closes)
        )
    except ValueError as error:
        raise AutograderError(
            f"c.Inquiries cannot be used: {error}. Its times are like {EXAMPLE}."
        ) from error
    if opens and closes and closes <= opens:
        raise AutograderError(f"c.Inquiries closes `{assignment_id}` before it opens.")
    return Window(opens, closes, zone, settings.address)
