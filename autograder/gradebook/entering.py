"""Points into nbgrader's gradebook and out of it: a batch is one transaction, a class one query."""

from collections.abc import Iterable
from dataclasses import dataclass, field
from datetime import datetime, timedelta

from nbformat.notebooknode import NotebookNode
from nbgrader import utils
from nbgrader.api import (
    Comment,
    Grade,
    Gradebook,
    Notebook,
    Student,
    SubmittedAssignment,
    SubmittedNotebook,
)
from sqlalchemy import select
from sqlalchemy.orm import selectinload

from autograder.engine.assignment import CHECK
from autograder.gradebook.answers import EnteredAnswers, answer_in
from autograder.gradebook.late import LatePolicy, extension, seconds_late
from autograder.people import Person

NO_RESPONSE = "No response."  # nbgrader's comment on a cell that is as released


@dataclass(frozen=True)
class Row:
    """What the gradebook says about one student's submission."""

    points: dict[str, float] = field(default_factory=dict)  # automatic, by check cell
    submitted: datetime | None = None  # UTC, without a zone
    penalty_is_right: bool = True  # its extension and its penalty are what the policy says


class GradebookAssignment:
    """One assignment in an open gradebook. Everything raises `SQLAlchemyError`."""

    def __init__(self, gradebook: Gradebook, assignment_id: str, policy: LatePolicy):
        self.db = gradebook.db
        self.assignment = gradebook.find_assignment(assignment_id)
        self.notebook: Notebook = gradebook.find_notebook(assignment_id, assignment_id)
        self.policy = policy
        self.grade_cells = {cell.id: cell.name for cell in self.notebook.grade_cells}
        self.solution_cells = {cell.id: cell.name for cell in self.notebook.solution_cells}

    def write(
        self,
        notebooks: dict[str, NotebookNode],
        submitted: dict[str, datetime | None],
        granted: dict[str, datetime],
        people: dict[str, Person],
    ) -> None:
        """Write what these students' graded notebooks say; what was given by hand stays."""
        known = self._submissions(notebooks)
        students = self._students(notebooks)
        submissions = {student: known.get(student) or self._new(student) for student in notebooks}
        for student, submission in submissions.items():
            enter_name(students[student], people.get(student))
            submission.timestamp = submitted[student]
        self._write_cells(submissions, notebooks)
        for student, submission in submissions.items():
            self._set_penalty(submission, granted.get(student))
        self.db.commit()

    def write_cells(self, student: str, notebook: NotebookNode) -> None:
        """Write what one student's graded notebook says, and nothing else."""
        self._write_cells(self._submissions([student]), {student: notebook})
        self.db.commit()

    def _students(self, ids: Iterable[str]) -> dict[str, Student]:
        """The students' rows, new ones where there were none."""
        found = self.db.scalars(select(Student).where(Student.id.in_(list(ids))))
        students = {student.id: student for student in found}
        for id in ids:
            if id not in students:
                students[id] = Student(id=id)
                self.db.add(students[id])
        return students

    def write_penalty(self, student: str, granted: dict[str, datetime]) -> None:
        """Write the extension and the penalty of one student, and nothing else."""
        self._set_penalty(self._submissions([student])[student], granted.get(student))
        self.db.commit()

    def rows(self, granted: dict[str, datetime]) -> dict[str, Row]:
        """Return what the gradebook says now, by student."""
        submissions = self._submissions()
        points: dict[str, dict[str, float]] = {student: {} for student in submissions}
        checks = select(
            SubmittedAssignment.student_id, Grade.cell_id, Grade.auto_score
        ).select_from(SubmittedAssignment)
        checks = checks.join(SubmittedNotebook).join(Grade)
        for student, cell, score in self.db.execute(checks.where(self._is_of_assignment())):
            if score is not None and cell in self.grade_cells:
                points[student][self.grade_cells[cell]] = score
        return {
            student: Row(
                points[student], one.timestamp, self._penalty_is_right(one, granted.get(student))
            )
            for student, one in submissions.items()
        }

    def _set_penalty(self, submission: SubmittedAssignment, until: datetime | None) -> None:
        submission.extension, penalty = self._lateness(submission, until)
        for row in submission.notebooks:
            row.late_submission_penalty = penalty

    def _penalty_is_right(self, submission: SubmittedAssignment, until: datetime | None) -> bool:
        penalties = {row.late_submission_penalty for row in submission.notebooks}
        wanted, penalty = self._lateness(submission, until)
        return submission.extension == wanted and penalties <= {penalty}

    def _lateness(
        self, submission: SubmittedAssignment, until: datetime | None
    ) -> tuple[timedelta | None, float | None]:
        """The extension that the file grants, or that is there already; the penalty that remains."""
        due = self.assignment.duedate
        extended = submission.extension if until is None else extension(due, until)
        late = seconds_late(submission.timestamp, due, extended)
        return extended, self.policy.penalty(late, self.assignment.max_score)

    def _is_of_assignment(self):
        return SubmittedAssignment.assignment_id == self.assignment.id

    def _submissions(self, students: Iterable[str] | None = None) -> dict[str, SubmittedAssignment]:
        notebooks = selectinload(SubmittedAssignment.notebooks)
        query = select(SubmittedAssignment).where(self._is_of_assignment()).options(notebooks)
        if students is not None:
            query = query.where(SubmittedAssignment.student_id.in_(list(students))).options(
                notebooks.selectinload(SubmittedNotebook.grades),
                notebooks.selectinload(SubmittedNotebook.comments),
            )
        return {one.student_id: one for one in self.db.scalars(query)}

    def _new(self, student: str) -> SubmittedAssignment:
        """A submission with everything that nbgrader keeps for one, still empty."""
        submission = SubmittedAssignment(assignment_id=self.assignment.id, student_id=student)
        notebook = SubmittedNotebook(notebook_id=self.notebook.id, assignment=submission)
        notebook.grades = [Grade(cell_id=cell) for cell in self.grade_cells]
        notebook.comments = [Comment(cell_id=cell) for cell in self.solution_cells]
        submission.assignment = self.assignment
        self.db.add(submission)
        return submission

    def _write_cells(
        self, submissions: dict[str, SubmittedAssignment], notebooks: dict[str, NotebookNode]
    ) -> None:
        """As nbgrader's `SaveAutoGrades` does it, but that a mark stays one while its answer does."""
        rows = [(row, student) for student, one in submissions.items() for row in one.notebooks]
        entered = EnteredAnswers(self.db, (grade for row, _ in rows for grade in row.grades))
        for row, student in rows:
            cells = {cell.id: cell for cell in notebooks[student].cells}
            for grade in row.grades:
                name = self.grade_cells[grade.cell_id]
                score, _ = utils.determine_grade(cells[name])
                answer = cells.get(name.removeprefix(CHECK), cells[name])
                entered.write(grade, score, answer_in(answer), written=answer is cells[name])
            for comment in row.comments:
                cell = cells[self.solution_cells[comment.cell_id]]
                untouched = cell.metadata.nbgrader.get("checksum") == utils.compute_checksum(cell)
                comment.auto_comment = NO_RESPONSE if untouched else None


def enter_name(student: Student, person: Person | None) -> None:
    """Write a student's name and address as the platform has them, unless they are there already."""
    if person and not (student.first_name or student.last_name):
        first, _, last = person.name.rpartition(" ")
        student.first_name, student.last_name = first or None, last or None
    if person and not student.email:
        student.email = person.email or None
