"""Show a student's results on a terminal: the content of the feedback page, notes for staff, and
the history of submissions.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from datetime import UTC, tzinfo

from rich.box import SIMPLE_HEAD
from rich.console import RenderableType
from rich.padding import Padding
from rich.table import Table
from rich.text import Text

from autograder.classroom.blocks.verdict_blocks import (
    ExerciseBlocks,
    share_text,
    title,
    verdict_blocks,
    without_grade,
)
from autograder.classroom.roster import Person
from autograder.engine import Verdict, courses, points_text, printable, texts
from autograder.gradebook.inquiries import Inquiry, replaced
from autograder.gradebook.sync.marks import CellMark, StudentMarks

LONGEST_COMMENT = 300  # characters


@dataclass(frozen=True)
class HistoryEntry:
    """A submission that was received from a student."""

    when: str  # time of submission, "" if not known
    platform: str
    verdict: Verdict | str | None  # a text if the file cannot be read, None if none is stored
    counts: bool  # whether it is the submission that counts


@dataclass(frozen=True)
class StudentRecord:
    """All data on a student in an assignment."""

    assignment: str
    verdict: Verdict | None  # the verdict that counts
    marks: StudentMarks | None = None  # None if the gradebook has none for this verdict
    late: str = ""  # calculation of the penalty
    history: list[HistoryEntry] = field(default_factory=list)
    unmatched: str = ""  # reason why a received file is unmatched
    inquiries: Sequence[Inquiry] = ()
    is_submitted: bool = False  # without a verdict: the submission waits to be graded
    zone: tzinfo = UTC  # of the times shown


def student_page(person: Person, records: Sequence[StudentRecord]) -> Iterator[RenderableType]:
    """Yield the parts of the page about a student. `records`: an entry for each assignment."""
    name_and_email = ", ".join(filter(None, (person.name, person.email)))
    yield Text(person.student + (f": {name_and_email}" if name_and_email else ""), style="bold")
    for record in records:
        yield Text()
        yield Text(f"{record.assignment}: {_standing(record)}", style="bold")
        yield from (_paragraph(line) for line in _lines(record))
        if record.verdict and record.verdict.state == "graded":
            yield _exercises(record)
        yield from (_paragraph(line) for line in _below(record))
        if record.history:
            yield Text()
            yield _history(record.history)


def _standing(record: StudentRecord) -> str:
    verdict, marks = record.verdict, record.marks
    if verdict is None:
        waits = "handed in and not graded yet: run `grade`"
        default = "received, unmatched" if record.unmatched else "nothing handed in"
        return waits if record.is_submitted else default
    if verdict.state != "graded":
        return verdict.state.replace("_", " ")
    if marks is None:
        points = share_text(verdict.points, verdict.max_points, " of ")
        return f"{points} points by automatic checks" + ", practice" * verdict.is_practice
    total_text = share_text(marks.total, marks.max_points, " of ")
    waiting = sum(cell.is_open for cell in marks.cells)
    return f"{total_text} points" + (f", {waiting} still to be marked by hand" if waiting else "")


def _lines(record: StudentRecord) -> Iterator[str]:
    """Yield the lines above the table of exercises."""
    verdict, marks = record.verdict, record.marks
    if verdict and (reason := without_grade(verdict)):
        yield reason
    if record.unmatched:
        yield f"Received and unmatched: {record.unmatched} `collect --resolve` places it."
    if marks and marks.submitted and not record.late:  # `late` has the time, too
        yield f"Handed in on {texts.time_text(marks.submitted, record.zone)}."
    if marks and (marks.penalty or record.late):
        penalty_text = points_text(marks.penalty) if marks.penalty else "no"
        yield f"Late, {penalty_text} points less. {record.late}".rstrip()


def _below(record: StudentRecord) -> Iterator[str]:
    """Yield the lines below the table of exercises."""
    if record.verdict:
        yield from (f"Repaired: {sentence}" for sentence in record.verdict.repairs)
        yield from (f"For staff only: {note}" for note in record.verdict.notes)
    earlier = replaced(record.inquiries, record.marks)
    for inquiry in record.inquiries:
        yield f"Asked about {title(inquiry.exercise)} on {texts.time_text(inquiry.received, record.zone)}: {' '.join(inquiry.text.split()) or '(by another member of the group)'}"
        yield f"Inquiry about {title(inquiry.exercise)}: {inquiry.answer.sentence(record.zone) if inquiry.answer else 'open.'}"
        if inquiry.name in earlier:
            yield "That is about an answer that has been replaced since."


def _exercises(record: StudentRecord) -> Table:
    table = _table()
    table.add_column("exercise", max_width=22)
    table.add_column("points", justify="right", no_wrap=True)
    table.add_column("what was found", overflow="fold")
    marks = {cell.name: cell for cell in record.marks.cells} if record.marks else {}
    comments = record.marks.comments if record.marks else {}
    exercises = verdict_blocks(record.verdict, "staff") if record.verdict else {}
    for id, blocks in exercises.items():
        heading, mark = blocks.heading, marks.pop(courses.CHECK + id, None)
        sentences = [*_found(blocks), *_by_hand(mark, heading.points)]
        sentences += _comment(comments.get(id))
        points = share_text(mark.points if mark else heading.points, heading.max_points)
        table.add_row(heading.text, points, _said(sentences))
    for cell in marks.values():
        table.add_row(
            title(cell.name),
            "–" if cell.is_open else share_text(cell.points, cell.max_points),
            _said([*_state_by_hand(cell), *_comment(comments.get(cell.name))]),
        )
    return table


def _said(sentences: Sequence[str]) -> Text:
    """Return a line for each sentence, without control characters."""
    return Text("\n".join(printable(sentence, texts.LONGEST_LINE) for sentence in sentences))


def _found(blocks: ExerciseBlocks) -> Iterator[str]:
    """Yield the state of an exercise, unless it is simply answered, and its short sentences."""
    if blocks.heading.state:
        yield f"{blocks.heading.state.capitalize()}."
    yield from (sentence.labelled for sentence in blocks.in_short)


def _by_hand(mark: CellMark | None, automatic: float) -> Iterator[str]:
    if mark and mark.points != automatic:
        yield f"The checks gave {points_text(automatic)}; a person changed that."


def _state_by_hand(cell: CellMark) -> Iterator[str]:
    if cell.is_open:
        yield "Still to be marked by hand."
    elif cell.by_hand is None:
        yield "No answer."
    else:
        yield "Marked by hand."


def _comment(text: str | None) -> list[str]:
    if not text:
        return []
    short = text if len(text) <= LONGEST_COMMENT else f"{text[:LONGEST_COMMENT]} …"
    return [f"Comment: {' '.join(short.split())}"]


def _history(submissions: Sequence[HistoryEntry]) -> Table:
    table = _table("handed in")
    table.add_column("when", no_wrap=True)
    table.add_column("from", no_wrap=True)
    table.add_column("points", justify="right", no_wrap=True)
    table.add_column("mistakes", overflow="fold")
    for entry in submissions:
        table.add_row(entry.when or "no time", entry.platform, *_result(entry))
    return table


def _result(entry: HistoryEntry) -> tuple[str, str]:
    """Return the points and mistakes of a received submission as texts for the table."""
    counts = ["practice"] * (isinstance(entry.verdict, Verdict) and entry.verdict.is_practice)
    counts += ["this one counts"] * entry.counts
    if not isinstance(entry.verdict, Verdict):
        return "–", "; ".join([(entry.verdict or "no verdict is kept").rstrip("."), *counts])
    mistakes = [
        f"{title(result.id)}: {title(mistake.id)}"
        for result in entry.verdict.exercises
        for mistake in result.mistakes
    ]
    points = share_text(entry.verdict.points, entry.verdict.max_points)
    states = {result.state for result in entry.verdict.exercises}
    none = "nothing attempted" if states == {"not_attempted"} else "none that is known"
    return points, "; ".join([*(mistakes or [none]), *counts])


def _table(title: str | None = None) -> Table:
    return Table(
        title=title, title_justify="left", box=SIMPLE_HEAD, padding=(0, 1, 0, 0), show_edge=False
    )


def _paragraph(text: str) -> Padding:
    return Padding(Text(printable(text, texts.LONGEST_LINE)), (0, 0, 0, 2))
