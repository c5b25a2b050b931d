"""A gradebook of the small assignment with invented answers and points; nothing is run."""

import json
from pathlib import Path

import nbformat
from nbformat import NotebookNode
from nbformat.v4 import new_output
from nbgrader.api import Comment, Grade, Gradebook

from autograder import Assignment
from autograder.engine.courses import CHECK
from autograder.gradebook.sync.database import folders_of
from autograder.gradebook.sync.entering import GradebookAssignment
from autograder.gradebook.sync.nbgrader_course import NbgraderCourse
from autograder.gradebook.sync.own_tables import forget_rows_without_grade

WRITTEN = "explain"  # the cell that a person marks


def graded(
    assignment: Assignment, answer: str | None, points: float = 1.0, **cells: str
) -> NotebookNode:
    """A graded notebook: this answer (None: as released), these points for each check."""
    notebook = nbformat.read(assignment.release, as_version=4)
    for cell in notebook.cells:
        if cell.id == WRITTEN and answer is not None:
            cell.source = answer
        cell.source = cells.get(cell.id, cell.source)
        if cell.id.startswith(CHECK):
            data = {"text/plain": repr(float(points))}
            cell.outputs = [new_output("execute_result", data)]
    return notebook


def change_source(assignment: Assignment, cell: str, source: str = "", **role) -> None:
    """Give a cell of the source another text, or another role."""
    content = json.loads(assignment.source.read_text())
    (found,) = (one for one in content["cells"] if one["id"] == cell)
    found["source"] = source or found["source"]
    found["metadata"]["nbgrader"] |= role
    assignment.source.write_text(json.dumps(content))


def graded_folder(book: "Book") -> Path:
    """Where the graded notebooks are that formgrader shows."""
    folders = folders_of(book.assignment.course)
    return Path(folders.format_path(folders.autograded_directory, ".", "."))


class Book:
    """The gradebook of a course, as a run fills it and as a tutor marks in it."""

    def __init__(self, assignment: Assignment):
        self.assignment = assignment
        self.course = NbgraderCourse(assignment.course)
        self.url = self.course.db_url
        self.owners: dict[str, str] = {}  # groups whose answers are entered, by member
        self.course.register(assignment)

    def enter(self, **notebooks: NotebookNode | str | None) -> None:
        """Enter these students' notebooks, or a notebook with this answer; write them as well."""
        made = {
            student.replace("_", "-"): (
                one if isinstance(one, NotebookNode) else graded(self.assignment, one)
            )
            for student, one in notebooks.items()
        }
        with self.course.gradebook() as gradebook:
            forget_rows_without_grade(gradebook.db)
            rows = GradebookAssignment(gradebook, self.assignment.id)
            rows.write(made, dict.fromkeys(made), {}, self.owners)
        for student, notebook in made.items():
            self.course._write_files(self.assignment, student, notebook, None, {})

    def mark(
        self, student: str, points: float | None, cell: str = WRITTEN, comment: str = "", extra=None
    ) -> None:
        """Give points and a comment as formgrader does."""
        with Gradebook(self.url) as rows:
            grade = self._grade(rows, student, cell)
            grade.manual_score, grade.extra_credit = points, extra
            grade.needs_manual_grade = points is None and grade.auto_score is None
            if comment:
                self._comment(rows, student, cell).manual_comment = comment
            rows.db.commit()

    def mark_all(self, points: dict[str, float]) -> None:
        """Give points to several students at once."""
        with Gradebook(self.url) as rows:
            for student, given in points.items():
                grade = self._grade(rows, student, WRITTEN)
                grade.manual_score, grade.needs_manual_grade = given, False
            rows.db.commit()

    def waits(self, student: str, cell: str = WRITTEN) -> bool:
        """Whether a person has to look."""
        with Gradebook(self.url) as rows:
            return self._grade(rows, student, cell).needs_manual_grade

    def given(self, student: str, cell: str = WRITTEN) -> tuple[float | None, float | None, str]:
        """Points, extra credit and comment given by hand."""
        with Gradebook(self.url) as rows:
            grade, comment = self._grade(rows, student, cell), self._comment(rows, student, cell)
            return grade.manual_score, grade.extra_credit, comment.manual_comment or ""

    def notebook_id(self, student: str) -> str:
        """Of the student's notebook in the gradebook: a part of its page's address."""
        with Gradebook(self.url) as rows:
            id = self.assignment.id
            return rows.find_submission_notebook(id, id, student).id

    def _grade(self, rows: Gradebook, student: str, cell: str) -> Grade:
        return rows.find_grade(cell, self.assignment.id, self.assignment.id, student)

    def _comment(self, rows: Gradebook, student: str, cell: str) -> Comment:
        name = cell.removeprefix(CHECK)
        return rows.find_comment(name, self.assignment.id, self.assignment.id, student)
