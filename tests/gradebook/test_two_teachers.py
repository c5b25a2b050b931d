"""Two teachers, each with an own account and one group, work in a course in turns."""

import os
import shutil
import stat
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path

import pytest
from downloads import on_disk
from users import becoming

from autograder import Assignment
from autograder.authoring.sample_class import SampleClass, notebook_text

pytestmark = [
    pytest.mark.walls,
    pytest.mark.database,
    pytest.mark.long,
    pytest.mark.timeout(900),
    pytest.mark.skipif(os.geteuid() != 0, reason="only root can become another user"),
]
ANN, BOB, GROUP = "www-data", "backup", "staff"  # that each Linux has
BUTTON = """
import sys
from nbgrader.apps import NbGrader, NbGraderAPI
app = NbGrader()
app.initialize([])
api = NbGraderAPI(app.coursedir, parent=app)
done = getattr(api, sys.argv[1])(*sys.argv[2:])
print(done.get("log", ""), done.get("error", ""))
sys.exit(not done["success"])
"""
MARK = """
import sys
from nbgrader.api import Gradebook
with Gradebook("sqlite:///gradebook.db", "small-course") as gradebook:
    for grade in gradebook.find_submission("small-sheet", sys.argv[1]).notebooks[0].grades:
        if grade.needs_manual_grade:
            grade.manual_score, grade.needs_manual_grade = float(sys.argv[2]), False
    gradebook.db.commit()
"""


class Course:
    """A course that belongs to a group, and what its teachers type there."""

    def __init__(self, top: Path, assignment: Assignment):
        self.top, self.id = top, assignment.id
        self.root = top / "course"
        sample = SampleClass(assignment, 1)
        self.texts = [notebook_text(assignment, sample.submission(number)) for number in range(3)]
        skipped = shutil.ignore_patterns("__pycache__")
        shutil.copytree(assignment.course.root, self.root, ignore=skipped)
        config = self.root / "nbgrader_config.py"
        (top / "exchange" / "small-course" / "inbound").mkdir(parents=True)
        (top / "exchange").chmod(0o777)
        shutil.chown(top / "exchange" / "small-course", ANN, GROUP)
        (top / "exchange" / "small-course").chmod(0o2775)
        config.write_text(
            f"{config.read_text()}\nc.CourseDirectory.groupshared = True\n"
            f"c.Exchange.root = {str(top / 'exchange')!r}\n"
        )
        for path in (self.root, *self.root.rglob("*")):
            shutil.chown(path, ANN, GROUP)
            path.chmod(0o2770 if path.is_dir() else 0o660)

    def submit(self, student: str, number: int, time: str) -> None:
        """Put a submission into the exchange."""
        inbound = self.top / "exchange" / "small-course" / "inbound"
        folder = inbound / f"{student}+{self.id}+2026-11-20 {time}:00.000000 UTC+{number}"
        folder.mkdir()
        (folder / f"{self.id}.ipynb").write_text(self.texts[number])
        (folder / "submission_secret.txt").write_text(f"{student} {number}")

    def types(self, who: str, *words: str) -> str:
        """What is said when a teacher runs a Python program in the course; it has to succeed."""
        home = self.top / who
        home.mkdir(exist_ok=True)
        shutil.chown(home, who)
        bin = Path(sys.executable).parent
        env = {"HOME": str(home), "PATH": f"{bin}:{os.environ['PATH']}", "LANG": "C.UTF-8"}
        env |= {"PYTHONPATH": os.environ.get("PYTHONPATH", "")}
        mounted = self.top / "python"
        mounted.mkdir(exist_ok=True)
        command = [*becoming(who, GROUP, mounted), sys.executable, *words]
        done = subprocess.run(
            command,
            cwd=self.root,
            env=env,
            text=True,
            capture_output=True,
            umask=0o022,
            timeout=200,
        )
        assert done.returncode == 0, f"{who}: {words}\n{done.stdout}{done.stderr}"
        return done.stdout + done.stderr

    def command(self, who: str, *words: str) -> str:
        return self.types(who, "-m", "autograder", *words)

    def nbgrader(self, who: str, *words: str) -> str:
        return self.types(who, "-m", "nbgrader", *words)

    def button(self, who: str, *words: str) -> str:
        """What a button of formgrader does."""
        return self.types(who, "-c", BUTTON, *words)


@pytest.fixture
def shared(small) -> Iterator[Course]:
    """Below a folder that both may enter, unlike pytest's own."""
    with tempfile.TemporaryDirectory() as folder:
        Path(folder).chmod(0o755)
        yield Course(Path(folder), small)


def test_what_one_has_written_the_other_can_go_on_with(shared):
    id = shared.id
    shared.submit("ada", 0, "15:00")
    shared.submit("ben", 1, "15:00")
    assert "ada" in shared.nbgrader(ANN, "collect", id)
    assert "2 graded" in shared.command(BOB, "grade")
    shared.button(ANN, "autograde", id, "ada")
    shared.types(ANN, "-c", MARK, "ada", "1")
    shared.types(BOB, "-c", MARK, "ben", "0.5")
    assert "2 pages" in shared.command(BOB, "feedback")
    shared.nbgrader(ANN, "release_feedback", id)
    shared.submit("ada", 2, "16:00")
    shared.button(BOB, "collect", id)
    assert "1 graded" in shared.command(ANN, "grade")
    shared.button(BOB, "autograde", id, "ben")
    shared.types(ANN, "-c", MARK, "ada", "0.5")
    shared.button(ANN, "generate_feedback", id)
    shared.nbgrader(BOB, "generate_feedback", id)
    shared.button(BOB, "release_feedback", id)
    shared.command(BOB, "report", "--out", "report.html")
    shared.command(ANN, "report", "--out", "report.html")
    for who in (ANN, BOB):
        shared.command(who, "marking", "list")
        shared.command(who, "export", "--format", "ilias")
        shared.command(who, "enter")
    shared.command(BOB, "grade", "--regrade")
    said = shared.command(ANN, "status")
    assert f"Exchange: {shared.top / 'exchange'}" in said and "Everybody" not in said
    for name in on_disk(shared.root):
        path = shared.root / name
        mode, made = stat.S_IMODE(path.stat().st_mode), path.stat()
        assert (path.group(), mode & 0o077) == (GROUP, 0o060), f"{name} {mode:o} {made.st_uid}"
    pages = [*shared.top.glob("exchange/small-course/feedback/*.html")]
    assert len(pages) == 3 and all(page.stat().st_mode & stat.S_IROTH for page in pages)
