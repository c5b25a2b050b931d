"""Points, extra credit and comments by hand, also for replaced answers. All members of a group
share the mark of an answer.

nbgrader has separate submissions for each member and for the group, and formgrader shows them all.
A table of ours in its database stores the shared mark of each answer, to recognise later
corrections.
"""

from collections import defaultdict
from collections.abc import Callable, Collection, Iterable, Sequence
from typing import NamedTuple

from nbformat import NotebookNode
from sqlalchemy import select
from sqlalchemy.orm import Session

from autograder.classroom.groups import Groups
from autograder.engine import Verdict
from autograder.gradebook.sync.answers import answer_in
from autograder.gradebook.sync.by_hand import write_comment, write_mark
from autograder.gradebook.sync.database import TRY_AGAIN, open_session
from autograder.gradebook.sync.marks import CellMark
from autograder.gradebook.sync.own_tables import MarkedAnswer, prepare_tables
from autograder.gradebook.sync.tables import marks_in


class Given(NamedTuple):
    """Mark and comment by hand for an answer."""

    points: float | None = None
    extra: float = 0.0
    comment: str = ""

    @property
    def has_points(self) -> bool:
        return (self.points, self.extra) != (None, 0.0)


class MarkedRow(NamedTuple):
    """An answer of a student or a group, with its mark by hand. `cell`: the mark of this answer.
    `recorded`: our own row about it, or None. `is_shown`: whether the gradebook currently shows
    this answer.
    """

    student: str
    cell: CellMark
    given: Given
    recorded: MarkedAnswer | None
    is_shown: bool

    @property
    def is_copy(self) -> bool:
        """Whether the mark equals the group's."""
        return self.recorded is not None and self.given == _given_in(self.recorded)

    @property
    def is_looked_at_again(self) -> bool:
        """Whether it has a mark and needs marking again."""
        return self.cell.is_open and self.given.points is not None

    @property
    def is_emptied(self) -> bool:
        """Whether its group has a mark that was removed here."""
        return self.is_shown and self.given == Given() and not self.is_copy and bool(self.recorded)

    def record(self, session: Session, given: Given) -> None:
        """Record the mark or its absence, without a commit. Raises `SQLAlchemyError`."""
        number = 0 if self.is_shown else 1
        row = self.recorded or MarkedAnswer(text="", number=number)
        row.grade_id, row.digest = self.cell.grade_id, self.cell.answer_id
        row.owner = self.cell.owner
        row.points, row.extra, row.comment = given
        if given != Given():
            session.add(row)
        elif self.recorded:
            session.delete(row)


class AnswerMarks:
    """Answers of an assignment in the gradebook, and marked answers that have been replaced."""

    def __init__(self, session: Session, assignment_id: str):
        """Raises `SQLAlchemyError`."""
        prepare_tables(session)
        # by grade, and by digest and owner
        recorded: dict[str, dict[tuple[str, str], MarkedAnswer]] = defaultdict(dict)
        for row in session.scalars(select(MarkedAnswer)):
            recorded[row.grade_id][row.digest, row.owner] = row
        self.rows: dict[str, list[MarkedRow]] = {}  # by student or group
        for student, marks in marks_in(session, assignment_id).items():
            rows = self.rows[student] = []
            for cell in marks.cells:
                mark = Given(cell.by_hand, cell.extra or 0.0, marks.comments.get(cell.exercise, ""))
                by_answer = recorded[cell.grade_id]
                shared = by_answer.pop((cell.answer_id, cell.owner), None)
                rows.append(MarkedRow(student, cell, mark, shared, True))
                for row in by_answer.values():
                    mark = _given_in(row)
                    earlier = cell._replace(
                        by_hand=mark.points, extra=row.extra, is_open=False,
                        answer_id=row.digest, owner=row.owner,
                    )  # fmt: skip
                    rows.append(MarkedRow(student, earlier, mark, row, False))

    def of(self, ids: Iterable[str], owner: str = "") -> dict[tuple[str, str], list[MarkedRow]]:
        """Return the answers of these students and groups, by exercise and digest, with their rows
        in this order. `owner`: the submitter, "" for all. Rows with an unknown owner are always
        included.
        """
        rows_by_answer = defaultdict[tuple[str, str], list[MarkedRow]](list)
        for row in (row for id in dict.fromkeys(ids) for row in self.rows.get(id, ())):
            if owner in ("", row.cell.owner) or not row.cell.owner:
                rows_by_answer[row.cell.exercise, row.cell.answer_id].append(row)
        return rows_by_answer

    def added(self, ids: Sequence[str], verdict: Verdict, notebook: NotebookNode) -> float:
        """Return the points by hand in addition to those of the checks. `ids`: the owner and the
        members, of which the first with a mark counts. `notebook`: the graded notebook.
        """
        automatic = {exercise.id: exercise.points for exercise in verdict.exercises}
        digests, answers = (
            {cell.id: answer_in(cell).digest for cell in notebook.cells},
            self.of(ids, owner=ids[0]),
        )
        marks = {
            name: next(
                (row.given for row in answers[name, digest] if row.given.has_points), Given()
            )
            for name, digest in digests.items()
        }
        return sum(
            mark.extra + (0.0 if mark.points is None else mark.points - automatic.get(name, 0.0))
            for name, mark in marks.items()
            if mark.points is not None or name in automatic
        )


def share_group_marks(url: str, assignment_id: str, groups: Groups) -> list[str]:
    """Share marks in the gradebook at this URL. Raises `AutograderError` if it is unusable."""
    if not groups:
        return []
    with open_session(url, TRY_AGAIN) as session:
        return share_marks(session, assignment_id, groups)


def share_marks(session: Session, assignment_id: str, groups: Groups) -> list[str]:
    """Copy marks and comments by hand to all members of a group with the same answer, also if
    their current answer differs, and commit. Return a sentence for each answer with differing
    marks, which all stay.

    A mark that was changed since the last sharing counts. A mark that was put aside with its
    answer counts if the answer is current and has no other mark. Raises `SQLAlchemyError`.
    """
    differing = []
    answers = AnswerMarks(session, assignment_id)
    alone = {id: [id] for id in answers.rows if id not in groups.by_id}
    for id, students in {**groups.by_id, **alone}.items():
        for (exercise, digest), rows in answers.of((id, *students), owner=id).items():
            if not (digest and rows[1:]):
                continue
            givers = [
                row
                for row in rows
                if row.is_shown and row.given != Given() and not row.is_looked_at_again
            ]
            changed_marks = {row.given for row in givers if not row.is_copy}
            emptied_marks = {row.given for row in rows if row.is_emptied}
            aside_marks = {row.given for row in rows if not row.is_shown}
            marks = changed_marks or emptied_marks or {row.given for row in givers} or aside_marks
            if len(marks) > 1 and givers:
                differing.append(f"{id}, {exercise}: {_about_differing(givers)}")
            for mark in marks if len(marks) == 1 else ():
                for row in rows:
                    _give(session, row, mark)
    session.commit()
    return differing


def _about_differing(givers: Collection[MarkedRow]) -> str:
    """Return a sentence on members with different marks or comments."""
    if len({row.given[:2] for row in givers}) > 1:
        subject, descriptions = "marks", [f"{row.student} {row.cell.points:g}" for row in givers]
    else:
        subject, descriptions = (
            "comments",
            [f"{row.student} {row.given.comment!r:.40}" for row in givers],
        )
    return f"its members have different {subject} ({', '.join(descriptions)}). Give all of them the same."


def owners_of_marks(session: Session) -> set[str]:
    """Return the owners of all answers with recorded marks. Raises `SQLAlchemyError`."""
    prepare_tables(session)
    return {*session.scalars(select(MarkedAnswer.owner).distinct())}


def free_moved_marks(
    session: Session, assignment_id: str, has: Callable[[str, str, str], bool]
) -> None:
    """Free marks that were put aside if their owner no longer has the answer, because the
    submission was reassigned to another student or group. They then count for the new owner.
    Commit.

    `has`: whether an owner has an answer now, given owner, exercise and digest of the answer.
    Raises `SQLAlchemyError`.
    """
    marks = AnswerMarks(session, assignment_id)
    for row in (row for of_student in marks.rows.values() for row in of_student):
        owner, cell = row.cell.owner, row.cell
        if row.recorded is None or row.is_shown or not owner:
            continue
        if not has(owner, cell.exercise, cell.answer_id):
            free = cell.grade_id, cell.answer_id, ""
            if freed_before := session.get(MarkedAnswer, free):
                session.delete(freed_before)
                session.flush()
            row.recorded.owner = ""
    session.commit()


def with_own_marks(session: Session, assignment_id: str, students: Collection[str]) -> set[str]:
    """Return students with marks beside the shared ones of groups. Raises `SQLAlchemyError`."""
    answers = AnswerMarks(session, assignment_id)
    return {
        row.student
        for rows in answers.of(students).values()
        for row in rows
        if row.given.has_points and not (row.is_shown and row.is_copy)
    }


def _give(session: Session, row: MarkedRow, mark: Given) -> None:
    """Write a mark into a member's rows, and record it. A comment for this member alone stays."""
    cell, recorded = row.cell, row.recorded
    if row.given == mark and row.is_copy and not cell.is_open:
        return
    if row.is_shown:
        waits = mark.points is None and (cell.is_open or cell.automatic is None)
        columns = {"extra_credit": mark.extra or None, "needs_manual_grade": waits}
        if not write_mark(session, cell, mark.points, **columns):
            return
        old_comment = row.given.comment
        if old_comment in ("", (recorded and recorded.comment) or ""):
            write_comment(session, cell.notebook_id, cell.exercise, old_comment, mark.comment)
    row.record(session, mark)


def _given_in(row: MarkedAnswer) -> Given:
    return Given(row.points, row.extra or 0.0, row.comment or "")
