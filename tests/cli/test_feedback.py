"""`feedback`: each page is made where what it shows has changed, and nowhere else."""

import shutil
from datetime import datetime
from pathlib import Path

import pytest
from exports import keep
from feedback_pages import verdict
from msgspec.structs import replace
from nbgrader.api import Gradebook

from autograder.cli.main import main
from autograder.engine.submission import read_submission
from autograder.gradebook.nbgrader_course import NbgraderCourse
from autograder.gradebook.record import Record
from autograder.people import Person, roster_path, write_roster

pytestmark = [pytest.mark.database, pytest.mark.slow]

STUDENTS = "ada", "ben", "cleo"


class Class:
    """Three graded students in a course, and the command."""

    def __init__(self, assignment, capfd):
        self.assignment, self.id = assignment, assignment.id
        self.root = assignment.course.root
        self.course = NbgraderCourse(assignment.course)
        self.capfd = capfd
        for student in STUDENTS:
            self.enter(student, verdict())

    def enter(self, student: str, graded) -> None:
        notebook = self.root / "submitted" / student / self.id / f"{self.id}.ipynb"
        notebook.parent.mkdir(parents=True, exist_ok=True)
        shutil.copy(self.assignment.release, notebook)
        one = replace(graded, student=student)
        keep(one)
        self.course.enter(
            self.assignment, [Record(one, read_submission(self.assignment, student, notebook), {})]
        )

    def page(self, student: str) -> Path:
        return self.root / "feedback" / student / self.id / f"{self.id}.html"

    def feedback(self, *words: str) -> tuple[int, str]:
        """Make pages with one process; return the status and what was said."""
        status = main(["feedback", *words, "--jobs", "1"])
        return status, "".join(self.capfd.readouterr())

    def made(self) -> set[str]:
        """Make pages; return whose were made."""
        before = {who: self.page(who).stat().st_mtime_ns for who in STUDENTS}
        assert self.feedback()[0] == 0
        return {who for who in STUDENTS if self.page(who).stat().st_mtime_ns != before[who]}

    def change(self, change) -> None:
        """Change something in the gradebook, as formgrader does."""
        with Gradebook(self.course.db_url) as gradebook:
            change(gradebook)
            gradebook.db.commit()


@pytest.fixture
def of_three(copied, monkeypatch, capfd) -> Class:
    monkeypatch.chdir(copied.course.root)
    return Class(copied, capfd)


def test_only_what_has_changed_is_made_anew(of_three):
    status, said = of_three.feedback(of_three.id)
    assert status == 0 and f"{of_three.id}: 3 pages made, 0 as they were." in said
    assert of_three.made() == set()
    id = of_three.id

    def mark(gradebook):
        gradebook.find_submission_notebook(id, id, "ben").grades[0].manual_score = 0.125

    def comment(gradebook):
        gradebook.find_submission_notebook(id, id, "cleo").comments[0].manual_comment = "Look!"

    def penalty(gradebook):
        gradebook.find_submission_notebook(id, id, "ada").late_submission_penalty = 1.0

    for change, who in ((mark, "ben"), (comment, "cleo"), (penalty, "ada")):
        of_three.change(change)
        assert of_three.made() == {who}
    of_three.enter("ada", replace(verdict(), points=1.0))
    assert of_three.made() == {"ada"}
    of_three.page("cleo").unlink()
    assert of_three.feedback()[1].count("1 page made, 2 as they were.") == 1


def test_a_page_that_cannot_be_made_is_none_and_the_others_are(of_three):
    of_three.feedback()
    graded = of_three.root / "autograded" / "ben" / of_three.id / f"{of_three.id}.ipynb"
    graded.write_text("{")
    status, said = of_three.feedback()
    assert status == 3 and "ben has no page: " in said and "2 as they were" in said
    assert not of_three.page("ben").exists() and of_three.page("ada").exists()


def test_whoever_handed_in_nothing_gets_a_page_too(of_three):
    def enroll(gradebook):
        gradebook.find_assignment(of_three.id).duedate = datetime(2026, 1, 10)
        gradebook.add_student("dan")

    of_three.change(enroll)
    assert of_three.feedback()[0] == 0
    assert "Nothing was handed in" in of_three.page("dan").read_text()


@pytest.mark.parametrize("format", ["canvas", "moodle", "ilias"])
def test_an_old_page_goes_out_with_a_sentence_and_status_3(of_three, format):
    people = [
        Person(who, who, f"{who}@uni.example", format, str(n)) for n, who in enumerate(STUDENTS)
    ]
    write_roster(roster_path(Path("submitted"), of_three.id), people)
    export = ["export", "results", "--assignment", of_three.id, "--format", format]
    of_three.feedback()
    assert main(export) == 0

    def mark(gradebook):
        book = gradebook.find_submission_notebook(of_three.id, of_three.id, "ben")
        book.grades[0].manual_score = 0.125

    of_three.change(mark)
    keep(replace(verdict(), student="cleo", points=1.0, stamp=replace(verdict().stamp, seed=77)))
    assert main(export) == 3
    said = "".join(of_three.capfd.readouterr())
    assert "The feedback pages of ben, cleo are older than their grades" in said


def test_what_is_not_graded_is_said(copied, monkeypatch, capfd):
    monkeypatch.chdir(copied.course.root)
    assert main(["feedback"]) == 2
    assert "Nothing is graded yet: `grade` first." in capfd.readouterr().err
    assert main(["feedback", "no-sheet"]) == 2
    assert "There is no assignment `no-sheet`" in capfd.readouterr().err
