"""Give marks and comments that a person gave one member of a group, or the group, to the others.

nbgrader has a submission for each member and one for the group, and formgrader shows them all. A
table of ours in its database has what was shared last, so that a mark that is corrected later is
told from the old ones.
"""

from collections import defaultdict
from collections.abc import Collection, Iterator, Sequence
from typing import NamedTuple

from nbformat import NotebookNode
from nbgrader.api import Grade
from sqlalchemy import select
from sqlalchemy.orm import Session

from autograder.classroom.groups import Groups
from autograder.engine.course.cells import CHECK
from autograder.engine.verdict.verdict import Verdict
from autograder.gradebook.sync.answers import answer_digests, answer_in
from autograder.gradebook.sync.by_hand import write_comment, write_mark
from autograder.gradebook.sync.database import TRY_AGAIN, open_session
from autograder.gradebook.sync.marks import CellMark
from autograder.gradebook.sync.own_tables import MarkedAnswer, SharedMark, create_table
from autograder.gradebook.sync.tables import marks_in

Key = tuple[str, str, str]  # student or group, exercise, digest of the answer


class Given(NamedTuple):
    """What a person gave for one answer."""

    points: float | None
    extra: float
    comment: str


class GroupMember(NamedTuple):
    """A member's answer, with what a person gave for it."""

    student: str
    cell: CellMark
    given: Given


def share_group_marks(url: str, assignment_id: str, groups: Groups) -> list[str]:
    """Do what `share_marks` does, in the gradebook at this URL; nothing without groups. Raises
    `AutograderError` if the gradebook cannot be used.
    """
    if not groups:
        return []
    with open_session(url, TRY_AGAIN) as session:
        return share_marks(session, assignment_id, groups)


def share_marks(session: Session, assignment_id: str, groups: Groups) -> list[str]:
    """Give each member of a group the marks and comments that a person gave another one for the
    same answer; commit. Return a sentence for each answer with marks that differ, which all stay.

    If one of them was changed since the marks were shared, it counts. A mark that was put aside with
    its answer counts where the answer is shown and has no other mark. Raises `SQLAlchemyError`.
    """
    create_table(session, SharedMark)
    differing = []
    for id, exercise, members, aside in _answers(session, assignment_id, groups):
        ids = [one.cell.grade_id for one in members]
        found = session.scalars(select(SharedMark).where(SharedMark.grade_id.in_(ids)))
        shared = {row.grade_id: Given(row.points, row.extra, row.comment) for row in found}
        givers = [one for one in members if not one.cell.is_open and one.given != (None, 0.0, "")]
        changed = {one.given for one in givers if one.given != shared.get(one.cell.grade_id)}
        wanted = changed or {one.given for one in givers} or aside
        if len(wanted) > 1 and givers:
            marks = ", ".join(f"{one.student} {one.cell.points:g}" for one in givers)
            differing.append(
                f"{id}, {exercise}: its members have different marks or comments ({marks}). "
                "Give all of them the same."
            )
        for given in wanted if len(wanted) == 1 else ():
            for one in members:
                _give(session, one, exercise, given, shared.get(one.cell.grade_id))
    session.commit()
    return differing


def with_own_marks(session: Session, assignment_id: str, students: Collection[str]) -> set[str]:
    """Return those of the students who have a mark that is no copy of their group's, or one that was
    put aside with its answer. Raises `SQLAlchemyError`.
    """
    create_table(session, SharedMark)
    aside = {student for student, _, _ in _put_aside(session, assignment_id)}
    shared = {row.grade_id: (row.points, row.extra) for row in session.scalars(select(SharedMark))}
    return (aside & set(students)) | {
        student
        for student, marks in marks_in(session, assignment_id).items()
        for cell in marks.cells
        if student in students
        and (cell.by_hand, cell.extra or 0.0) not in ((None, 0.0), shared.get(cell.grade_id))
    }


def _answers(
    session: Session, assignment_id: str, groups: Groups
) -> Iterator[tuple[str, str, list[GroupMember], set[Given]]]:
    """Yield each answer of a group that several members have: the group's id, the exercise, the
    members for whom it is shown, and what was put aside with it. A member who has another
    submission has another answer.
    """
    marks = marks_in(session, assignment_id)
    digests, aside = answer_digests(session), _put_aside(session, assignment_id)
    for id, students in groups.by_id.items():
        same: dict[tuple[str, str | None], list[GroupMember]] = defaultdict(list)
        for student in filter(marks.__contains__, (id, *students)):
            for cell in marks[student].cells:
                exercise = cell.name.removeprefix(CHECK)
                comment = marks[student].comments.get(exercise, "")
                given = Given(cell.by_hand, cell.extra or 0.0, comment)
                same[exercise, digests.get(cell.grade_id)].append(GroupMember(student, cell, given))
        for (exercise, digest), members in same.items():
            keys = [(one, exercise, digest) for one in (id, *students)]
            put_aside = {aside[key] for key in keys if key in aside}
            if digest and (members[1:] or put_aside):
                yield id, exercise, members, put_aside


def _put_aside(session: Session, assignment_id: str) -> dict[Key, Given]:
    """Return what was given for answers that others have replaced."""
    create_table(session, MarkedAnswer)
    rows = select(Grade, MarkedAnswer).join(MarkedAnswer, MarkedAnswer.grade_id == Grade.id)
    return {
        (grade.student.id, grade.name.removeprefix(CHECK), one.digest): Given(
            one.points, one.extra or 0.0, one.comment or ""
        )
        for grade, one in session.execute(rows)
        if grade.assignment.name == assignment_id
    }


class GivenMarks:
    """What people gave for answers of an assignment, also for those that others have replaced."""

    def __init__(self, session: Session, assignment_id: str):
        """Raises `SQLAlchemyError`."""
        digests = answer_digests(session)
        shown = {
            (student, cell.name.removeprefix(CHECK), digests.get(cell.grade_id, "")): Given(
                cell.by_hand, cell.extra or 0.0, ""
            )
            for student, marks in marks_in(session, assignment_id).items()
            for cell in marks.cells
            if cell.by_hand is not None or cell.extra
        }
        self._given = _put_aside(session, assignment_id) | shown

    def added(self, ids: Sequence[str], verdict: Verdict, notebook: NotebookNode) -> float:
        """Return the points that people added to those of the checks.

        `ids`: a group and its members, of which the first with a mark counts; `notebook`: the
        group's graded one.
        """
        automatic = {one.id: one.points for one in verdict.exercises}
        digests = {cell.id: answer_in(cell).digest for cell in notebook.cells}
        return sum(
            given.extra + (0.0 if given.points is None else given.points - automatic.get(name, 0.0))
            for name, digest in digests.items()
            if (given := self._of(ids, name, digest))
        )

    def _of(self, ids: Sequence[str], name: str, digest: str) -> Given | None:
        return next((given for id in ids if (given := self._given.get((id, name, digest)))), None)


def _give(
    session: Session, one: GroupMember, exercise: str, given: Given, shared: Given | None
) -> None:
    """Write what was given into a member's rows, and that it is shared. A comment that is only
    this member's stays.
    """
    if one.given == given == shared and not one.cell.is_open:
        return
    waits = one.cell.is_open and given.points is None
    more = {"extra_credit": given.extra or None, "needs_manual_grade": waits}
    if not write_mark(session, one.cell, given.points, **more):
        return
    if (before := one.given.comment) in ("", shared.comment if shared else ""):
        write_comment(session, one.cell.notebook_id, exercise, before, given.comment)
    session.merge(SharedMark(grade_id=one.cell.grade_id, **given._asdict()))
