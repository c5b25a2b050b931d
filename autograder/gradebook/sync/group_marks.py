"""What people gave for answers: points, extra credit and comments, also for answers that others have
replaced. A group's answer has one mark, whoever of its members got it.

nbgrader has a submission for each member and one for the group, and formgrader shows them all. A
table of ours in its database has the mark that a group's answer has, so that a mark that is
corrected later is told from the old ones.
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
    """What a person gave for one answer."""

    points: float | None = None
    extra: float = 0.0
    comment: str = ""

    @property
    def has_points(self) -> bool:
        return (self.points, self.extra) != (None, 0.0)


class MarkedRow(NamedTuple):
    """An answer of a student or a group, with what a person gave for it. `cell`: the mark of this
    answer; `recorded`: the row of our own about it, None if there is none; `is_shown`: whether the
    gradebook shows it, and no other answer.
    """

    student: str
    cell: CellMark
    given: Given
    recorded: MarkedAnswer | None
    is_shown: bool

    @property
    def is_copy(self) -> bool:
        """Whether the mark is the one that its group has."""
        return self.recorded is not None and self.given == _given_in(self.recorded)

    @property
    def is_looked_at_again(self) -> bool:
        """Whether it has a mark, and a person has to look at it once more."""
        return self.cell.is_open and self.given.points is not None

    @property
    def is_emptied(self) -> bool:
        """Whether its group has a mark, and somebody has taken it away here."""
        return self.is_shown and self.given == Given() and not self.is_copy and bool(self.recorded)

    def record(self, session: Session, given: Given) -> None:
        """Record the mark of this answer, or that it has none; the caller commits. Raises
        `SQLAlchemyError`.
        """
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
    """The answers of an assignment that the gradebook shows, and those that were marked and have
    been replaced.
    """

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
                given = Given(
                    cell.by_hand, cell.extra or 0.0, marks.comments.get(cell.exercise, "")
                )
                of_cell = recorded[cell.grade_id]
                shown = of_cell.pop((cell.answer_id, cell.owner), None)
                rows.append(MarkedRow(student, cell, given, shown, True))
                for row in of_cell.values():
                    given = _given_in(row)
                    earlier = cell._replace(
                        by_hand=given.points, extra=row.extra, is_open=False,
                        answer_id=row.digest, owner=row.owner,
                    )  # fmt: skip
                    rows.append(MarkedRow(student, earlier, given, row, False))

    def of(self, ids: Iterable[str], owner: str = "") -> dict[tuple[str, str], list[MarkedRow]]:
        """Return the answers of these students and groups, by exercise and digest: the rows of
        those whose answer it is, in their order. `owner`: who submitted them, "" for all; rows of
        which that is not known are among them.
        """
        found = defaultdict[tuple[str, str], list[MarkedRow]](list)
        for row in (row for id in dict.fromkeys(ids) for row in self.rows.get(id, ())):
            if owner in ("", row.cell.owner) or not row.cell.owner:
                found[row.cell.exercise, row.cell.answer_id].append(row)
        return found

    def added(self, ids: Sequence[str], verdict: Verdict, notebook: NotebookNode) -> float:
        """Return the points that people added to those of the checks.

        `ids`: whose submission it is, and the members, of which the first with a mark counts;
        `notebook`: the graded one.
        """
        automatic = {one.id: one.points for one in verdict.exercises}
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
            given.extra + (0.0 if given.points is None else given.points - automatic.get(name, 0.0))
            for name, given in marks.items()
            if given.points is not None or name in automatic
        )


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
    same answer, also where another answer is shown now; commit. Return a sentence for each answer
    with marks that differ, which all stay.

    If one of them was changed since the marks were shared, it counts. A mark that was put aside with
    its answer counts where the answer is shown and has no other mark. Raises `SQLAlchemyError`.
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
            changed = {row.given for row in givers if not row.is_copy}
            emptied = {row.given for row in rows if row.is_emptied}
            aside = {row.given for row in rows if not row.is_shown}
            wanted = changed or emptied or {row.given for row in givers} or aside
            if len(wanted) > 1 and givers:
                differing.append(f"{id}, {exercise}: {_about_differing(givers)}")
            for given in wanted if len(wanted) == 1 else ():
                for row in rows:
                    _give(session, row, given)
    session.commit()
    return differing


def _about_differing(givers: Collection[MarkedRow]) -> str:
    """Return a sentence on members whose marks differ, or only their comments."""
    if len({row.given[:2] for row in givers}) > 1:
        what, each = "marks", [f"{row.student} {row.cell.points:g}" for row in givers]
    else:
        what, each = "comments", [f"{row.student} {row.given.comment!r:.40}" for row in givers]
    return f"its members have different {what} ({', '.join(each)}). Give all of them the same."


def owners_of_marks(session: Session) -> set[str]:
    """Return who submitted the answers of which marks are recorded, in all assignments. Raises
    `SQLAlchemyError`.
    """
    prepare_tables(session)
    return {*session.scalars(select(MarkedAnswer.owner).distinct())}


def free_moved_marks(
    session: Session, assignment_id: str, has: Callable[[str, str, str], bool]
) -> None:
    """Let marks that were put aside count for whoever has the answer now, if its owner has it no
    longer: somebody gave the submission to another student or group. Commit.

    `has`: whether an owner has an answer now, given the owner, the exercise and the answer's digest.
    Raises `SQLAlchemyError`.
    """
    marks = AnswerMarks(session, assignment_id)
    for row in (row for of_student in marks.rows.values() for row in of_student):
        owner, cell = row.cell.owner, row.cell
        if row.recorded is None or row.is_shown or not owner:
            continue
        if not has(owner, cell.exercise, cell.answer_id):
            free = cell.grade_id, cell.answer_id, ""
            if before := session.get(MarkedAnswer, free):
                session.delete(before)
                session.flush()
            row.recorded.owner = ""
    session.commit()


def with_own_marks(session: Session, assignment_id: str, students: Collection[str]) -> set[str]:
    """Return those of the students who have a mark that is no copy of their group's, or one that was
    put aside with its answer. Raises `SQLAlchemyError`.
    """
    answers = AnswerMarks(session, assignment_id)
    return {
        row.student
        for rows in answers.of(students).values()
        for row in rows
        if row.given.has_points and not (row.is_shown and row.is_copy)
    }


def _give(session: Session, row: MarkedRow, given: Given) -> None:
    """Write what was given into a member's rows, and record it. A comment that is only this member's
    stays.
    """
    cell, recorded = row.cell, row.recorded
    if row.given == given and row.is_copy and not cell.is_open:
        return
    if row.is_shown:
        waits = given.points is None and (cell.is_open or cell.automatic is None)
        more = {"extra_credit": given.extra or None, "needs_manual_grade": waits}
        if not write_mark(session, cell, given.points, **more):
            return
        before = row.given.comment
        if before in ("", (recorded and recorded.comment) or ""):
            write_comment(session, cell.notebook_id, cell.exercise, before, given.comment)
    row.record(session, given)


def _given_in(row: MarkedAnswer) -> Given:
    return Given(row.points, row.extra or 0.0, row.comment or "")
