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
from nbgrader.api import Gradebook
from nbgrader.apps import NbGraderAPI
from nbgrader.converters import Autograde, GenerateFeedback
from submissions import SHORT, edit, exercise, full_marks, marked_by_hand

from autograder.engine.assignment import CHECK
from autograder.engine.course import make_course, read_course
from autograder.engine.grade import Grader
from autograder.engine.process import PRACTICE
from autograder.engine.sandbox import Walls
from autograder.engine.submission import read_submission
from autograder.gradebook.nbgrader_course import NbgraderCourse, Record
from autograder.people import Person

pytestmark = [pytest.mark.walls, pytest.mark.database]

PICTURE = "import matplotlib.pyplot as plt\nprint('my words')\nplt.plot([1, 2])\nplt.show()"
SCRIPT = "from IPython.display import HTML\nHTML('<script>alert(1)</script>')"


@pytest.fixture
def gradebook(folder) -> NbgraderCourse:
    return NbgraderCourse(read_course(folder))


@pytest.fixture
def class_of_three(hand_in, solved, unscaled, assignment):
    """A solution, a mistake, a release; the first with pictures of its own."""
    first, last = assignment.exercises[0].id, assignment.exercises[-1].id
    return {
        "s001": hand_in("s001", **{last: solved[last] + "\n" + PICTURE}),
        "s002": hand_in("s002", **{unscaled.exercise: unscaled.make(solved[unscaled.exercise])}),
        "s003": hand_in("s003", only=True, **{first: SCRIPT}),
    }


@pytest.fixture
def records(assignment, walls, class_of_three):
    grader = Grader(assignment, walls, SHORT, seed=5)
    return [record(grader, student, path) for student, path in class_of_three.items()]


def record(grader: Grader, student: str, path: Path) -> Record:
    submission = read_submission(grader.assignment, student, path)
    graded = grader.grade_submission(submission)
    return Record(graded.verdict, submission, graded.outputs)


@pytest.fixture
def question(records, unscaled) -> str:
    """What a tutor asks where the mistake of s002 was noticed."""
    result = exercise(records[1].verdict, unscaled.exercise)
    return next(check.message for check in result.checks if not check.passed)


def autograded(folder: Path, assignment, student: str):
    path = folder / "autograded" / student / assignment.id / f"{assignment.id}.ipynb"
    return {cell.id: cell for cell in nbformat.read(path, as_version=4).cells}


def test_the_gradebook_holds_the_points_of_the_verdicts(gradebook, assignment, records):
    gradebook.enter(assignment, records)
    points = {one.verdict.student: one.verdict.points for one in records}
    assert points["s001"] == full_marks(assignment) > points["s002"] > points["s003"] == 0.0
    assert {name: gradebook.points(assignment, name) for name in points} == points
    with Gradebook(gradebook.db_url) as rows:
        for one in records:
            for result in one.verdict.exercises:
                cell = CHECK + result.id
                grade = rows.find_grade(cell, assignment.id, assignment.id, one.verdict.student)
                assert (grade.auto_score, grade.max_score) == (result.points, result.max_points)


def test_nbgraders_own_command_and_formgraders_button_give_the_same_points(
    gradebook, folder, assignment, records
):
    gradebook.register(assignment)
    program = Path(sys.executable).parent / "nbgrader"
    command = [program, "autograde", assignment.id, "--student", "s002"]
    done = subprocess.run(command, cwd=folder, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    result = NbGraderAPI(config=gradebook.config).autograde(assignment.id, "s001")
    assert result["success"], result["log"]
    for one in records[:2]:
        verdict = one.verdict
        assert gradebook.points(assignment, verdict.student) == verdict.points


def test_a_batch_leaves_what_nbgrader_would_have_left(
    gradebook, folder, assignment, records, tmp_path_factory, monkeypatch
):
    """Rows, notebook and files: the fast way in, and nbgrader's own."""
    gradebook.enter(assignment, records)
    theirs = tmp_path_factory.mktemp("theirs")
    other = _graded_by_nbgrader(theirs, folder, assignment, monkeypatch)
    rows, files, notebooks = _everything(gradebook, folder)
    assert len(rows) == len(notebooks) == 3
    assert _everything(other, theirs) == (rows, files, notebooks)


def test_what_was_repaired_is_shown_by_both_ways_into_the_gradebook(
    gradebook, folder, assignment, hand_in, walls, tmp_path_factory, monkeypatch
):
    lost, missing, *_ = (one.id for one in assignment.exercises)

    def damage(content):
        content["cells"] = [cell for cell in content["cells"] if cell["id"] != missing]
        (cell,) = (cell for cell in content["cells"] if cell["id"] == lost)
        cell.update(id="another", metadata={})

    grader = Grader(assignment, walls, SHORT, seed=5)
    damaged = record(grader, "s001", edit(hand_in("s001"), damage))
    assert len(damaged.verdict.repairs) == 2
    gradebook.enter(assignment, [damaged])
    cells = autograded(folder, assignment, "s001")
    for name, words in ((lost, "had lost its id"), (missing, "is missing from the notebook")):
        for kind in ("text/plain", "text/html"):
            page = cells[CHECK + name].outputs[0].data[kind]
            assert words in page and page.count("The cell ") == 1
    theirs = tmp_path_factory.mktemp("theirs")
    other = _graded_by_nbgrader(theirs, folder, assignment, monkeypatch)
    assert _everything(other, theirs) == _everything(gradebook, folder)
    other.convert(GenerateFeedback, assignment)
    page = theirs / "feedback" / "s001" / assignment.id / f"{assignment.id}.html"
    words = re.sub(r"<[^>]+>", "", page.read_text())
    assert f"The cell {missing} is missing from the notebook." in words


def _graded_by_nbgrader(theirs: Path, folder: Path, assignment, monkeypatch) -> NbgraderCourse:
    """Another course with the same submissions, graded by nbgrader's own converter."""
    shutil.copytree(folder / "submitted", theirs / "submitted")
    other = NbgraderCourse(make_course(theirs, assignment.course))
    other.register(assignment)
    grader = Grader(assignment, Walls(), SHORT, seed=5)
    monkeypatch.setattr("autograder.gradebook.preprocessors._grader", lambda assignment: grader)
    other.convert(Autograde, assignment)
    return other


def _everything(gradebook: NbgraderCourse, folder: Path):
    with Gradebook(gradebook.db_url) as database:
        (assignment,) = database.assignments
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
    notebooks = {
        path.parent.parent.name: nbformat.read(path, as_version=4)
        for path in folder.glob("autograded/*/*/*.ipynb")
    }
    assert rows and rows.keys() == notebooks.keys()
    return rows, files, notebooks


def test_points_and_comments_given_by_hand_survive_grading_again(gradebook, assignment, records):
    gradebook.enter(assignment, records)
    with Gradebook(gradebook.db_url) as rows:
        names = (marked_by_hand(assignment), assignment.id, assignment.id, "s001")
        rows.find_grade(*names).manual_score = 1.5
        rows.find_comment(*names).manual_comment = "Well said."
        rows.db.commit()
    gradebook.enter(assignment, records)
    with Gradebook(gradebook.db_url) as rows:
        assert rows.find_grade(*names).manual_score == 1.5
        assert rows.find_comment(*names).comment == "Well said."
        assert rows.find_submission(assignment.id, "s001").score == full_marks(assignment) + 1.5


def test_what_a_student_showed_is_kept_and_what_a_browser_would_run_is_not(
    gradebook, folder, assignment, records
):
    first, last = assignment.exercises[0].id, assignment.exercises[-1].id
    gradebook.enter(assignment, records)
    text, picture = autograded(folder, assignment, "s001")[last].outputs
    assert text.text == "my words\n"
    assert base64.b64decode(picture.data["image/png"]).startswith(b"\x89PNG")
    shown = autograded(folder, assignment, "s003")[first].outputs
    assert [set(output.data) for output in shown] == [{"text/plain"}]


def test_names_of_the_platform_are_entered_and_names_given_by_hand_stay(
    gradebook, assignment, records
):
    people = {
        "s001": Person("s001", "Ada Maria Softmax", "ada@uni.example"),
        "s002": Person("s002"),
    }
    named = [replace(one, person=people.get(one.verdict.student)) for one in records]
    gradebook.enter(assignment, named)
    with Gradebook(gradebook.db_url) as rows:
        ada, other = rows.find_student("s001"), rows.find_student("s002")
        assert (ada.first_name, ada.last_name) == ("Ada Maria", "Softmax")
        assert ada.email == "ada@uni.example"
        assert (other.first_name, other.last_name) == (None, None)
        rows.update_or_create_student("s001", last_name="Residual")
    gradebook.enter(assignment, named)
    with Gradebook(gradebook.db_url) as rows:
        assert rows.find_student("s001").last_name == "Residual"


def test_a_check_cell_shows_checks_points_and_questions(
    gradebook, folder, assignment, records, unscaled, question
):
    gradebook.enter(assignment, records)
    result = exercise(records[1].verdict, unscaled.exercise)
    table, points = autograded(folder, assignment, "s002")[CHECK + unscaled.exercise].outputs
    assert points.data == {"text/plain": repr(result.points)}
    passed = next(check for check in result.checks if check.passed)
    assert passed.sentence in table.data["text/plain"]
    assert question in table.data["text/plain"]
    assert question in table.data["text/html"]


def test_feedback_is_a_page_without_hidden_tests(gradebook, folder, assignment, records, question):
    gradebook.enter(assignment, records)
    gradebook.convert(GenerateFeedback, assignment)
    page = (folder / "feedback" / "s002" / assignment.id / f"{assignment.id}.html").read_text()
    words = re.sub(r"<[^>]+>", "", page)
    assert question in words
    for hidden in ("autograder.graders", "def test_values", "one_of", "BEGIN SOLUTION", "scheme"):
        assert hidden not in words


def test_practice_and_unreadable_submissions_never_enter(gradebook, assignment, hand_in, walls):
    practice = record(Grader(assignment, Walls(PRACTICE), SHORT), "s001", hand_in("s001"))
    broken = hand_in("s002")
    broken.write_text("{")
    unreadable = record(Grader(assignment, walls), "s002", broken)
    states = practice.verdict.stamp.sandbox, unreadable.verdict.state
    assert states == ("practice", "unreadable")
    gradebook.enter(assignment, [practice, unreadable])
    assert not Path(gradebook.db_url.removeprefix("sqlite:///")).exists()
