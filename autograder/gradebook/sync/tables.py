"""Read nbgrader's tables: marks and lateness of an assignment, and all students' names.

Plain columns are read instead of nbgrader's objects, because a class may have ten thousand
submissions.
"""

from collections import defaultdict
from dataclasses import dataclass

from nbgrader.api import (
    Assignment,
    BaseCell,
    Comment,
    Grade,
    GradeCell,
    Notebook,
    SolutionCell,
    Student,
    SubmittedAssignment,
    SubmittedNotebook,
    TaskCell,
)
from sqlalchemy import Result, Select, select
from sqlalchemy.orm import Session

from autograder.engine import Course, courses
from autograder.gradebook.lateness.late import ClassLateness, LateRules
from autograder.gradebook.lateness.late_policy import HandIn
from autograder.gradebook.sync.answers import entered_answers, marks_aside
from autograder.gradebook.sync.database import open_session
from autograder.gradebook.sync.marks import CellMark, StudentMarks
from autograder.gradebook.sync.own_tables import prepare_tables

student_id = SubmittedAssignment.student_id


def read_marks(url: str, assignment: str, student: str | None = None) -> dict[str, StudentMarks]:
    """Return the marks of an assignment, by student, from the gradebook at this URL. `student`:
    only this student, None for all. Raises `AutograderError` if the gradebook is unusable.
    """
    with open_session(url) as session:
        return marks_in(session, assignment, student)


def read_names(url: str) -> dict[str, tuple[str, str]]:
    """Return name and e-mail address of all students, by id. Raises `AutograderError`."""
    columns = Student.id, Student.first_name, Student.last_name, Student.email
    with open_session(url) as session:
        rows = session.execute(select(*columns))
        return {id: (_name(first, last), email or "") for id, first, last, email in rows}


def marks_in(
    session: Session, assignment: str, student: str | None = None
) -> dict[str, StudentMarks]:
    """Return the marks of an assignment in an open gradebook, by student. {} if the gradebook does
    not have the assignment. `student`: only this student, None for all. Raises `SQLAlchemyError`
    if the database fails.
    """
    rows = _Rows(session, assignment, student)
    cells, comments = rows.cells(), rows.comments()
    marks: dict[str, StudentMarks] = {}
    for id, row_penalty, submitted, due, first, last, email in rows.notebooks():
        marks[id] = StudentMarks(
            submitted=submitted,
            due=due,
            penalty=(row_penalty or 0.0) + (marks[id].penalty if id in marks else 0.0),
            cells=sorted(cells[id], key=lambda cell: cell.name),
            comments=comments[id],
            name=_name(first, last),
            email=email or "",
        )
    return marks


@dataclass(frozen=True)
class _Rows:
    """Queries for the rows of an assignment and, if set, a single student."""

    session: Session
    assignment: str
    student: str | None

    def cells(self) -> dict[str, list[CellMark]]:
        cells: dict[str, list[CellMark]] = defaultdict(list)
        released = _released_cells(self.session, self.assignment)
        mark_columns = (
            Grade.auto_score,
            Grade.manual_score,
            Grade.extra_credit,
            Grade.needs_manual_grade,
        )
        grades = select(student_id, Grade.cell_id, Grade.id, Grade.notebook_id, *mark_columns)
        grades = grades.join(SubmittedNotebook, Grade.notebook_id == SubmittedNotebook.id)
        of_these = self._restricted(grades)
        ids = of_these.with_only_columns(Grade.id)
        prepare_tables(self.session)
        aside, entered = marks_aside(self.session, ids), entered_answers(self.session, ids)
        for id, cell, grade, notebook, auto, manual, extra, waits in self.session.execute(of_these):
            name, max_points, is_written = released[cell]
            mark = CellMark(
                name, max_points, auto, manual, extra, waits, is_written, grade, notebook
            )
            if grade in aside:
                mark = mark._replace(earlier=aside[grade].points)
            answer, owner = entered.get(grade, ("", ""))
            cells[id].append(mark._replace(answer_id=answer, owner=owner))
        return cells

    def comments(self) -> dict[str, dict[str, str]]:
        comments: dict[str, dict[str, str]] = defaultdict(dict)
        query = select(student_id, BaseCell.name, Comment.manual_comment)
        query = query.where(Comment.manual_comment != "")
        query = query.join(SubmittedNotebook, Comment.notebook_id == SubmittedNotebook.id)
        query = query.join(BaseCell, Comment.cell_id == BaseCell.id)
        for id, cell, text in self.session.execute(self._restricted(query)):
            comments[id][cell] = text
        return comments

    def notebooks(self) -> Result:
        columns = SubmittedAssignment.timestamp, Assignment.duedate
        names = Student.first_name, Student.last_name, Student.email
        penalty = SubmittedNotebook.late_submission_penalty
        query = select(student_id, penalty, *columns, *names).select_from(SubmittedNotebook)
        query = self._restricted(query).join(Student, Student.id == student_id)
        return self.session.execute(query)

    def _restricted(self, query: Select) -> Select:
        """Restrict a query on submitted notebooks to the assignment and student of this object."""
        query = query.join(
            SubmittedAssignment, SubmittedNotebook.assignment_id == SubmittedAssignment.id
        )
        # nbgrader indexes submitted notebooks by notebook, not by submission
        query = query.join(Notebook, SubmittedNotebook.notebook_id == Notebook.id)
        query = query.join(Assignment, Notebook.assignment_id == Assignment.id)
        query = query.where(Assignment.name == self.assignment)
        if self.student is None:
            return query
        return query.where(SubmittedAssignment.student_id == self.student)


def _released_cells(session: Session, assignment: str) -> dict[str, tuple[str, float, bool]]:
    """Return name, maximum points, and whether graded by hand only, by nbgrader's cell id."""

    def of_assignment(query: Select, kind: type[BaseCell]) -> Select:
        query = query.join(Notebook, kind.notebook_id == Notebook.id).join(Assignment)
        return query.where(Assignment.name == assignment)

    solutions = set(session.scalars(of_assignment(select(SolutionCell.name), SolutionCell)))
    return {
        id: (name, max_points or 0.0, kind is TaskCell or name in solutions)
        for kind in (GradeCell, TaskCell)
        for id, name, max_points in session.execute(
            of_assignment(select(kind.id, kind.name, kind.max_score), kind)
        )
    }


def _name(first: str | None, last: str | None) -> str:
    return " ".join(filter(None, (first, last)))


def read_lateness(url: str, course: Course, assignment_id: str) -> ClassLateness:
    """Return the lateness of a class for an assignment, from the gradebook at this URL. Raises
    `CourseError` or `AutograderError` if the course's configuration, its late policy or the
    gradebook is unusable.
    """
    rules = LateRules(courses.read_config(course.root), course.root)
    with open_session(url) as session:
        return lateness_in(session, rules, assignment_id)


def lateness_in(
    session: Session, rules: LateRules, assignment_id: str, student: str | None = None
) -> ClassLateness:
    """Return the lateness of a class for an assignment, in an open gradebook. `student`: only this
    student, None for all.

    Times are those in the gradebook, which already include `late.csv`. Raises `SQLAlchemyError` if
    the database fails.
    """
    columns = Assignment.id, Assignment.name, Assignment.duedate, Assignment.max_score
    assignments = {id: facts for id, *facts in session.execute(select(*columns))}
    table = SubmittedAssignment
    query = select(table.student_id, table.assignment_id, table.timestamp, table.extension)
    if student is not None and not rules.groups:
        query = query.where(table.student_id == student)
    rows = session.execute(query).all()
    of_all = {
        (owner, assignments[assignment][0]): extension for owner, assignment, _, extension in rows
    }
    hand_ins = defaultdict(list)
    due_dates = {name: due for name, due, _ in assignments.values() if name == assignment_id}
    for owner_id, assignment, submitted, granted in rows:
        name, due, points = assignments[assignment]
        until = rules.extended_until((owner_id, name), due, granted, of_all)
        hand_ins[owner_id].append(HandIn(name, submitted, due, points or 0.0, until))
        due_dates[name] = due
    return ClassLateness(rules, assignment_id, hand_ins, due_dates, of_all)
