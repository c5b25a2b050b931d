"""Write graded notebooks into nbgrader's gradebook, one transaction for each batch."""

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

AT_ONCE = 500  # students in one query: databases take no list of any length
GROUP = "(group)"  # instead of a first name
NO_RESPONSE = "No response."  # nbgrader's comment on a cell that is as released


class GradebookAssignment:
    """One assignment in an open gradebook, with the rows of its cells. All methods raise
    `SQLAlchemyError` if the database fails.
    """

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
        """Write the points and comments in these graded notebooks, and when they were handed in
        (None if unknown); commit.

        All dicts are by student; `people` has names and addresses to add, `owners` whose submission
        the notebook is: the student's or a group's. Marks given by hand and penalties are kept;
        `write_penalties` writes penalties.
        """
        known = self._submissions(notebooks)
        students = self._students(notebooks)
        submissions = {student: known.get(student) or self._new(student) for student in notebooks}
        for student, submission in submissions.items():
            if not submission.notebooks:
                self._add_notebook(submission)
            _enter_name(students[student], people.get(student))
            submission.timestamp = submitted[student]
        self._write_cells(submissions, notebooks, owners)
        self.db.commit()

    def _students(self, ids: Iterable[str]) -> dict[str, Student]:
        """Return the gradebook's rows of these students, by id; rows that are missing are added."""
        found = self.db.scalars(select(Student).where(Student.id.in_(list(ids))))
        students = {student.id: student for student in found}
        for id in ids:
            if id not in students:
                students[id] = Student(id=id)
                self.db.add(students[id])
        return students

    def _submissions(self, students: Iterable[str]) -> dict[str, SubmittedAssignment]:
        """Return the existing submissions of these students, by student, loaded with their grades
        and comments.
        """
        one, notebooks = SubmittedAssignment, selectinload(SubmittedAssignment.notebooks)
        query = select(one).where(
            one.assignment_id == self.assignment.id, one.student_id.in_(list(students))
        )
        query = query.options(
            notebooks.selectinload(SubmittedNotebook.grades),
            notebooks.selectinload(SubmittedNotebook.comments),
        )
        return {found.student_id: found for found in self.db.scalars(query)}

    def _new(self, student: str) -> SubmittedAssignment:
        """Add a submission of the student to the session; return it."""
        submission = SubmittedAssignment(assignment_id=self.assignment.id, student_id=student)
        submission.assignment = self.assignment
        self.db.add(submission)
        return submission

    def _add_notebook(self, submission: SubmittedAssignment) -> None:
        """Add all the rows that nbgrader keeps for a submitted notebook. A submission has none where
        only its extension has stayed.
        """
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
        """Write points and comments of each submission, as nbgrader's `SaveAutoGrades` does; but
        marks by hand stay with the answers that they were given for. All dicts are by student.
        """
        rows = [(row, student) for student, one in submissions.items() for row in one.notebooks]
        entered = EnteredAnswers(self.db, (grade for row, _ in rows for grade in row.grades))
        for row, student in rows:
            cells = {cell.id: cell for cell in notebooks[student].cells}
            comments = {self.solution_cells[one.cell_id]: one for one in row.comments}
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
    """Write the late penalty of each of these students, and nothing else; commit. A student without
    a submission of the assignment is skipped. Raises `SQLAlchemyError` if the database fails.

    `lateness`: by student.
    """
    one, students = SubmittedAssignment, list(lateness)
    of_assignment = select(SubmittedNotebook, one.student_id).join(
        one, SubmittedNotebook.assignment_id == one.id
    )
    of_assignment = of_assignment.join(Assignment, one.assignment_id == Assignment.id)
    of_assignment = of_assignment.where(Assignment.name == assignment_id)
    for start in range(0, len(students), AT_ONCE):
        wanted = students[start : start + AT_ONCE]
        for row, student in db.execute(of_assignment.where(one.student_id.in_(wanted))):
            row.late_submission_penalty = lateness[student].points or None
    db.commit()


def _enter_name(student: Student, person: Person | None) -> None:
    """Write into the student's row the name and e-mail address of `person`, None if nothing is
    known. What the row already has stays, but for a single word, such as a login, in the place of a
    name.
    """
    if person is None:
        return
    is_group = person.name.startswith(GROUP)
    first, _, last = person.name.partition(" ") if is_group else person.name.rpartition(" ")
    if not (student.first_name or student.last_name) or (first and not student.first_name):
        student.first_name, student.last_name = first or None, last or None
    if not student.email:
        student.email = person.email or None
