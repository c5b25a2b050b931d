"""Answer an inquiry: write new points into the gradebook, and the decision into the records.

A decision that changes points is recorded as begun, then the points are written in one transaction,
then it is recorded as entered. After an interruption the inquiry is still open, and its old points
are those of the first attempt. One person at a time answers about an assignment.
"""

from collections.abc import Iterable
from datetime import UTC, datetime
from typing import NamedTuple

from msgspec.structs import replace
from sqlalchemy.orm import Session

from autograder.desk.inquiries.asked import find_answer
from autograder.desk.inquiries.deciders import has_marked, read_markers
from autograder.desk.inquiries.page import verdicts_of
from autograder.engine import Assignment, AutograderError, files, grading, texts
from autograder.gradebook.inquiries import (
    SAME,
    Decision,
    Inquiry,
    Name,
    read_inquiries,
    record_inquiry,
)
from autograder.gradebook.lateness.late_policy import course_zone
from autograder.gradebook.pages.details import groups_of
from autograder.gradebook.sync.by_hand import write_mark
from autograder.gradebook.sync.database import TRY_AGAIN, folders_of, open_session
from autograder.gradebook.sync.group_marks import AnswerMarks, MarkedRow
from autograder.gradebook.sync.marks import CellMark

MAX_REASON = 4_000  # characters
NO_CELL = CellMark("", 0.0, None, None, None, False)


class AnswerToGive(NamedTuple):
    """The answer that a person wants to give to an inquiry: `name` is its student and exercise,
    `by` the person's name, `points` the new ones (None to keep the old), `reason` a text for the
    student.
    """

    name: Name
    by: str
    points: float | None
    reason: str


def answer_inquiry(assignment: Assignment, url: str, given: AnswerToGive) -> Decision:
    """Enter the points into the gradebook and record the decision; return it. The same answer given
    again changes nothing and returns the decision there is.

    `url`: the gradebook's database. Raises `AutograderError` if the answer cannot be given, if
    somebody else is answering at the moment, or if the gradebook cannot be used; `OSError` if the
    records cannot be read or written.
    """
    folder = assignment.course.root / grading.RESULTS / assignment.id
    folder.mkdir(parents=True, exist_ok=True)
    busy = f"Somebody is answering about `{assignment.id}` just now: type this again."
    with files.locked(folder, busy):
        inquiry = _asked(assignment, given)
        return inquiry.answer or _enter(assignment, url, given, inquiry)


def _enter(assignment: Assignment, url: str, given: AnswerToGive, inquiry: Inquiry) -> Decision:
    """Enter the points that `given` says about an open inquiry, and record the decision; return it.
    The arguments, and what is raised, are as for `answer_inquiry`.
    """
    results, assignment_id = assignment.course.root / grading.RESULTS, assignment.id
    owner_verdicts = verdicts_of(results, assignment_id, inquiry.about[0])
    with open_session(url, TRY_AGAIN) as session:
        groups = groups_of(folders_of(assignment.course), assignment_id)
        rows = find_answer(inquiry, AnswerMarks(session, assignment_id), groups)
        cell = rows[0].cell if rows else NO_CELL
        decision = _decided(given, inquiry.decision, cell)
        decision = replace(decision, stamp=owner_verdicts[0].stamp if owner_verdicts else None)
        if decision.is_change:
            begun = replace(decision, entered=False)
            record_inquiry(results, assignment_id, replace(inquiry, decision=begun))
        if given.points is not None or cell.points != decision.new_points:
            _write(session, rows, decision.new_points)
    record_inquiry(results, assignment_id, replace(inquiry, decision=decision))
    return decision


def _asked(assignment: Assignment, given: AnswerToGive) -> Inquiry:
    """Return the inquiry that `given` is about. Raises `AutograderError` if there is none, if it has
    another answer, if the person who answers is not named or has marked it, or if the reason is
    empty or too long.
    """
    course, assignment_id = assignment.course, assignment.id
    results, groups = course.root / grading.RESULTS, groups_of(folders_of(course), assignment_id)
    student, exercise = given.name
    inquiry = read_inquiries(results, assignment_id).get(given.name)
    if inquiry is None:
        raise AutograderError(
            f"{student} has no inquiry about `{exercise}` of `{assignment_id}`: `inquiries list` "
            "says which there are."
        )
    if not given.by or has_marked(
        given.by, inquiry.about, read_markers(results, assignment_id, groups)
    ):
        raise AutograderError(
            f"Whoever has marked `{exercise}` of {student} does not answer: --by is somebody else, "
            "as `inquiries list` says."
        )
    if not 1 <= len(given.reason) <= MAX_REASON:
        raise AutograderError(f"An answer has a reason, of {MAX_REASON} characters at most.")
    had = inquiry.answer
    kept = had.old_points if had and given.points is None else given.points
    if had and (had.by, had.reason, had.new_points) != (given.by, given.reason, kept):
        when = texts.time_text(had.at, course_zone(course))
        raise AutograderError(
            f"{had.by} has answered that on {when}, and an answer stays. In formgrader a mark can "
            "still be corrected."
        )
    return inquiry


def _decided(given: AnswerToGive, begun: Decision | None, cell: CellMark) -> Decision:
    """Return the decision that `given` makes about an exercise, whose mark in the gradebook is
    `cell`. `begun`: an earlier decision that was interrupted, None if there is none; if its points
    are in the gradebook, its old points stay the old ones.

    Raises `AutograderError` if the points are out of range, if the gradebook has no such cell, or if
    points are to be kept that nobody has given yet.
    """
    least, old = cell.extra or 0.0, cell.points
    if begun and abs(old - begun.new_points) < SAME:  # it was interrupted after they were written
        old = begun.old_points
    new = old if given.points is None else given.points
    if given.points is None and cell.is_open and cell.by_hand is None:
        raise AutograderError("Nobody has marked this answer yet: say --points instead of --kept.")
    if given.points is not None and not cell.grade_id:
        raise AutograderError(
            "The gradebook has no points of it: grade and enter it first.", texts.FAILED
        )
    if given.points is not None and not least <= new <= cell.max_points + least:
        raise AutograderError(f"--points is from {least:g} to {cell.max_points + least:g} here.")
    when = datetime.now(UTC).replace(microsecond=0)
    return Decision(given.by, when, old, new, cell.max_points, given.reason)


def _write(session: Session, rows: Iterable[MarkedRow], points: float) -> None:
    """Write `points` as the mark by hand of an answer, less its extra credit, which stays; commit.
    Raises `AutograderError` if a mark is no longer the one in `rows`, `SQLAlchemyError` if the
    database fails.
    """
    for row in rows:
        mark = points - (row.cell.extra or 0.0)
        if not row.is_shown:
            row.record(session, row.given._replace(points=mark))
        elif not write_mark(session, row.cell, mark):
            raise AutograderError(
                "Somebody has changed these points just now: look again.", texts.FAILED
            )
    session.commit()
