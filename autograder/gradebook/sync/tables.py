"""Read nbgrader's tables: the marks and the lateness of an assignment, by student, and all
students' names.

Plain columns are read instead of nbgrader's objects, as a class may have ten thousand submissions.
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
    """Return the marks of an assignment, by student, from the gradebook at this URL.

    `student`: only this one; None for all. Raises `AutograderError` if the gradebook cannot be used.
    """
    with open_session(url) as session:
        return marks_in(session, assignment, student)


def read_names(url: str) -> dict[str, tuple[str, str]]:
    """Return the name and the e-mail address of all students in the gradebook at this URL, by id.
    Raises `AutograderError` if it cannot be used.
    """
    columns = Student.id, Student.first_name, Student.last_name, Student.email
    with open_session(url) as session:
        found = session.execute(select(*columns))
        return {id: (_name(first, last), email or "") for id, first, last, email in found}


def marks_in(
    session: Session, assignment: str, student: str | None = None
) -> dict[str, StudentMarks]:
    """Return the marks of an assignment in an open gradebook, by student; {} if the gradebook does
    not have the assignment.

    `student`: only this one; None for all. Raises `SQLAlchemyError` if the database fails.
    """
    rows = _Rows(session, assignment, student)
    cells, comments = rows.cells(), rows.comments()
    marks: dict[str, StudentMarks] = {}
    for id, less, submitted, due, first, last, email in rows.notebooks():
        marks[id] = StudentMarks(
            submitted=submitted,
            due=due,
            penalty=(less or 0.0) + (marks[id].penalty if id in marks else 0.0),
            cells=sorted(cells[id], key=lambda cell: cell.name),
            comments=comments[id],
            name=_name(first, last),
            email=email or "",
        )
    return marks


@dataclass(frozen=True)
class _Rows:
    """Queries for the rows of one assignment in an open gradebook; `student`: only this one, None
    for all.
    """

    session: Session
    assignment: str
    student: str | None

    def cells(self) -> dict[str, list[CellMark]]:
        cells: dict[str, list[CellMark]] = defaultdict(list)
        released = _released_cells(self.session, self.assignment)
        given = Grade.auto_score, Grade.manual_score, Grade.extra_credit, Grade.needs_manual_grade
        grades = select(student_id, Grade.cell_id, Grade.id, Grade.notebook_id, *given)
        grades = grades.join(SubmittedNotebook, Grade.notebook_id == SubmittedNotebook.id)
        of_these = self._restricted(grades)
        ids = of_these.with_only_columns(Grade.id)
        prepare_tables(self.session)
        aside, entered = marks_aside(self.session, ids), entered_answers(self.session, ids)
        for id, cell, grade, notebook, auto, manual, extra, waits in self.session.execute(of_these):
            name, most, is_written = released[cell]
            mark = CellMark(name, most, auto, manual, extra, waits, is_written, grade, notebook)
            if grade in aside:
                mark = mark._replace(earlier=aside[grade].points)
            answer, owner = entered.get(grade, ("", ""))
            cells[id].append(mark._replace(answer_id=answer, owner=owner))
        return cells

    def comments(self) -> dict[str, dict[str, str]]:
        comments: dict[str, dict[str, str]] = defaultdict(dict)
        said = select(student_id, BaseCell.name, Comment.manual_comment)
        said = said.where(Comment.manual_comment != "")
        said = said.join(SubmittedNotebook, Comment.notebook_id == SubmittedNotebook.id)
        said = said.join(BaseCell, Comment.cell_id == BaseCell.id)
        for id, cell, text in self.session.execute(self._restricted(said)):
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
        """Return the query, on submitted notebooks, restricted to the assignment and student of
        this object.
        """
        query = query.join(
            SubmittedAssignment, SubmittedNotebook.assignment_id == SubmittedAssignment.id
        )
        # nbgrader has an index of submitted notebooks by notebook, and none by submission
        query = query.join(Notebook, SubmittedNotebook.notebook_id == Notebook.id)
        query = query.join(Assignment, Notebook.assignment_id == Assignment.id)
        query = query.where(Assignment.name == self.assignment)
        if self.student is None:
            return query
        return query.where(SubmittedAssignment.student_id == self.student)


def _released_cells(session: Session, assignment: str) -> dict[str, tuple[str, float, bool]]:
    """Return the cells with points, by nbgrader's id of the cell: name, maximal points, and whether
    it is graded by hand only.
    """

    def of_assignment(query: Select, kind: type[BaseCell]) -> Select:
        query = query.join(Notebook, kind.notebook_id == Notebook.id).join(Assignment)
        return query.where(Assignment.name == assignment)

    solutions = set(session.scalars(of_assignment(select(SolutionCell.name), SolutionCell)))
    return {
        id: (name, most or 0.0, kind is TaskCell or name in solutions)
        for kind in (GradeCell, TaskCell)
        for id, name, most in session.execute(
            of_assignment(select(kind.id, kind.name, kind.max_score), kind)
        )
    }


def _name(first: str | None, last: str | None) -> str:
    return " ".join(filter(None, (first, last)))


def read_lateness(url: str, course: Course, assignment_id: str) -> ClassLateness:
    """Return the lateness of a class for an assignment, from the gradebook at this URL.

    Raises `CourseError` or `AutograderError` if the course's configuration, or its late policy, cannot be
    used; `AutograderError` if the gradebook cannot be used.
    """
    rules = LateRules(courses.read_config(course.root), course.root)
    with open_session(url) as session:
        return lateness_in(session, rules, assignment_id)


def lateness_in(
    session: Session, rules: LateRules, assignment_id: str, student: str | None = None
) -> ClassLateness:
    """Return the lateness of a class for an assignment, in an open gradebook.

    `student`: only this one; None for all. Times are those of the submissions in the gradebook;
    `late.csv` was considered when they were entered. Raises `SQLAlchemyError` if the database
    fails.
    """
    columns = Assignment.id, Assignment.name, Assignment.duedate, Assignment.max_score
    assignments = {id: known for id, *known in session.execute(select(*columns))}
    one = SubmittedAssignment
    found = select(one.student_id, one.assignment_id, one.timestamp, one.extension)
    if student is not None and not rules.groups:
        found = found.where(one.student_id == student)
    rows = session.execute(found).all()
    of_all = {(who, assignments[one][0]): more for who, one, _, more in rows}
    hand_ins = defaultdict(list)
    due_dates = {name: due for name, due, _ in assignments.values() if name == assignment_id}
    for who, assignment, submitted, granted in rows:
        name, due, points = assignments[assignment]
        until = rules.extended_until((who, name), due, granted, of_all)
        hand_ins[who].append(HandIn(name, submitted, due, points or 0.0, until))
        due_dates[name] = due
    return ClassLateness(rules, assignment_id, hand_ins, due_dates, of_all)
