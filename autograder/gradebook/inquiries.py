"""Students' inquiries about marks: when a course takes them, and what is recorded of each.

results/<assignment>/inquiries.jsonl    a line when one is received, and when it is answered; of those of
                                        a student about an exercise, the last line counts

In `nbgrader_config.py`, with times in the zone of `c.LatePolicy.timezone`:

    c.Inquiries.opens = {"sheet-1": "2026-12-01 12:00"}
    c.Inquiries.closes = {"sheet-1": "2026-12-08 18:00"}
    c.Inquiries.address = "https://example.org/form"  # or an e-mail address, or words
"""

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import UTC, datetime, tzinfo
from pathlib import Path

from msgspec import Struct
from traitlets import Dict, TraitError, Unicode
from traitlets.config import Config, Configurable

from autograder.engine.verdict.verdict import Stamp
from autograder.files.json_lines import add_record, read_records
from autograder.files.locks import locked
from autograder.gradebook.late_files import EXAMPLE, time_in
from autograder.gradebook.late_policy import LatePolicy
from autograder.text.errors import CommandError
from autograder.text.patterns import Pattern
from autograder.text.times import time_text, to_utc

EMAIL = Pattern(r"[A-Za-z0-9._+-]+@[A-Za-z0-9.-]+")
WEB = "https://", "http://"
SAME = 1e-6  # points
Name = tuple[str, str]  # student and exercise


class Decision(Struct, frozen=True):
    """The answer to an inquiry: the points before and after it, by whom, when and why."""

    by: str
    at: datetime
    old_points: float
    new_points: float
    max_points: float
    reason: str
    stamp: Stamp | None = None  # of the verdict at that time
    entered: bool = True  # False: begun, and the gradebook may not have the new points yet

    @property
    def is_change(self) -> bool:
        return abs(self.new_points - self.old_points) > SAME


class Inquiry(Struct, frozen=True):
    """A student's doubt about the points of one exercise, and the answer once there is one."""

    student: str
    exercise: str
    text: str
    received: datetime
    decision: Decision | None = None

    @property
    def name(self) -> Name:
        return self.student, self.exercise

    @property
    def answer(self) -> Decision | None:
        """The decision; None as long as the inquiry is open."""
        return self.decision if self.decision and self.decision.entered else None


def inquiries_path(results: Path, assignment_id: str) -> Path:
    """Return the path of an assignment's inquiries. `results`: the folder of all results."""
    return results / assignment_id / "inquiries.jsonl"


def read_inquiries(results: Path, assignment_id: str) -> dict[Name, Inquiry]:
    """Return the inquiries of an assignment as they are now, by student and exercise; {} if there
    are none.

    `results`: the folder of all results. Raises `OSError` if the file cannot be read.
    """
    records = read_records(inquiries_path(results, assignment_id), Inquiry, results)
    return {one.name: one for one in records}


def record_inquiry(results: Path, assignment_id: str, inquiry: Inquiry) -> None:
    """Add a line with the inquiry as it is now. `results`: the folder of all results. Raises
    `OSError` if it cannot be written.
    """
    add_record(inquiries_path(results, assignment_id), inquiry)


@contextmanager
def only_writer(results: Path, assignment_id: str) -> Iterator[None]:
    """Let no other process add inquiries or answers of this assignment during the block. Raises
    `Busy` if one does so now; `OSError`.
    """
    path = inquiries_path(results, assignment_id)
    path.parent.mkdir(parents=True, exist_ok=True)
    with locked(path, f"Somebody else records an inquiry of `{assignment_id}` now: try again."):
        yield


class Inquiries(Configurable):
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
    """The time in which inquiries about an assignment are taken. Times are naive UTC; None: no
    limit.
    """

    opens: datetime | None
    closes: datetime | None
    zone: tzinfo
    address: str = ""

    @property
    def link(self) -> str:
        """The address as one that a browser opens; "" if it is words."""
        if self.address.startswith(WEB):
            return self.address
        return f"mailto:{self.address}" if EMAIL.fullmatch(self.address) else ""

    def refusal(self, when: datetime) -> str:
        """Return why an inquiry that was received at `when` (naive UTC) is not taken; "" if it is."""
        if self.opens and when < self.opens:
            return f"inquiries are taken from {time_text(self.opens, self.zone)}"
        if self.closes and when >= self.closes:
            return f"inquiries were taken until {time_text(self.closes, self.zone)}"
        return ""

    def sentence(self, now: datetime) -> str:
        """Return what a student's page says of the window at the time `now` (naive UTC); "" if the
        course has set none.
        """
        if not (self.opens or self.closes):
            return ""
        if self.closes and now >= self.closes:
            return f"Inquiries about these points were taken until {time_text(self.closes, self.zone)}."
        begins = (
            f" from {time_text(self.opens, self.zone)}" if self.opens and now < self.opens else ""
        )
        ends = f" until {time_text(self.closes, self.zone)}" if self.closes else ""
        return f"Inquiries about these points are taken{begins}{ends}."

    def is_over(self, now: datetime) -> bool:
        """Whether no inquiry is taken any more at the time `now` (naive UTC)."""
        return self.closes is not None and now >= self.closes


def window_of(config: Config, assignment_id: str) -> Window:
    """Return when the course with this configuration takes inquiries about an assignment.

    Raises `CommandError` if a setting cannot be used, or if it is unknown: a misspelt one would
    take inquiries for ever.
    """
    if unknown := sorted(config.Inquiries.keys() - Inquiries.class_trait_names(config=True)):
        raise CommandError(
            f"c.Inquiries has no setting `{unknown[0]}`. It has: address, closes, opens."
        )
    try:
        settings = Inquiries(config=config)
    except TraitError as error:
        raise CommandError(f"A value of c.Inquiries cannot be used: {error}") from error
    zone = LatePolicy(config=config).zone
    opens, closes = (
        _time(name, times.get(assignment_id), zone)
        for name, times in (("opens", settings.opens), ("closes", settings.closes))
    )
    if opens and closes and closes <= opens:
        raise CommandError(f"c.Inquiries closes `{assignment_id}` before it opens.")
    return Window(opens, closes, zone, settings.address)


@dataclass(frozen=True)
class PageInquiries:
    """What a student's page says of inquiries."""

    asked: Sequence[Inquiry] = ()  # the student's own
    sentence: str = ""  # when they are taken
    address: str = ""  # where to; "" once none is taken any more
    link: str = ""
    are_taken: bool = False  # or will be: exercises are shown with their ids


def inquiries_on_page(
    config: Config, results: Path, assignment_id: str, student: str, now: datetime | None = None
) -> PageInquiries:
    """Return what the student's page says of inquiries about an assignment.

    `results`: the folder of all results; `now`: naive UTC, None for the present time. Without
    settings that can be used, the page has only what the student asked. Raises `OSError` if the
    records cannot be read.
    """
    now = now or datetime.now(UTC).replace(tzinfo=None)
    asked = [
        one for one in read_inquiries(results, assignment_id).values() if one.student == student
    ]
    try:
        window = window_of(config, assignment_id)
    except CommandError:
        return PageInquiries(asked)
    sentence = window.sentence(now)
    if not sentence or window.is_over(now):
        return PageInquiries(asked, sentence)
    return PageInquiries(asked, sentence, window.address, window.link, are_taken=True)


def _time(name: str, text: str | None, zone: tzinfo) -> datetime | None:
    """Return a time of the setting `name` as naive UTC; None if `text` is None. Raises
    `CommandError`."""
    if text is None:
        return None
    try:
        return to_utc(time_in(text), zone).replace(tzinfo=None)
    except ValueError as error:
        raise CommandError(
            f"c.Inquiries.{name} says `{text}`, which is no time like {EXAMPLE}."
        ) from error
