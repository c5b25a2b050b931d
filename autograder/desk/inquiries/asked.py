"""The answer that an inquiry is about: recorded when the inquiry is taken in, found when it is decided."""

from collections.abc import Iterator

from msgspec.structs import replace

from autograder.classroom.groups import Groups
from autograder.gradebook.inquiries import Inquiry
from autograder.gradebook.sync.group_marks import AnswerMarks, Given, MarkedRow


def with_answer(inquiry: Inquiry, answers: AnswerMarks) -> Inquiry:
    """Return the inquiry with the answer that the gradebook shows for its student, and with whose
    answer that is; unchanged if the gradebook has no such answer.
    """
    for row in _shown(answers, inquiry.student, inquiry.exercise):
        cell, owner = row.cell, row.cell.owner or inquiry.student
        return replace(inquiry, owner=owner, answer_id=cell.answer_id, points=cell.points)
    return inquiry


def find_answer(inquiry: Inquiry, answers: AnswerMarks, groups: Groups) -> list[MarkedRow]:
    """Return the rows of the answer that the inquiry is about: one that the gradebook shows; else
    those of whose answer it was, before it was replaced; [] if there are none.
    """
    owner, exercise = inquiry.about
    if not inquiry.answer_id:  # recorded when the gradebook did not have it
        return [*_shown(answers, inquiry.student, exercise)]
    ours = [owner, *groups.members(owner)]
    ids = [inquiry.student, *ours] if inquiry.student in ours else [*ours, inquiry.student]
    rows = answers.of(ids, owner)[exercise, inquiry.answer_id]
    if not all(row.cell.owner for row in rows):  # somebody else may have this answer now
        rows = answers.of(ids)[exercise, inquiry.answer_id]
    if rows:
        shown = next((row for row in rows if row.is_shown), None)
        return [shown] if shown else rows
    found = []
    for row in (row for id in dict.fromkeys(ours) for row in _shown(answers, id, exercise)):
        cell = row.cell._replace(automatic=inquiry.points, by_hand=None, extra=None, is_open=False)
        cell = cell._replace(answer_id=inquiry.answer_id)
        found.append(MarkedRow(row.student, cell, Given(), None, False))
    return found


def _shown(answers: AnswerMarks, id: str, exercise: str) -> Iterator[MarkedRow]:
    return (
        row for row in answers.rows.get(id, ()) if row.is_shown and row.cell.exercise == exercise
    )
