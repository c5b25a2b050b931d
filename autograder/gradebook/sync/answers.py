"""Answers as they were last entered into the gradebook. Only a changed answer needs marking again,
and a mark counts only for its own answer.

nbgrader asks for every mark again whenever a submission is graded again, and cannot recognise an
unchanged text. So its database gets tables of ours, which nbgrader never reads. They are written
in the same transaction as the points.
"""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from nbgrader.api import Comment, Grade
from sqlalchemy import Select, select
from sqlalchemy.orm import Session

from autograder.engine import files, texts
from autograder.gradebook.sync.own_tables import EnteredAnswer, MarkedAnswer, prepare_tables

MAX_TEXT = 20_000  # stored characters of an answer. The digest covers the whole text


@dataclass(frozen=True)
class AnswerContent:
    """A student's answer in a cell: digest of text and pictures, and beginning of the text."""

    digest: str
    text: str  # at most MAX_TEXT characters


def answer_in(cell: Mapping) -> AnswerContent:
    """Return the content of a notebook cell (parsed JSON), independent of line endings."""
    text = "\n".join("".join(cell["source"]).replace("\r\n", "\n").split("\r"))
    pictures = [
        [name, kind, data]
        for name, forms in sorted(cell.get("attachments", {}).items())
        for kind, data in sorted(forms.items())
    ]
    beginning = texts.without_halves(text[:MAX_TEXT]).replace("\0", "\N{REPLACEMENT CHARACTER}")
    return AnswerContent(files.digest_of(text, pictures), beginning)


class EnteredAnswers:
    """The rows of our tables about these `grades` in an open gradebook."""

    def __init__(self, db: Session, grades: Iterable[Grade]):
        self.db = db
        db.flush()  # new grades get their ids
        prepare_tables(db)
        ids = [grade.id for grade in grades]
        entered = db.scalars(select(EnteredAnswer).where(EnteredAnswer.grade_id.in_(ids)))
        self.rows = {row.grade_id: row for row in entered}
        marked = db.scalars(select(MarkedAnswer).where(MarkedAnswer.grade_id.in_(ids)))
        self.aside = {(row.grade_id, row.digest, row.owner): row for row in marked}

    def write(
        self,
        grade: Grade,
        comment: Comment | None,
        score: float | None,
        answer: AnswerContent,
        owner: str,
        written: bool,
    ) -> None:
        """Store the answer, its `owner` and its automatic points (`score`, None for manual
        grading), and set whether the grade needs marking. `comment`: the row with a person's
        comment.

        If the answer or its owner has changed, its mark by hand and its comment are put aside. If
        an earlier answer returns, its mark and comment are restored. `written`: whether the cell
        is graded by hand only. A cell with a check needs marking again if its mark was put aside,
        or if its automatic points have changed.
        """
        row, has_mark = self.rows.get(grade.id), grade.manual_score is not None
        if row is None:
            row = EnteredAnswer(grade_id=grade.id)
            self.db.add(row)
            waits = has_mark or score is None
        elif row.digest != answer.digest or row.owner not in ("", owner):
            was_marked = self._put_aside(grade, comment, row) or grade.needs_manual_grade
            is_back = self._take_back(grade, comment, answer.digest, owner)
            waits = not is_back and (score is None or (was_marked and not written))
        elif has_mark:
            waits = grade.needs_manual_grade or not (written or score == grade.auto_score)
        else:
            waits = score is None or (grade.needs_manual_grade and not written)
        row.digest, row.text = answer.digest, answer.text if written else ""
        if not row.owner and (shared := self.aside.get((grade.id, row.digest, ""))):
            shared.owner = owner
        row.owner = owner
        grade.needs_manual_grade, grade.auto_score = waits, score

    def _put_aside(self, grade: Grade, comment: Comment | None, row: EnteredAnswer) -> bool:
        """Move mark and comment of `row` out of the gradebook. Return whether it had points."""
        comment_text = comment.manual_comment if comment else None
        if grade.manual_score is None and not (grade.extra_credit or comment_text):
            # the mark was emptied for all members
            if shared := self.aside.get((grade.id, row.digest, row.owner)):
                self.db.delete(shared)
            return False
        numbers = [
            row_aside.number for row_aside in self.aside.values() if row_aside.grade_id == grade.id
        ]
        marked = MarkedAnswer(
            grade_id=grade.id,
            digest=row.digest,
            owner=row.owner,
            text=row.text,
            points=grade.manual_score,
            extra=grade.extra_credit,
            comment=comment_text,
            number=1 + max(numbers, default=0),
        )
        self.db.merge(marked)
        grade.manual_score = grade.extra_credit = None
        if comment:
            comment.manual_comment = None
        return marked.has_points

    def _take_back(self, grade: Grade, comment: Comment | None, digest: str, owner: str) -> bool:
        """Restore mark and comment that were put aside. Return whether there were any."""
        marked = self.aside.get((grade.id, digest, owner), self.aside.get((grade.id, digest, "")))
        if marked is None:
            return False
        grade.manual_score, grade.extra_credit = marked.points, marked.extra
        if comment:
            comment.manual_comment = marked.comment
        self.db.delete(marked)
        return True


def entered_answers(db: Session, grade_ids: Select) -> dict[str, tuple[str, str]]:
    """Return digest and owner of each entered answer, by id of the grade."""
    rows = select(EnteredAnswer.grade_id, EnteredAnswer.digest, EnteredAnswer.owner)
    entered = db.execute(rows.where(EnteredAnswer.grade_id.in_(grade_ids)))
    return {grade: (digest, owner) for grade, digest, owner in entered}


def marks_aside(db: Session, grade_ids: Select) -> dict[str, MarkedAnswer]:
    """Return, by grade, the last marked or commented answer that has changed since, of grades
    without a current mark. `grade_ids`: a query for ids of grades. Our tables must be prepared.
    """
    unmarked = grade_ids.where(Grade.manual_score.is_(None))
    rows = select(MarkedAnswer).where(MarkedAnswer.grade_id.in_(unmarked), MarkedAnswer.number > 0)
    return {row.grade_id: row for row in db.scalars(rows.order_by(MarkedAnswer.number))}


def earlier_answers(db: Session, notebook_id: str) -> dict[str, MarkedAnswer]:
    """Return, by cell name, the marked answer in this notebook that has changed since."""
    prepare_tables(db)
    grades = select(Grade.id).where(Grade.notebook_id == notebook_id)
    answers = marks_aside(db, grades)
    grades_with_names = db.scalars(select(Grade).where(Grade.id.in_([*answers])))
    return {grade.name: answers[grade.id] for grade in grades_with_names}
