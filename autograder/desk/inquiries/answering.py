"""Answer an inquiry: write new points into the gradebook, and the decision into the records.

A decision that changes points is recorded as begun, then the points are written in one transaction,
then it is recorded as entered. After an interruption the inquiry is still open, and its old points
are those of the first attempt. A lock admits a single person per assignment.
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
    """An answer that a person wants to give to an inquiry."""

    name: Name  # student and exercise of the inquiry
    by: str  # name of the person
    points: float | None  # None to keep the old points
    reason: str  # for the student


def answer_inquiry(assignment: Assignment, url: str, answer_to_give: AnswerToGive) -> Decision:
    """Enter the points into the gradebook, record the decision, and return it. If the same answer
    was given before, only return its decision.

    `url`: the gradebook's database. Raises `AutograderError` if the answer cannot be given, if
    somebody else is answering, or if the gradebook cannot be used, `OSError` if the records cannot.
    """
    folder = assignment.course.root / grading.RESULTS / assignment.id
    folder.mkdir(parents=True, exist_ok=True)
    busy = f"Somebody is answering about `{assignment.id}` just now: type this again."
    with files.locked(folder, busy):
        inquiry = _asked(assignment, answer_to_give)
        return inquiry.answer or _enter(assignment, url, answer_to_give, inquiry)


def _enter(
    assignment: Assignment, url: str, answer_to_give: AnswerToGive, inquiry: Inquiry
) -> Decision:
    """Enter the points of an answer to an open inquiry, record the decision, and return it. Raises
    the errors of `answer_inquiry`.
    """
    results, assignment_id = assignment.course.root / grading.RESULTS, assignment.id
    owner_verdicts = verdicts_of(results, assignment_id, inquiry.about[0])
    with open_session(url, TRY_AGAIN) as session:
        groups = groups_of(folders_of(assignment.course), assignment_id)
        rows = find_answer(inquiry, AnswerMarks(session, assignment_id), groups)
        cell = rows[0].cell if rows else NO_CELL
        decision = _decided(answer_to_give, inquiry.decision, cell)
        decision = replace(decision, stamp=owner_verdicts[0].stamp if owner_verdicts else None)
        if decision.is_change:
            pending = replace(decision, entered=False)
            record_inquiry(results, assignment_id, replace(inquiry, decision=pending))
        if answer_to_give.points is not None or cell.points != decision.new_points:
            _write(session, rows, decision.new_points)
    record_inquiry(results, assignment_id, replace(inquiry, decision=decision))
    return decision


def _asked(assignment: Assignment, answer_to_give: AnswerToGive) -> Inquiry:
    """Return the inquiry of an answer. Raises `AutograderError` if it does not exist or has another
    answer, if the person has marked it or is not named, or if the reason is empty or too long.
    """
    course, assignment_id = assignment.course, assignment.id
    results, groups = course.root / grading.RESULTS, groups_of(folders_of(course), assignment_id)
    student, exercise = answer_to_give.name
    inquiry = read_inquiries(results, assignment_id).get(answer_to_give.name)
    if inquiry is None:
        raise AutograderError(
            f"{student} has no inquiry about `{exercise}` of `{assignment_id}`: `inquiries list` "
            "says which there are."
        )
    if not answer_to_give.by or has_marked(
        answer_to_give.by, inquiry.about, read_markers(results, assignment_id, groups)
    ):
        raise AutograderError(
            f"Whoever has marked `{exercise}` of {student} does not answer: --by is somebody else, "
            "as `inquiries list` says."
        )
    if not 1 <= len(answer_to_give.reason) <= MAX_REASON:
        raise AutograderError(f"An answer has a reason, of {MAX_REASON} characters at most.")
    decision = inquiry.answer
    new_points = (
        decision.old_points if decision and answer_to_give.points is None else answer_to_give.points
    )
    if decision and (decision.by, decision.reason, decision.new_points) != (
        answer_to_give.by,
        answer_to_give.reason,
        new_points,
    ):
        answered_at = texts.time_text(decision.at, course_zone(course))
        raise AutograderError(
            f"{decision.by} has answered that on {answered_at}, and an answer stays. In formgrader a mark can "
            "still be corrected."
        )
    return inquiry


def _decided(answer_to_give: AnswerToGive, pending: Decision | None, cell: CellMark) -> Decision:
    """Return the decision on an exercise with the mark `cell`. `pending`: an earlier decision that
    was interrupted. If its points are in the gradebook already, its old points stay the old points.

    Raises `AutograderError` if the points are out of range, if the gradebook has no such cell, or
    if points that nobody has given should be kept.
    """
    extra, old_points = cell.extra or 0.0, cell.points
    if pending and abs(old_points - pending.new_points) < SAME:  # interrupted after writing them
        old_points = pending.old_points
    new_points = old_points if answer_to_give.points is None else answer_to_give.points
    if answer_to_give.points is None and cell.is_open and cell.by_hand is None:
        raise AutograderError("Nobody has marked this answer yet: say --points instead of --kept.")
    if answer_to_give.points is not None and not cell.grade_id:
        raise AutograderError(
            "The gradebook has no points of it: grade and enter it first.", texts.FAILED
        )
    if answer_to_give.points is not None and not extra <= new_points <= cell.max_points + extra:
        raise AutograderError(f"--points is from {extra:g} to {cell.max_points + extra:g} here.")
    now = datetime.now(UTC).replace(microsecond=0)
    return Decision(
        answer_to_give.by, now, old_points, new_points, cell.max_points, answer_to_give.reason
    )


def _write(session: Session, rows: Iterable[MarkedRow], points: float) -> None:
    """Write `points` as the mark by hand, less the extra credit, which stays. Commit. Raises
    `AutograderError` if a mark has changed since it was read, `SQLAlchemyError` if the database
    fails.
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
