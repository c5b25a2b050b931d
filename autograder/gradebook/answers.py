"""The students' answers as they were last entered into the gradebook, so that only a changed answer
has to be marked by hand again.

nbgrader asks for each mark once more whenever a submission is graded again, and keeps nothing by
which it could see that the text is still the same. So its database gets a table of ours, which
nbgrader never reads. It is written in the same transaction as the points.
"""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from nbgrader.api import Grade
from sqlalchemy import inspect, select
from sqlalchemy.orm import Session

from autograder.files.digest import digest_of
from autograder.gradebook.own_tables import EnteredAnswer, create_table
from autograder.text.printable import without_halves

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
    kept = without_halves(text[:MAX_TEXT]).replace("\0", "\N{REPLACEMENT CHARACTER}")
    return AnswerContent(digest_of(text, pictures), kept)


class EnteredAnswers:
    """The rows of our table about these `grades` (rows of nbgrader's table) in `db`, an open
    gradebook. The table is created if it is missing.
    """

    def __init__(self, db: Session, grades: Iterable[Grade]):
        self.db = db
        db.flush()  # new grades get their ids
        create_table(db, EnteredAnswer)
        ids = [grade.id for grade in grades]
        found = db.scalars(select(EnteredAnswer).where(EnteredAnswer.grade_id.in_(ids)))
        self.rows = {row.grade_id: row for row in found}

    def write(
        self, grade: Grade, score: float | None, answer: AnswerContent, written: bool
    ) -> None:
        """Store the answer and the automatic points (`score`, None if a person gives the points) of
        a grade, and set whether it needs manual grading.

        `written`: whether the cell is marked by a person alone; false for code with a check. A cell
        that has a mark by hand needs grading again if its answer, or for code its automatic points,
        have changed. If the answer that was marked by a person comes back, it no longer needs
        grading.
        """
        row = self.rows.get(grade.id)
        has_mark = grade.manual_score is not None
        same = row is not None and row.digest == answer.digest
        if row is None:
            row = EnteredAnswer(grade_id=grade.id)
            self.db.add(row)
        elif has_mark and not same and not grade.needs_manual_grade:
            row.marked_digest, row.marked_text = row.digest, row.text
        row.digest, row.text = answer.digest, answer.text if written else ""
        if not has_mark:
            grade.needs_manual_grade = score is None
        elif written and row.marked_digest == answer.digest:
            grade.needs_manual_grade = False
            row.marked_digest = row.marked_text = None
        elif not (same and (written or score == grade.auto_score)):
            grade.needs_manual_grade = True
        grade.auto_score = score


def answer_digests(db: Session) -> dict[str, str]:
    """Return a digest of each answer that was entered into the open gradebook `db`, by the id of its
    grade; equal answers have equal ones.
    """
    if not inspect(db.connection()).has_table(EnteredAnswer.__tablename__):
        return {}
    rows = db.execute(select(EnteredAnswer.grade_id, EnteredAnswer.digest))
    return {row[0]: row[1] for row in rows}


def earlier_texts(db: Session, notebook_id: str) -> dict[str, tuple[float, str]]:
    """Return, by cell name, the mark by hand and the text that it was given for, of each cell that
    a person alone marks and whose answer has changed since.

    `db`: the open gradebook; `notebook_id`: the id of the student's submitted notebook in it.
    """
    if not inspect(db.connection()).has_table(EnteredAnswer.__tablename__):
        return {}
    changed = select(Grade, EnteredAnswer.marked_text).join(
        EnteredAnswer, EnteredAnswer.grade_id == Grade.id
    )
    changed = changed.where(
        Grade.notebook_id == notebook_id,
        Grade.needs_manual_grade,
        Grade.manual_score.is_not(None),
        EnteredAnswer.marked_text != "",
    )
    return {grade.name: (grade.manual_score, text) for grade, text in db.execute(changed).all()}
