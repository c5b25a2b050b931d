"""Find the answer of an inquiry: record it with a new inquiry, and find it for the decision."""

from collections.abc import Iterator

from msgspec.structs import replace

from autograder.classroom.groups import Groups
from autograder.gradebook.inquiries import Inquiry
from autograder.gradebook.sync.group_marks import AnswerMarks, Given, MarkedRow


def with_answer(inquiry: Inquiry, answers: AnswerMarks) -> Inquiry:
    """Return the inquiry with the gradebook's answer and its owner, unchanged without such an
    answer.
    """
    for row in _shown(answers, inquiry.student, inquiry.exercise):
        cell, owner = row.cell, row.cell.owner or inquiry.student
        return replace(inquiry, owner=owner, answer_id=cell.answer_id, points=cell.points)
    return inquiry


def find_answer(inquiry: Inquiry, answers: AnswerMarks, groups: Groups) -> list[MarkedRow]:
    """Return the rows of an inquiry's answer: the row that the gradebook shows, or else those of
    the answer's owners before it was replaced.
    """
    owner, exercise = inquiry.about
    if not inquiry.answer_id:  # the gradebook did not have the answer when it was recorded
        return [*_shown(answers, inquiry.student, exercise)]
    owners = [owner, *groups.members(owner)]
    ids = [inquiry.student, *owners] if inquiry.student in owners else [*owners, inquiry.student]
    rows = answers.of(ids, owner)[exercise, inquiry.answer_id]
    if not all(row.cell.owner for row in rows):  # somebody else may have this answer now
        rows = answers.of(ids)[exercise, inquiry.answer_id]
    if rows:
        shown_row = next((row for row in rows if row.is_shown), None)
        return [shown_row] if shown_row else rows
    replaced_rows = []
    for row in (row for id in dict.fromkeys(owners) for row in _shown(answers, id, exercise)):
        cell = row.cell._replace(automatic=inquiry.points, by_hand=None, extra=None, is_open=False)
        cell = cell._replace(answer_id=inquiry.answer_id)
        replaced_rows.append(MarkedRow(row.student, cell, Given(), None, False))
    return replaced_rows


def _shown(answers: AnswerMarks, id: str, exercise: str) -> Iterator[MarkedRow]:
    return (
        row for row in answers.rows.get(id, ()) if row.is_shown and row.cell.exercise == exercise
    )
