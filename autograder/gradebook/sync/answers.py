"""The students' answers as they were last entered into the gradebook, so that only a changed answer
has to be marked by hand again, and a mark counts for the answer that it was given for alone.

nbgrader asks for each mark once more whenever a submission is graded again, and keeps nothing by
which it could see that the text is still the same. So its database gets tables of ours, which
nbgrader never reads. They are written in the same transaction as the points.
"""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from nbgrader.api import Comment, Grade
from sqlalchemy import Select, select
from sqlalchemy.orm import Session

from autograder.engine import files, texts
from autograder.gradebook.sync.own_tables import EnteredAnswer, MarkedAnswer, prepare_tables

MAX_TEXT = 20_000  # characters of an answer that are kept; its digest is of the whole


@dataclass(frozen=True)
class AnswerContent:
    """A student's answer in one cell: a digest of its text and pictures, and the beginning of the
    text.
    """

    digest: str
    text: str  # its beginning


def answer_in(cell: Mapping) -> AnswerContent:
    """Return the content of a notebook cell, given as parsed JSON; the text is cut after MAX_TEXT
    characters, the digest is of all of it. Different line ends give the same digest.
    """
    text = "\n".join("".join(cell["source"]).replace("\r\n", "\n").split("\r"))
    pictures = [
        [name, kind, data]
        for name, forms in sorted(cell.get("attachments", {}).items())
        for kind, data in sorted(forms.items())
    ]
    kept = texts.without_halves(text[:MAX_TEXT]).replace("\0", "\N{REPLACEMENT CHARACTER}")
    return AnswerContent(files.digest_of(text, pictures), kept)


class EnteredAnswers:
    """The rows of our tables about these `grades` (rows of nbgrader's table) in `db`, an open
    gradebook. Tables that are missing are created.
    """

    def __init__(self, db: Session, grades: Iterable[Grade]):
        self.db = db
        db.flush()  # new grades get their ids
        prepare_tables(db)
        ids = [grade.id for grade in grades]
        found = db.scalars(select(EnteredAnswer).where(EnteredAnswer.grade_id.in_(ids)))
        self.rows = {row.grade_id: row for row in found}
        aside = db.scalars(select(MarkedAnswer).where(MarkedAnswer.grade_id.in_(ids)))
        self.aside = {(row.grade_id, row.digest, row.owner): row for row in aside}

    def write(
        self,
        grade: Grade,
        comment: Comment | None,
        score: float | None,
        answer: AnswerContent,
        owner: str,
        written: bool,
    ) -> None:
        """Store the answer, whose it is (`owner`) and the automatic points (`score`, None if a person
        gives the points) of a grade, and set whether it needs manual grading. `comment`: the row with
        a person's comment.

        If the answer has changed, or is another owner's, its mark by hand and comment are put aside,
        and those of an answer that comes back are given again. `written`: whether the cell is marked by a person
        alone; false for code with a check, which a person has to look at again if its mark was put
        aside, or if its automatic points have changed.
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
        """Store the mark by hand and the comment of the answer in `row`, and take them from the
        gradebook; return whether there were points.
        """
        comment_text = comment.manual_comment if comment else None
        if grade.manual_score is None and not (grade.extra_credit or comment_text):
            # all members' was emptied
            if shared := self.aside.get((grade.id, row.digest, row.owner)):
                self.db.delete(shared)
            return False
        numbers = [one.number for one in self.aside.values() if one.grade_id == grade.id]
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
        """Give this owner's answer with this digest the mark and the comment that were put aside, if
        there are any; return whether there were.
        """
        marked = self.aside.get((grade.id, digest, owner), self.aside.get((grade.id, digest, "")))
        if marked is None:
            return False
        grade.manual_score, grade.extra_credit = marked.points, marked.extra
        if comment:
            comment.manual_comment = marked.comment
        self.db.delete(marked)
        return True


def entered_answers(db: Session, grade_ids: Select) -> dict[str, tuple[str, str]]:
    """Return the digest and the owner of each answer that was entered into the open gradebook `db`, by
    the id of the grade. `grade_ids`: a query for the ids of grades. Our tables are prepared.
    """
    rows = select(EnteredAnswer.grade_id, EnteredAnswer.digest, EnteredAnswer.owner)
    found = db.execute(rows.where(EnteredAnswer.grade_id.in_(grade_ids)))
    return {grade: (digest, owner) for grade, digest, owner in found}


def marks_aside(db: Session, grade_ids: Select) -> dict[str, MarkedAnswer]:
    """Return, by grade, the answer that was marked or commented last and has changed since; only of
    grades that have no mark now.

    `db`: the open gradebook, with our tables prepared; `grade_ids`: a query for the ids of grades.
    """
    unmarked = grade_ids.where(Grade.manual_score.is_(None))
    rows = select(MarkedAnswer).where(MarkedAnswer.grade_id.in_(unmarked), MarkedAnswer.number > 0)
    return {row.grade_id: row for row in db.scalars(rows.order_by(MarkedAnswer.number))}


def earlier_answers(db: Session, notebook_id: str) -> dict[str, MarkedAnswer]:
    """Return, by cell name, the answer that a person marked and that has changed since.

    `db`: the open gradebook; `notebook_id`: the id of the student's submitted notebook in it.
    """
    prepare_tables(db)
    grades = select(Grade.id).where(Grade.notebook_id == notebook_id)
    found = marks_aside(db, grades)
    named = db.scalars(select(Grade).where(Grade.id.in_([*found])))
    return {grade.name: found[grade.id] for grade in named}
