"""Points into nbgrader's gradebook and out of it: a batch is one transaction, a class one query."""

from collections.abc import Collection, Iterable
from dataclasses import dataclass, field
from datetime import datetime

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
from autograder.gradebook.answers import (
    EnteredAnswers,
    answer_in,
    forget_answers_without_grade,
)
from autograder.gradebook.class_lateness import class_lateness
from autograder.gradebook.late import LateRules, Penalty
from autograder.people import Person

AT_ONCE = 500  # students in one query
NO_RESPONSE = "No response."  # nbgrader's comment on a cell that is as released


@dataclass(frozen=True)
class Row:
    """What the gradebook says about one student's submission."""

    points: dict[str, float] = field(default_factory=dict)  # automatic, by check cell
    submitted: datetime | None = None  # UTC, without a zone


class GradebookAssignment:
    """One assignment in an open gradebook. Everything raises `SQLAlchemyError`."""

    def __init__(self, gradebook: Gradebook, assignment_id: str):
        self.db = gradebook.db
        self.assignment = gradebook.find_assignment(assignment_id)
        self.notebook: Notebook = gradebook.find_notebook(assignment_id, assignment_id)
        self.grade_cells = {cell.id: cell.name for cell in self.notebook.grade_cells}
        self.solution_cells = {cell.id: cell.name for cell in self.notebook.solution_cells}

    def write(
        self,
        notebooks: dict[str, NotebookNode],
        submitted: dict[str, datetime | None],
        people: dict[str, Person],
    ) -> None:
        """Write what these students' graded notebooks say, and when they were handed in.

        What was given by hand stays, as do penalties: those are for `write_penalties`.
        """
        known = self._submissions(notebooks, with_cells=True)
        students = self._students(notebooks)
        submissions = {student: known.get(student) or self._new(student) for student in notebooks}
        for student, submission in submissions.items():
            enter_name(students[student], people.get(student))
            submission.timestamp = submitted[student]
        self._write_cells(submissions, notebooks)
        self.db.commit()

    def write_cells(self, student: str, notebook: NotebookNode) -> None:
        """Write what one student's graded notebook says, and nothing else."""
        forget_answers_without_grade(self.db)
        self._write_cells(self._submissions([student], with_cells=True), {student: notebook})
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

    def penalties(self, rules: LateRules, students: Collection[str]) -> dict[str, Penalty]:
        """Return what being late should cost those of these students who are in the gradebook."""
        late = class_lateness(self.db, rules, self.assignment.name, students)
        entered = self._entered()
        return {
            student: Penalty(lateness, entered.get(student, 0.0))
            for student, lateness in late.items()
        }

    def write_penalties(self, rules: LateRules, students: Collection[str]) -> None:
        """Write the penalties of these students, and nothing else."""
        penalties = self.penalties(rules, students)
        wrong = [student for student, penalty in penalties.items() if not penalty.is_right]
        for start in range(0, len(wrong), AT_ONCE):
            for student, submission in self._submissions(wrong[start : start + AT_ONCE]).items():
                for row in submission.notebooks:
                    row.late_submission_penalty = penalties[student].lateness.points or None
        self.db.commit()

    def write_time(self, student: str, submitted: datetime | None) -> None:
        """Write when one student's submission was handed in, and nothing else."""
        for submission in self._submissions([student]).values():
            submission.timestamp = submitted
        self.db.commit()

    def rows(self) -> dict[str, Row]:
        """Return what the gradebook says now, by student."""
        one = SubmittedAssignment
        times = select(one.student_id, one.timestamp).where(self._is_of_assignment())
        rows = {student: Row({}, when) for student, when in self.db.execute(times)}
        checks = select(one.student_id, Grade.cell_id, Grade.auto_score).select_from(one)
        checks = checks.join(SubmittedNotebook).join(Grade)
        for student, cell, score in self.db.execute(checks.where(self._is_of_assignment())):
            if score is not None and cell in self.grade_cells:
                rows[student].points[self.grade_cells[cell]] = score
        return rows

    def forget_gone(self) -> None:
        """Delete what is ours of submissions that are gone; it takes time for the whole class."""
        forget_answers_without_grade(self.db)
        self.db.commit()

    def _entered(self) -> dict[str, float]:
        """The penalties that are entered, by student."""
        one, notebook = SubmittedAssignment, SubmittedNotebook
        query = select(one.id, one.student_id).where(self._is_of_assignment())
        students = dict(self.db.execute(query).all())
        # apart: joined, SQLite would go through all notebooks for each student
        points = select(notebook.assignment_id, notebook.late_submission_penalty)
        points = points.where(notebook.notebook_id == self.notebook.id)
        found = self.db.execute(points)
        return {students[id]: penalty or 0.0 for id, penalty in found if id in students}

    def _is_of_assignment(self):
        return SubmittedAssignment.assignment_id == self.assignment.id

    def _submissions(
        self, students: Iterable[str], with_cells: bool = False
    ) -> dict[str, SubmittedAssignment]:
        notebooks = selectinload(SubmittedAssignment.notebooks)
        query = select(SubmittedAssignment).where(
            self._is_of_assignment(), SubmittedAssignment.student_id.in_(list(students))
        )
        query = query.options(notebooks)
        if with_cells:
            query = query.options(
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
