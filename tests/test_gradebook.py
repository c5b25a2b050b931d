"""nbgrader's gradebook says what the verdicts say, whoever starts the grading."""

import base64
import re
import shutil
import subprocess
import sys
from dataclasses import replace
from pathlib import Path

import nbformat
import pytest
from conftest import SHORT
from nbgrader.api import Gradebook
from nbgrader.apps import NbGraderAPI
from nbgrader.converters import Autograde, GenerateFeedback

from autograder.engine.grade import Grader
from autograder.gradebook.nbgrader_course import Course, Record
from autograder.engine.course import make_course
from autograder.engine.submission import read_submission
from autograder.people import Person
from autograder.engine.sandbox import PRACTICE, Walls

PICTURE = "import matplotlib.pyplot as plt\nprint('my words')\nplt.plot([1, 2])\nplt.show()"
SCRIPT = "from IPython.display import HTML\nHTML('<script>alert(1)</script>')"


@pytest.fixture
def course(folder) -> Course:
    return Course(folder)


@pytest.fixture
def class_of_three(hand_in, solved):
    """A solution, a mistake, a release; the first with pictures of its own."""
    return {
        "s001": hand_in("s001", encoder=solved["encoder"] + "\n" + PICTURE),
        "s002": hand_in(
            "s002", attention=solved["attention"].replace("math.sqrt(query.size(-1))", "1.7")
        ),
        "s003": hand_in("s003", only=True, feed_forward=SCRIPT),
    }


@pytest.fixture
def records(assignment, walls, class_of_three):
    grader = Grader(assignment, walls, SHORT, seed=5)
    return [record(grader, student, path) for student, path in class_of_three.items()]


def record(grader: Grader, student: str, path: Path) -> Record:
    handed = read_submission(grader.assignment, student, path)
    graded = grader.grade_handed(handed)
    return Record(graded.verdict, handed.submission, graded.outputs)


def autograded(folder: Path, student: str):
    path = folder / "autograded" / student / "encoder-layer" / "encoder-layer.ipynb"
    return {cell.id: cell for cell in nbformat.read(path, as_version=4).cells}


def test_the_gradebook_holds_the_points_of_the_verdicts(course, assignment, records):
    course.enter(assignment, records)
    points = {one.verdict.student: one.verdict.points for one in records}
    assert points == {"s001": 24.0, "s002": 22.5, "s003": 0.0}
    assert {name: course.points(assignment, name) for name in points} == points
    with Gradebook(course.db_url) as gradebook:
        for one in records:
            for result in one.verdict.exercises:
                cell = f"check_{result.id}"
                grade = gradebook.find_grade(
                    cell, assignment.id, assignment.id, one.verdict.student
                )
                assert (grade.auto_score, grade.max_score) == (result.points, result.max_points)


def test_nbgraders_own_command_and_formgraders_button_give_the_same_points(
    course, folder, assignment, class_of_three
):
    course.announce(assignment)
    command = [
        Path(sys.executable).parent / "nbgrader",
        "autograde",
        assignment.id,
        "--student",
        "s002",
    ]
    done = subprocess.run(command, cwd=folder, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    config = course.config
    result = NbGraderAPI(config=config).autograde(assignment.id, "s001")
    assert result["success"], result["log"]
    assert course.points(assignment, "s001") == 24.0
    assert course.points(assignment, "s002") == 22.5


def test_a_batch_leaves_what_nbgrader_would_have_left(
    course, folder, assignment, records, class_of_three, tmp_path_factory, monkeypatch
):
    """Rows, notebook and files: the fast way in, and nbgrader's own."""
    course.enter(assignment, records)
    theirs = tmp_path_factory.mktemp("theirs")
    make_course(theirs)
    shutil.copytree(folder / "submitted", theirs / "submitted")
    other = Course(theirs)
    other.announce(assignment)
    grader = Grader(assignment, Walls(), SHORT, seed=5)
    monkeypatch.setattr("autograder.gradebook.preprocessors._grader", lambda assignment: grader)
    other.convert(Autograde, assignment)
    assert _everything(other, theirs) == _everything(course, folder)


def _everything(course: Course, folder: Path):
    with Gradebook(course.db_url) as gradebook:
        (assignment,) = gradebook.assignments
        rows = {
            submission.student.id: (
                submission.timestamp,
                submission.late_submission_penalty,
                sorted(
                    (g.name, g.auto_score, g.manual_score, g.needs_manual_grade)
                    for g in notebook.grades
                ),
                sorted((c.name, c.auto_comment) for c in notebook.comments),
            )
            for submission in assignment.submissions
            for notebook in submission.notebooks
        }
    files = {path.relative_to(folder) for path in (folder / "autograded").rglob("*")}
    pages = {
        path.parent.parent.name: nbformat.read(path, as_version=4)
        for path in folder.glob("autograded/*/*/*.ipynb")
    }
    assert len(rows) == len(pages) == 3
    return rows, files, pages


def test_points_and_comments_given_by_hand_survive_grading_again(course, assignment, records):
    course.enter(assignment, records)
    with Gradebook(course.db_url) as gradebook:
        names = ("explain_layer_norm", assignment.id, assignment.id, "s001")
        gradebook.find_grade(*names).manual_score = 1.5
        gradebook.find_comment(*names).manual_comment = "Well said."
        gradebook.db.commit()
    course.enter(assignment, records)
    with Gradebook(course.db_url) as gradebook:
        assert gradebook.find_grade(*names).manual_score == 1.5
        assert gradebook.find_comment(*names).comment == "Well said."
        assert gradebook.find_submission(assignment.id, "s001").score == 25.5


def test_what_a_student_showed_is_kept_and_what_a_browser_would_run_is_not(
    course, folder, assignment, records
):
    course.enter(assignment, records)
    text, picture = autograded(folder, "s001")["encoder"].outputs
    assert text.text == "my words\n"
    assert base64.b64decode(picture.data["image/png"]).startswith(b"\x89PNG")
    shown = autograded(folder, "s003")["feed_forward"].outputs
    assert [set(output.data) for output in shown] == [{"text/plain"}]


def test_names_of_the_platform_are_entered_and_names_given_by_hand_stay(
    course, assignment, records
):
    people = {
        "s001": Person("s001", "Ada Maria Softmax", "ada@uni.example"),
        "s002": Person("s002"),
    }
    course.enter(assignment, [replace(r, person=people.get(r.verdict.student)) for r in records])
    with Gradebook(course.db_url) as gradebook:
        ada, other = gradebook.find_student("s001"), gradebook.find_student("s002")
        assert (ada.first_name, ada.last_name, ada.email) == (
            *("Ada Maria", "Softmax"),
            "ada@uni.example",
        )
        assert (other.first_name, other.last_name) == (None, None)
        gradebook.update_or_create_student("s001", last_name="Residual")
    course.enter(assignment, [replace(r, person=people.get(r.verdict.student)) for r in records])
    with Gradebook(course.db_url) as gradebook:
        assert gradebook.find_student("s001").last_name == "Residual"


def test_a_check_cell_shows_checks_points_and_questions(course, folder, assignment, records):
    course.enter(assignment, records)
    table, points = autograded(folder, "s002")["check_attention"].outputs
    assert points.data == {"text/plain": "2.5"}
    assert "padding has no influence" in table.data["text/plain"]
    assert "which number is the score of a key divided by" in table.data["text/plain"]
    assert "which number is the score of a key divided by" in table.data["text/html"]


def test_feedback_is_a_page_without_hidden_tests(course, folder, assignment, records):
    course.enter(assignment, records)
    course.convert(GenerateFeedback, assignment)
    page = (folder / "feedback" / "s002" / assignment.id / f"{assignment.id}.html").read_text()
    words = re.sub(r"<[^>]+>", "", page)
    assert "which number is the score of a key divided by" in words
    for hidden in ("autograder.graders", "def test_values", "one_of", "BEGIN SOLUTION", "scheme"):
        assert hidden not in words


def test_practice_and_unreadable_submissions_never_enter(course, assignment, hand_in, walls):
    practice = record(Grader(assignment, Walls(PRACTICE), SHORT), "s001", hand_in("s001"))
    broken = hand_in("s002")
    broken.write_text("{")
    unreadable = record(Grader(assignment, walls), "s002", broken)
    assert (practice.verdict.stamp["sandbox"], unreadable.verdict.state) == (
        "practice",
        "unreadable",
    )
    course.enter(assignment, [practice, unreadable])
    assert not Path(course.db_url.removeprefix("sqlite:///")).exists()
