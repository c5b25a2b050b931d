"""Write graded notebooks into nbgrader's gradebook, a transaction for each batch."""

from collections.abc import Iterable, Mapping
from datetime import datetime

from nbformat.notebooknode import NotebookNode
from nbgrader import utils
from nbgrader.api import (
    Assignment,
    Comment,
    Grade,
    Gradebook,
    Notebook,
    Student,
    SubmittedAssignment,
    SubmittedNotebook,
)
from sqlalchemy import select
from sqlalchemy.orm import Session, selectinload

from autograder.classroom.roster import Person
from autograder.engine import courses
from autograder.gradebook.lateness.late import Lateness
from autograder.gradebook.sync.answers import EnteredAnswers, answer_in

AT_ONCE = 500  # students in one query, because databases limit the length of lists
GROUP = "(group)"  # instead of a first name
NO_RESPONSE = "No response."  # nbgrader's comment on an unchanged cell


class GradebookAssignment:
    """An assignment in an open gradebook, with its cells. Methods raise `SQLAlchemyError`."""

    def __init__(self, gradebook: Gradebook, assignment_id: str):
        """Raises `MissingEntry` if the assignment is not in the gradebook."""
        self.db = gradebook.db
        self.notebook: Notebook = gradebook.find_notebook(assignment_id, assignment_id)
        self.assignment: Assignment = self.notebook.assignment
        self.grade_cells = {cell.id: cell.name for cell in self.notebook.grade_cells}
        self.solution_cells = {cell.id: cell.name for cell in self.notebook.solution_cells}

    def write(
        self,
        notebooks: dict[str, NotebookNode],
        submitted: dict[str, datetime | None],
        people: dict[str, Person],
        owners: dict[str, str],
    ) -> None:
        """Write points and comments from these graded notebooks, and the times of submission (None
        if unknown), and commit.

        All dicts are by student. `people`: names and addresses to add. `owners`: the student or
        group that submitted the notebook. Marks by hand and penalties are kept.
        """
        existing = self._submissions(notebooks)
        students = self._students(notebooks)
        submissions = {
            student: existing.get(student) or self._new(student) for student in notebooks
        }
        for student, submission in submissions.items():
            if not submission.notebooks:
                self._add_notebook(submission)
            _enter_name(students[student], people.get(student))
            submission.timestamp = submitted[student]
        self._write_cells(submissions, notebooks, owners)
        self.db.commit()

    def _students(self, ids: Iterable[str]) -> dict[str, Student]:
        """Return the gradebook's rows of these students, by id. Missing rows are added."""
        rows = self.db.scalars(select(Student).where(Student.id.in_(list(ids))))
        students = {student.id: student for student in rows}
        for id in ids:
            if id not in students:
                students[id] = Student(id=id)
                self.db.add(students[id])
        return students

    def _submissions(self, students: Iterable[str]) -> dict[str, SubmittedAssignment]:
        """Return the existing submissions, by student, loaded with their grades and comments."""
        table, notebooks = SubmittedAssignment, selectinload(SubmittedAssignment.notebooks)
        query = select(table).where(
            table.assignment_id == self.assignment.id, table.student_id.in_(list(students))
        )
        query = query.options(
            notebooks.selectinload(SubmittedNotebook.grades),
            notebooks.selectinload(SubmittedNotebook.comments),
        )
        return {submission.student_id: submission for submission in self.db.scalars(query)}

    def _new(self, student: str) -> SubmittedAssignment:
        submission = SubmittedAssignment(assignment_id=self.assignment.id, student_id=student)
        submission.assignment = self.assignment
        self.db.add(submission)
        return submission

    def _add_notebook(self, submission: SubmittedAssignment) -> None:
        """Add the rows of a submitted notebook, which a mere extension lacks."""
        notebook = SubmittedNotebook(notebook_id=self.notebook.id, assignment=submission)
        notebook.grades = [Grade(cell_id=cell) for cell in self.grade_cells]
        notebook.comments = [Comment(cell_id=cell) for cell in self.solution_cells]
        self.db.add(notebook)

    def _write_cells(
        self,
        submissions: dict[str, SubmittedAssignment],
        notebooks: dict[str, NotebookNode],
        owners: dict[str, str],
    ) -> None:
        """Write points and comments like `SaveAutoGrades`, but keep marks by hand."""
        rows = [
            (row, student)
            for student, submission in submissions.items()
            for row in submission.notebooks
        ]
        entered = EnteredAnswers(self.db, (grade for row, _ in rows for grade in row.grades))
        for row, student in rows:
            cells = {cell.id: cell for cell in notebooks[student].cells}
            comments = {self.solution_cells[comment.cell_id]: comment for comment in row.comments}
            for grade in row.grades:
                name = self.grade_cells[grade.cell_id]
                score, _ = utils.determine_grade(cells[name])
                answer = cells.get(name.removeprefix(courses.CHECK), cells[name])
                comment = comments.get(answer.id)
                written, owner = answer is cells[name], owners.get(student, student)
                entered.write(grade, comment, score, answer_in(answer), owner, written=written)
            for comment in row.comments:
                cell = cells[self.solution_cells[comment.cell_id]]
                untouched = cell.metadata.nbgrader.get("checksum") == utils.compute_checksum(cell)
                comment.auto_comment = NO_RESPONSE if untouched else None


def write_penalties(db: Session, assignment_id: str, lateness: Mapping[str, Lateness]) -> None:
    """Write the late penalty of each of these students, and commit. Students without a submission
    of the assignment are skipped. `lateness`: by student. Raises `SQLAlchemyError` if the database
    fails.
    """
    table, students = SubmittedAssignment, list(lateness)
    of_assignment = select(SubmittedNotebook, table.student_id).join(
        table, SubmittedNotebook.assignment_id == table.id
    )
    of_assignment = of_assignment.join(Assignment, table.assignment_id == Assignment.id)
    of_assignment = of_assignment.where(Assignment.name == assignment_id)
    for start in range(0, len(students), AT_ONCE):
        batch = students[start : start + AT_ONCE]
        for row, student in db.execute(of_assignment.where(table.student_id.in_(batch))):
            row.late_submission_penalty = lateness[student].points or None
    db.commit()


def _enter_name(student: Student, person: Person | None) -> None:
    """Fill in name and e-mail address. A single word, such as a login, may be replaced."""
    if person is None:
        return
    is_group = person.name.startswith(GROUP)
    first_names, _, last_name = (
        person.name.partition(" ") if is_group else person.name.rpartition(" ")
    )
    if not (student.first_name or student.last_name) or (first_names and not student.first_name):
        student.first_name, student.last_name = first_names or None, last_name or None
    if not student.email:
        student.email = person.email or None
