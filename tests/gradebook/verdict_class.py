"""A course of the small assignment whose verdict files are written instead of graded."""

import os
from contextlib import contextmanager
from datetime import datetime
from pathlib import Path

import nbformat
from msgspec.structs import replace
from nbformat.v4 import new_code_cell
from nbgrader.api import Gradebook
from sqlalchemy import event
from sqlalchemy.engine import Engine
from typed_commands import typed
from written_answers import Book

from autograder import ExerciseResult, Verdict
from autograder.engine import Graded, ResultsFolder, RunSettings, courses, files, grading, notebooks


def times(when: str) -> datetime:
    return datetime.fromisoformat(when)


class VerdictClass:
    """Submissions and verdict files in the current folder, and what `enter` makes of them."""

    def __init__(self, book: Book):
        self.book, self.assignment, self.id = book, book.assignment, book.assignment.id
        self.results = ResultsFolder(Path("results"), self.assignment)

    def configure(self, *lines: str) -> None:
        """Add lines on the late policy to the course's configuration."""
        with Path(courses.CONFIG).open("a") as config:
            config.writelines(f"\nc.LatePolicy.{line}\n" for line in lines)

    def write(self, name: str, *lines: str) -> None:
        """Write a table of staff's; `{id}` in it is the assignment."""
        text = "\n".join([*lines, ""])
        Path(name).write_text(text.replace("{id}", self.id))

    def due(self, when: str | None) -> None:
        with Gradebook(self.book.url) as rows:
            rows.find_assignment(self.id).duedate = when and times(when)
            rows.db.commit()

    def folder(self, student: str) -> Path:
        return Path("submitted", student, self.id)

    def submit(
        self, student: str, when: str = "", points: float = 3.0, code: str = "", **sources: str
    ) -> None:
        """Submit the release with a cell of the student's own and with these `sources` of cells, and
        store a verdict on it that gives all points to the first exercise.
        """
        folder = self.folder(student)
        notebook = nbformat.read(self.assignment.release, as_version=4)
        for cell in notebook.cells:
            cell.source = sources.get(cell.id, cell.source)
        own = new_code_cell(code or f"# {student} {when}", id="own")
        notebook.cells.insert(0, own)  # at the end it would be part of the last answer
        folder.mkdir(parents=True, exist_ok=True)
        nbformat.write(notebook, folder / f"{self.id}.ipynb")
        if when:
            (folder / files.TIMESTAMP).write_text(f"{when} UTC\n")
        self.store(student, when, points)

    def store(self, student: str, when: str = "", points: float = 3.0, **fields) -> Verdict:
        """Store a verdict on the notebook that is in the student's folder."""
        notebook = self.folder(student) / f"{self.id}.ipynb"
        submission = notebooks.read_submission(self.assignment, student, notebook)
        settings = RunSettings(self.assignment, seed=1)
        first, *others = self.assignment.exercises
        exercises = [
            ExerciseResult(first.id, "answered", points, first.points, [], []),
            *(ExerciseResult(one.id, "answered", 0.0, one.points, [], []) for one in others),
        ]
        verdict = grading.ungraded(settings, submission, "").verdict
        fields = {"state": "graded", "reason": None, "points": points} | fields
        verdict = replace(verdict, **{"exercises": exercises} | fields)
        self.results.put(Graded(verdict, {}, [], submission), times(when) if when else None)
        return verdict

    def enter(self, *words: str, status: int = 0) -> str:
        """Run `enter`; return what it says."""
        got, printed = typed("enter", "results", *words)
        assert got == status, printed
        return printed

    def points(self) -> dict[str, float]:
        """Each student's automatic points in the gradebook, by student and group."""
        return {student: row.auto_score for student, row in self._rows().items()}

    def penalties(self) -> dict[str, float]:
        """What being late takes, of those of whom it takes anything."""
        rows = self._rows()
        return {who: row.penalty for who, row in rows.items() if row.penalty}

    def submitted(self) -> dict[str, datetime | None]:
        """When each student submitted, as the gradebook says."""
        return {student: row.timestamp for student, row in self._rows().items()}

    def _rows(self) -> dict:
        with Gradebook(self.book.url) as gradebook:
            return {one.student.id: _Row(one) for one in gradebook.assignment_submissions(self.id)}


class _Row:
    """A submission's row in nbgrader's gradebook."""

    def __init__(self, submission):
        grades = [grade for notebook in submission.notebooks for grade in notebook.grades]
        self.auto_score = sum(grade.auto_score or 0.0 for grade in grades)
        self.penalty = submission.late_submission_penalty
        self.timestamp = submission.timestamp


@contextmanager
def failing(errors: dict[str, Exception]):
    """Have the database raise these errors when it writes something that has these words."""

    def execute(connection, cursor, statement, parameters, context, executemany):
        if statement.startswith(("INSERT", "UPDATE")):
            written = f"{statement} {parameters}"
            for words, error in errors.items():
                if words in written:
                    raise error

    event.listen(Engine, "before_cursor_execute", execute)
    try:
        yield
    finally:
        event.remove(Engine, "before_cursor_execute", execute)


def damage(path: Path) -> None:
    """Make a file one that ends in the middle; its time stays."""
    status = path.stat()
    path.write_text("{")
    os.utime(path, (status.st_atime, status.st_mtime))
