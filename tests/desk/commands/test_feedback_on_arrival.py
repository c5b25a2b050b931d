"""`grade --watch --feedback`, and nbgrader's commands for students, started as people do: a page for each
attempt is where its student fetches it.
"""

import hashlib
import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import nbformat
import pytest
from msgspec.structs import replace
from nbgrader.api import Gradebook
from sqlalchemy import text
from submissions import hand_in_comments
from typed_commands import TOP, Started
from users import python_path_of

from autograder import Assignment
from autograder.authoring.sample_class import solutions
from autograder.classroom.records import add_records, open_records, read_records
from autograder.desk.returns import APART, Return
from autograder.engine.texts import parse_time, time_text

WAIT_SECONDS = 120.0
SETTINGS = "c.Exchange.root = {!r}\nc.CourseDirectory.course_id = 'small-course'\n"
BIN = Path(sys.executable).parent
WENT_BACK = "ada: feedback went back.", "ben: feedback went back."
REMARK = "Which root, ada?"


def nbgrader(folder: Path, *words: str, user: str = "") -> str:
    """Type a command of nbgrader's in this folder; return what is said. A `user` is one of a JupyterHub's."""
    env = dict(os.environ, PYTHONPATH=str(TOP), PATH=f"{BIN}:{os.environ['PATH']}")
    command = [sys.executable, "-m", "nbgrader", *words]
    if user:  # JupyterHub's images name all people `jovyan`, and say who it is
        env["PYTHONPATH"] = f"{python_path_of('jovyan', folder)}:{TOP}"
        env |= {"HOME": str(folder), "JUPYTERHUB_USER": user}
    done = subprocess.run(command, cwd=folder, env=env, capture_output=True, text=True, timeout=120)
    assert done.returncode == 0, done.stderr
    return done.stdout + done.stderr


class Student:
    """A user of a JupyterHub, with a home of their own and a configuration of two lines."""

    def __init__(self, name: str, top: Path, exchange: Path, assignment: Assignment):
        self.name, self.home, self.assignment = name, top / name, assignment
        self.home.mkdir()
        settings = "c = get_config()\n" + SETTINGS.format(str(exchange))
        (self.home / "nbgrader_config.py").write_text(settings)
        self.type("fetch_assignment", assignment.id)

    def type(self, *words: str) -> str:
        return nbgrader(self.home, *words, user=self.name)

    def submit(self, **cells: str) -> str:
        """Hand in the notebook with these cells; return what a page says of the file."""
        path = self.home / self.assignment.id / f"{self.assignment.id}.ipynb"
        notebook = nbformat.read(path, as_version=4)
        for cell in notebook.cells:
            cell.source = cells.get(cell.id, cell.source)
        nbformat.write(notebook, path)
        self.type("submit", self.assignment.id)
        *_, newest = sorted(self.home.rglob("timestamp.txt"), key=lambda one: one.read_text())
        when = parse_time(newest.read_text())
        assert when is not None
        digest = hashlib.sha256(path.read_bytes()).hexdigest()[:12]
        return f"handed in on {time_text(when)}, with the SHA-256 hash <code>{digest}…"

    def pages(self) -> list[str]:
        """Fetch feedback; return all pages there are, the oldest first."""
        self.type("fetch_feedback", self.assignment.id)
        folder = self.home / self.assignment.id / "feedback"
        return [path.read_text() for path in sorted(folder.rglob("*.html"))]

    def listed(self) -> list[str]:
        """What `list` says of each attempt."""
        lines = self.type("list", "--cached", self.assignment.id).splitlines()
        return [line.partition("UTC ")[2] for line in lines if " UTC (" in line]


class Staff:
    """The course, whose exchange is a folder."""

    def __init__(self, assignment: Assignment, top: Path):
        self.assignment, self.course, self.log = assignment, assignment.course.root, top / "log"
        self.exchange = top / "exchange"
        self.exchange.mkdir()
        self.exchange.chmod(0o777)
        with (self.course / "nbgrader_config.py").open("a") as file:
            file.write(SETTINGS.format(str(self.exchange)))
        nbgrader(self.course, "release_assignment", assignment.id)

    def grade_until(self, *sentences: str) -> str:
        """Collect, and watch until these sentences are said; return all that is."""
        nbgrader(self.course, "collect", self.assignment.id, "--update")
        self.log.write_text("")
        words = ["grade", self.course / "submitted", "--assignment", self.assignment.id]
        words += ["--course", self.course, "--results", self.course / "results", "--jobs", "1"]
        run = Started(self.log, *words, "--watch", "--feedback")
        try:
            until = time.monotonic() + WAIT_SECONDS
            while not all(one in run.said for one in sentences):
                assert run.process.poll() is None and time.monotonic() < until, run.said
                time.sleep(0.1)
            assert run.send(signal.SIGINT) == 0, run.said
        finally:
            run.end()
        return run.said

    def mark(self, student: str, points: float, comment: str) -> None:
        """Mark the student's text, as formgrader does."""
        names = "explain", self.assignment.id, self.assignment.id, student
        with Gradebook(f"sqlite:///{self.course}/gradebook.db") as gradebook:
            gradebook.find_grade(*names).manual_score = points
            gradebook.find_comment(*names).manual_comment = comment
            gradebook.db.commit()

    def pass_time(self) -> None:
        """Have all that went back be so long ago that more may."""
        results = self.course / "results"
        before = read_records(results, self.assignment.id, Return)
        with open_records(results, write=True) as records:
            records.execute(text("DELETE FROM returned_feedback"))
        add_records(
            results, self.assignment.id, [replace(one, at=one.at - APART) for one in before]
        )


@pytest.mark.walls
@pytest.mark.database
@pytest.mark.long
@pytest.mark.timeout(900)
def test_each_attempt_gets_a_page_of_its_own_where_its_student_fetches_it(copied, tmp_path):
    staff = Staff(copied, tmp_path)
    names = "ada", "ben", "eve"
    ada, ben, eve = (Student(name, tmp_path, staff.exchange, copied) for name in names)
    hand_in_comments(copied, copied.course.root / "submitted", ["cleo"])  # through nothing
    right = solutions(copied)
    wrong = right["softmax"].replace("sum(-1", "sum(0")
    first = ada.submit(**{**right, "softmax": wrong})
    bens = ben.submit(prediction=right["prediction"])
    said = "cleo: feedback has no way back by itself."
    assert "eve" not in staff.grade_until(said, *WENT_BACK)
    eves = eve.submit(rms_norm=right["rms_norm"])  # not graded yet
    assert eve.listed() == ["(no feedback available)"] and eve.pages() == []
    assert ada.listed() == ["(feedback ready to be fetched)"]
    (page,) = ada.pages()
    assert ada.listed() == ["(feedback already fetched)"]
    assert first in page and "ada" in page, page
    assert "The weights add up to 1 over the first axis" in page and "prediction is filled" in page
    assert "marked by hand" not in page and not any(one in page for one in ("ben", "eve", "cleo"))

    staff.mark("ada", 1.5, REMARK)
    staff.pass_time()
    second = ada.submit(softmax=right["softmax"])
    bens_again = ben.submit(title="The same answers.")
    staff.grade_until("eve: feedback went back.", *WENT_BACK)
    before, after = ada.pages()
    assert before == page and second in after and second != first
    assert "first axis" not in after and "total: 6 of 6, automatic points only" in after
    assert REMARK not in after and "marked by hand" not in after
    assert ada.listed() == ["(feedback already fetched)"] * 2
    of_ben, of_ben_again = ben.pages()
    assert bens in of_ben and bens_again in of_ben_again and bens != bens_again
    assert "prediction is filled" in of_ben and "ada" not in of_ben + of_ben_again
    (of_eve,) = eve.pages()
    assert eves in of_eve and "prediction is open" in of_eve and "ada" not in of_eve
    assert len([*staff.exchange.rglob("*.html")]) == 5
