"""Answer an inquiry: write new points into the gradebook, and the decision into the records.

A decision that changes points is recorded as begun, then the points are written in one transaction,
then it is recorded as entered. After an interruption the inquiry is still open, and its old points
are those of the first attempt.
"""

from dataclasses import dataclass
from datetime import UTC, datetime
from math import isfinite
from pathlib import Path

from msgspec.structs import replace
from nbgrader.api import Grade
from sqlalchemy import update
from sqlalchemy.orm import Session

from autograder.engine.course.cells import CHECK
from autograder.engine.verdict.history import counted_verdict, read_counted, read_history
from autograder.engine.verdict.verdict import Stamp, points_text, read_verdict
from autograder.gradebook.database import open_session
from autograder.gradebook.inquiries import (
    SAME,
    Decision,
    Inquiry,
    Name,
    only_writer,
    read_inquiries,
    record_inquiry,
)
from autograder.gradebook.marks import CellMark
from autograder.gradebook.tables import marks_in
from autograder.staff.inquiries.deciders import has_marked, markers_by_answer
from autograder.staff.marking.answers import REMEDY
from autograder.staff.marking.given import read_given
from autograder.text.errors import FAILED, CommandError
from autograder.text.times import time_text

MAX_REASON = 4_000  # characters


@dataclass(frozen=True)
class AnswerToGive:
    """What a person has decided about an inquiry. `points`: the new ones, None to keep the old."""

    name: Name
    by: str
    points: float | None
    reason: str


def answer_inquiry(results: Path, url: str, assignment_id: str, given: AnswerToGive) -> Decision:
    """Enter the points and record the decision; return it. The same answer given again changes
    nothing.

    `results`: the folder of all results; `url`: the gradebook's database. Raises `CommandError` if
    the answer cannot be given or the gradebook cannot be used; `OSError`.
    """
    if not given.by:
        raise CommandError("Say with --by who decides.")
    if not given.reason or len(given.reason) > MAX_REASON:
        raise CommandError(f"An answer has a reason, of {MAX_REASON} characters at most.")
    with only_writer(results, assignment_id):
        inquiry = _asked(results, assignment_id, given)
        if inquiry.answer:
            return inquiry.answer
        with open_session(url, REMEDY) as session:
            cell = _cell(session, assignment_id, given.name)
            decision = _decided(given, inquiry, cell, _stamp(results, assignment_id, given.name))
            if decision.is_change:
                begun = replace(inquiry, decision=replace(decision, entered=False))
                record_inquiry(results, assignment_id, begun)
            if cell and (given.points is not None or cell.points != decision.new_points):
                _write(session, cell, decision.new_points)
        record_inquiry(results, assignment_id, replace(inquiry, decision=decision))
    return decision


def _asked(results: Path, assignment_id: str, given: AnswerToGive) -> Inquiry:
    """Return the inquiry. Raises `CommandError` if there is none, if it has another answer, or if
    who answers has marked it.
    """
    student, exercise = given.name
    inquiry = read_inquiries(results, assignment_id).get(given.name)
    if inquiry is None:
        raise CommandError(
            f"{student} has no inquiry about `{exercise}` of `{assignment_id}`: `inquiries list` "
            "says which there are."
        )
    if has_marked(given.by, given.name, markers_by_answer(read_given(results, assignment_id))):
        raise CommandError(
            f"{given.by} has marked `{exercise}` of {student}: somebody else answers, as "
            "`inquiries list` says."
        )
    before = inquiry.answer
    if before and not _is_same(before, given):
        raise CommandError(
            f"{before.by} has answered that on {time_text(before.at)}, and an answer stays. In "
            "formgrader a mark can still be corrected."
        )
    return inquiry


def _is_same(before: Decision, given: AnswerToGive) -> bool:
    points = before.old_points if given.points is None else given.points
    said = before.by.casefold(), before.reason
    return said == (given.by.casefold(), given.reason) and abs(points - before.new_points) < SAME


def _decided(
    given: AnswerToGive, inquiry: Inquiry, cell: CellMark | None, stamp: Stamp | None
) -> Decision:
    """Return the decision. Raises `CommandError` if these points cannot be given."""
    if cell is None and given.points is not None:
        who, what = given.name
        raise CommandError(
            f"The gradebook has no `{what}` of {who}: grade and enter it first.", FAILED
        )
    begun = inquiry.decision
    old = cell.points if cell else 0.0
    if begun and abs(old - begun.new_points) < SAME:  # it was interrupted after they were written
        old = begun.old_points
    new = old if given.points is None else given.points
    most = cell.max_points if cell else 0.0
    if cell and given.points is None and cell.is_open and cell.by_hand is None:
        raise CommandError("Nobody has marked this answer yet: say --points instead of --kept.")
    if cell and given.points is not None:
        extra = cell.extra or 0.0
        if not (isfinite(new) and extra - SAME <= new <= most + extra + SAME):
            raise CommandError(
                f"--points is from {points_text(extra)} to {points_text(most + extra)} here."
            )
    when = datetime.now(UTC).replace(microsecond=0)
    return Decision(given.by, when, old, new, most, given.reason, stamp)


def _cell(session: Session, assignment_id: str, name: Name) -> CellMark | None:
    """Return the exercise's points in an open gradebook: those of its check cell or, without one, of
    the answer; None if the gradebook has none.
    """
    student, exercise = name
    marks = marks_in(session, assignment_id, student).get(student)
    cells = {cell.name: cell for cell in marks.cells} if marks else {}
    return cells.get(CHECK + exercise) or cells.get(exercise)


def _write(session: Session, cell: CellMark, points: float) -> None:
    """Give these points by hand, with the cell's extra credit among them; commit. Raises
    `CommandError` if the cell has other points by now; `SQLAlchemyError`.
    """
    before = (
        Grade.manual_score.is_(None) if cell.by_hand is None else Grade.manual_score == cell.by_hand
    )
    change = update(Grade).where(Grade.id == cell.grade_id, before)
    given = {Grade.manual_score: points - (cell.extra or 0.0), Grade.needs_manual_grade: False}
    if not session.connection().execute(change.values(given)).rowcount:
        raise CommandError("Somebody has changed these points just now: look again.", FAILED)
    session.commit()


def _stamp(results: Path, assignment_id: str, name: Name) -> Stamp | None:
    """Return the stamp of the student's verdict that counts; None without a verdict."""
    newest = read_verdict(results / assignment_id / f"{name[0]}.json")
    if newest is None:
        return None
    had = read_history(results, assignment_id, name[0])
    return counted_verdict(newest, had, read_counted(results, assignment_id)).stamp
