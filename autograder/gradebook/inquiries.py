"""Students' inquiries about marks: when a course takes them, and what is recorded of each: one record
when it is received, and one when it is answered. Of those of a student about an exercise, the last with
an answer counts.

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
    """The answer to an inquiry: the points before and after it, by whom it was given, when and why.
    `stamp`: of the verdict at that time, None if there was none; `entered` is False while the
    gradebook may not have the new points yet.
    """

    by: str
    at: datetime
    old_points: float
    new_points: float
    max_points: float
    reason: str
    stamp: verdicts.Stamp | None = None  # of the verdict at that time
    entered: bool = True  # False: begun, and the gradebook may not have the new points yet

    @property
    def is_change(self) -> bool:
        return abs(self.new_points - self.old_points) > SAME

    @property
    def outcome(self) -> str:
        """What became of the points, such as `changed from 1 to 2 of 4 points`."""
        old, new = points_text(self.old_points), points_text(self.new_points)
        what = f"changed from {old} to {new}" if self.is_change else f"kept at {old}"
        return f"{what} of {points_text(self.max_points)} points"

    def sentence(self, zone: tzinfo) -> str:
        """Return the whole decision in one sentence for staff: what became of the points, by whom,
        when (in this time zone) and why.
        """
        return f"{self.outcome} by {self.by} on {texts.time_text(self.at, zone)}: {self.reason}"


@stored_in("inquiries", earlier="inquiries.jsonl")
class Inquiry(Struct, frozen=True):
    """A student's doubt about the points of one exercise, and the answer once there is one.

    `owner`: the student or group whose answer it is about, `answer_id`: the digest of that answer,
    `points`: those it had when the inquiry was taken in; "" if the gradebook did not have it.
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
        """Whose answer to which exercise it is about."""
        return self.owner or self.student, self.exercise

    @property
    def answer(self) -> Decision | None:
        """The decision once its points are in the gradebook; None as long as the inquiry is open,
        also if a decision was begun and interrupted.
        """
        return self.decision if self.decision and self.decision.entered else None


def read_inquiries(results: Path, assignment_id: str) -> dict[Name, Inquiry]:
    """Return the inquiries of an assignment as they are now, by student and exercise; {} if there
    are none.

    `results`: the folder of all results. Raises `AutograderError` if the records cannot be used.
    """
    found: dict[Name, Inquiry] = {}
    for one in read_records(results, assignment_id, Inquiry):
        if one.decision or one.name not in found:  # received twice at once, it keeps its answer
            found[one.name] = one
    return found


def inquiries_of(student: str, every: Iterable[Inquiry], groups: Groups) -> list[Inquiry]:
    """Return those of an assignment's inquiries that concern a student or a group: their own, and the
    answered ones about an answer of their group; these are without the text.
    """
    ids = student, *groups.by_student.get(student, ())
    return [
        one if one.student == student else replace(one, text="")
        for one in every
        if one.student == student or (one.answer and (one.owner or groups.of(one.student)) in ids)
    ]


def replaced(inquiries: Iterable[Inquiry], marks: StudentMarks | None) -> list[Name]:
    """Return which of a student's inquiries are about an answer that another one has replaced, by
    these marks in the gradebook.
    """
    shown = {(cell.exercise, cell.answer_id) for cell in (marks.cells if marks else ())}
    return [
        one.name
        for one in inquiries
        if shown and one.answer_id and (one.exercise, one.answer_id) not in shown
    ]


def record_inquiry(results: Path, assignment_id: str, inquiry: Inquiry) -> None:
    """Record an inquiry, with its decision if there is one; it takes the place of earlier records on
    the same student and exercise.

    `results`: the folder of all results. Raises `AutograderError` if the records cannot be used.
    """
    add_records(results, assignment_id, [inquiry])


class Inquiries(CourseSettings):
    """The settings of a course for inquiries."""

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
    """The time in which inquiries about an assignment are taken: from `opens` until before `closes`
    (in UTC; None: no limit). `zone`: in which times are shown; `address`: where students send
    inquiries, "" if the course does not say.
    """

    opens: datetime | None
    closes: datetime | None
    zone: tzinfo
    address: str = ""  # of whom they are sent to

    @property
    def limits(self) -> str:
        """From when until when, in words; "" without any limit."""
        ends = ("from", self.opens), ("until", self.closes)
        return " ".join(f"{word} {texts.time_text(when, self.zone)}" for word, when in ends if when)

    def has(self, when: datetime) -> bool:
        """Whether an inquiry that came at the time `when` is in the window."""
        return (self.opens or when) <= when and (self.closes is None or when < self.closes)


def window_of(config: Config, assignment_id: str) -> Window:
    """Return when the course with this configuration takes inquiries about an assignment.

    Raises `AutograderError` if a setting cannot be used, or is unknown: a misspelt one would set no
    limit.
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
