"""`feedback`: each page is made where what it shows has changed, and nowhere else."""

import shutil
from datetime import datetime
from pathlib import Path

import pytest
from converters import convert
from exports import keep
from feedback_pages import verdict
from msgspec.structs import replace
from nbgrader.api import Gradebook
from nbgrader.converters import GenerateFeedback
from recorded import plant_people
from typed_commands import typed

from autograder.classroom.roster import Person
from autograder.engine.notebooks import read_submission
from autograder.gradebook.sync.nbgrader_course import NbgraderCourse, Record

pytestmark = [pytest.mark.database, pytest.mark.slow]

STUDENTS = "ada", "ben", "cleo"
PLATFORMS = "canvas", "moodle", "ilias"


class Class:
    """Three graded students in a course, and their pages."""

    def __init__(self, assignment):
        self.assignment, self.id = assignment, assignment.id
        self.course = NbgraderCourse(assignment.course)
        for student in STUDENTS:
            self.enter(student, verdict())

    def enter(self, student: str, graded) -> None:
        notebook = Path("submitted", student, self.id, f"{self.id}.ipynb").absolute()
        notebook.parent.mkdir(parents=True, exist_ok=True)
        shutil.copy(self.assignment.release, notebook)
        one = replace(graded, student=student)
        keep(one)
        submission = read_submission(self.assignment, student, notebook)
        self.course.enter(self.assignment, [Record(one, submission, {})])

    def page(self, student: str) -> Path:
        return Path("feedback", student, self.id, f"{self.id}.html")

    def made(self) -> set[str]:
        """Make pages; return whose were made."""
        before = {who: self.page(who).stat().st_mtime_ns for who in STUDENTS}
        assert typed("feedback", "--jobs", "1")[0] == 0
        return {who for who in STUDENTS if self.page(who).stat().st_mtime_ns != before[who]}

    def change(self, student: str, **fields) -> None:
        """Change a student's first grade or comment, or what being late costs, as formgrader does."""
        with Gradebook(self.course.db_url) as gradebook:
            book = gradebook.find_submission_notebook(self.id, self.id, student)
            for name, value in fields.items():
                place = {"manual_score": book.grades, "manual_comment": book.comments}
                setattr(place.get(name, [book])[0], name, value)
            gradebook.db.commit()


@pytest.fixture
def of_three(copied, monkeypatch) -> Class:
    """The class, which has pages."""
    monkeypatch.chdir(copied.course.root)
    made = Class(copied)
    status, said = typed("feedback", copied.id, "--jobs", "1")
    assert status == 0 and f"{copied.id}: 3 pages made, 0 as they were." in said
    return made


def test_only_what_has_changed_is_made_anew(of_three):
    assert of_three.made() == set()
    of_three.change("ben", manual_score=0.125)
    assert of_three.made() == {"ben"}
    of_three.change("cleo", manual_comment="Look!")
    of_three.change("ada", late_submission_penalty=1.0)
    assert of_three.made() == {"ada", "cleo"}
    of_three.enter("ada", replace(verdict(), points=1.0))
    assert of_three.made() == {"ada"}
    of_three.page("cleo").unlink()
    assert typed("feedback", "--jobs", "1")[1].count("1 page made, 2 as they were.") == 1


def test_what_is_still_to_be_marked_is_said_as_export_says_it(of_three):
    open_ones = "Still to be marked by hand: 1 written exercise of 1 student (ben). "
    assert "Still to be marked" not in typed("feedback", "--jobs", "1")[1]
    with Gradebook(of_three.course.db_url) as gradebook:
        book = gradebook.find_submission_notebook(of_three.id, of_three.id, "ben")
        book.grades[0].needs_manual_grade = True
        gradebook.db.commit()
    status, said = typed("feedback", "--jobs", "1")
    assert status == 0 and f"{open_ones}Make pages again when they are." in said
    assert f"{open_ones}Export again" in typed("export", "--format", "csv")[1]


def test_a_page_that_cannot_be_made_is_none_and_the_others_are(of_three):
    with Gradebook(of_three.course.db_url) as gradebook:
        gradebook.find_assignment(of_three.id).duedate = datetime(2026, 1, 10)
        gradebook.add_student("dan")
    Path("autograded", "ben", of_three.id, f"{of_three.id}.ipynb").write_text("{")
    status, said = typed("feedback", "--jobs", "1")
    assert status == 3 and "ben has no page: " in said
    assert not of_three.page("ben").exists() and of_three.page("ada").exists()
    assert "Nothing was handed in" in of_three.page("dan").read_text()


def test_a_page_shows_the_grade_and_not_a_practice_verdict_since_then(of_three):
    practice = replace(verdict().stamp, sandbox="practice")
    before = of_three.page("ben").read_text()
    keep(replace(verdict(), student="ben", points=1.0, stamp=practice))
    keep(replace(verdict(), student="dan", stamp=practice))
    status, printed = typed("feedback", "--jobs", "1")
    assert status == 0 and "0 pages made, 3 as they were." in printed
    assert f"{of_three.id}: 1 page marked as practice" in printed
    assert "ben: the page shows the grade, not the practice verdict since then." in printed
    assert of_three.page("ben").read_text() == before
    assert "Practice: " in of_three.page("dan").read_text()
    assert "0  pages missing or older than grades" in typed("status", of_three.id)[1]


def test_a_page_of_practice_gives_way_to_one_with_a_grade(of_three):
    practice = replace(verdict().stamp, sandbox="practice")
    keep(replace(verdict(), student="dan", stamp=practice))
    assert typed("feedback", "--jobs", "1")[0] == 0
    of_three.enter("dan", verdict())
    assert "1 page made, 3 as they were." in typed("feedback", "--jobs", "1")[1]
    assert "Practice: " not in of_three.page("dan").read_text()


def test_nbgraders_own_command_makes_the_same_pages(of_three):
    before = {who: of_three.page(who).stat().st_mtime_ns for who in STUDENTS}
    of_three.change("ben", manual_score=0.125)
    graded = Path("autograded", "cleo", of_three.id, f"{of_three.id}.ipynb")
    graded.write_text("{")
    error, log = convert(GenerateFeedback, of_three.course, of_three.assignment, force=False)
    assert error.startswith("'cleo': ") and log.count("There was an error processing") == 1
    assert not of_three.page("cleo").exists()
    assert of_three.page("ben").stat().st_mtime_ns != before["ben"]
    assert of_three.page("ada").stat().st_mtime_ns == before["ada"]
    graded.unlink()
    assert typed("feedback", "--jobs", "1")[1].count("0 pages made, 2 as they were.") == 1
    convert(GenerateFeedback, of_three.course, of_three.assignment, "ada")
    assert of_three.page("ada").stat().st_mtime_ns != before["ada"]


def test_old_pages_go_out_with_a_sentence_and_status_3(of_three):
    export = ["export", "results", "--assignment", of_three.id, "--format"]
    for format in PLATFORMS:
        enroll_all(of_three.id, format)
        assert typed(*export, format)[0] == 0
    of_three.change("ben", manual_score=0.125)
    keep(replace(verdict(), student="cleo", points=1.0, stamp=replace(verdict().stamp, seed=77)))
    for format in PLATFORMS:
        enroll_all(of_three.id, format)
        status, said = typed(*export, format)
        assert "The feedback pages of ben, cleo are older than their grades" in said
        assert status == 3


def enroll_all(assignment: str, platform: str) -> None:
    people = [
        Person(who, who, f"{who}@uni.example", platform, str(n)) for n, who in enumerate(STUDENTS)
    ]
    plant_people(Path("submitted"), assignment, people)
