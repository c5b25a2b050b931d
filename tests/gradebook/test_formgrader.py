"""nbgrader's formgrader works with our course: in a real browser, as an instructor uses it."""

import subprocess
import sys
from pathlib import Path

import pytest
from nbgrader.api import Gradebook
from playwright.sync_api import Locator, Page, expect
from servers import BROWSER_IS_THERE, Server
from submissions import exercise, full_marks, marked_by_hand

from autograder import Assignment, ExerciseResult, Verdict
from autograder.authoring.sample_class import SampleSubmission, write_submission
from autograder.engine.courses import CHECK, make_course
from autograder.engine.grading import Grader
from autograder.mistakes.exercises import diagnose_exercises

OWN_EXCHANGE = "\nc.Exchange.root = {exchange!r}\n"  # else nbgrader looks for the machine's
COMMENT = "Which of the two matrices makes it wide?"

pytestmark = [
    pytest.mark.browser,
    pytest.mark.walls,
    BROWSER_IS_THERE,
]


@pytest.fixture(scope="module")
def folder(course, assignment, solved, unscaled, tmp_path_factory) -> Path:
    """A course of its own: a solution, a mistake, and a file that is damaged."""
    folder = tmp_path_factory.mktemp("course")
    make_course(folder, course, OWN_EXCHANGE.format(exchange=str(folder / "exchange")))
    mistaken = solved | {unscaled.exercise: unscaled.cells[0]}
    submissions = {
        "ada-mask": SampleSubmission(mistaken, ""),
        "ben-token": SampleSubmission(solved, ""),
        "cleo-relu": SampleSubmission(solved, "", damaged=True),
    }
    for student, submission in submissions.items():
        write_submission(assignment, folder / "submitted" / student / assignment.id, submission)
    return folder


@pytest.fixture(scope="module")
def verdict(assignment, walls, folder) -> Verdict:
    """The verdict on the mistake."""
    notebook = folder / "submitted" / "ada-mask" / assignment.id / f"{assignment.id}.ipynb"
    return Grader(assignment, walls, explain=diagnose_exercises).grade("ada-mask", notebook).verdict


def row(page: Page, name: str) -> Locator:
    return page.locator("#main-table tr", has_text=name)


def dismissed(page: Page) -> str:
    """Wait for a dialog and close it; return what it said."""
    dialog = page.get_by_role("dialog")
    expect(dialog).to_be_visible()
    said = dialog.inner_text()
    dialog.get_by_role("button", name="OK").click()
    expect(dialog).to_have_count(0)
    return said


def test_an_instructor_grades_and_marks_and_sees_the_total(
    page, server, folder, assignment, verdict, unscaled, picture
):
    id, by_hand = assignment.id, marked_by_hand(assignment)
    whole = sum(cell.points for cell in assignment.cells)
    automatic, marked = verdict.points, verdict.points + 1
    shown, shown_marked = f"{automatic:g} / {whole:g}", f"{marked:g} / {whole:g}"
    page.goto(f"{server.address}/formgrader/")
    expect(row(page, id)).to_contain_text("3")
    picture("1-assignments")
    row(page, id).locator(".assign a").click()
    assert "Successfully created the student version" in dismissed(page)

    row(page, id).get_by_role("link", name="3", exact=True).click()
    expect(page.locator("#main-table .label", has_text="needs autograding")).to_have_count(3)
    picture("2-submissions-before")
    row(page, "ada-mask").locator(".autograde a").click()
    assert "Successfully autograded" in dismissed(page)
    expect(row(page, "ada-mask")).to_contain_text(shown)
    expect(row(page, "ada-mask")).to_contain_text("needs manual grading")
    row(page, "cleo-relu").locator(".autograde a").click()
    said = dismissed(page)
    assert "JSON" in said
    expect(row(page, "cleo-relu")).to_contain_text("needs autograding")
    picture("3-submissions-autograded")

    marking = _page_of(page, server, verdict, exercise(verdict, unscaled.exercise))
    picture("4-page-before")
    check = page.locator(".cell", has=page.locator(f"#{CHECK}{unscaled.exercise}"))
    expect(check.get_by_text(unscaled.sentence)).to_be_visible()
    picture("5-check-cell", check)
    written = page.locator(".nbgrader_cell", has=page.locator(f"#{by_hand}"))
    with page.expect_response(lambda answer: "/api/grade/" in answer.url and answer.ok):
        written.locator(".score").fill("1")
        written.locator(".score").blur()
    with page.expect_response(lambda answer: "/api/comment/" in answer.url and answer.ok):
        written.locator(".comment").fill(COMMENT)
        written.locator(".comment").blur()
    picture("6-marked", written)

    page.goto(f"{server.address}/formgrader/manage_submissions/{id}")
    expect(row(page, "ada-mask")).to_contain_text(shown_marked)
    picture("7-submissions-marked")
    assert _entered(folder, assignment) == (marked, automatic, 1.0, COMMENT)

    words = [sys.executable, "-m", "autograder", "grade", "submitted", "--assignment", id]
    done = subprocess.run([*words, "--regrade"], cwd=folder, capture_output=True, text=True)
    assert done.returncode == 0, done.stdout + done.stderr
    page.reload()
    expect(row(page, "ben-token")).to_contain_text(f"{full_marks(assignment):g} / {whole:g}")
    expect(row(page, "ada-mask")).to_contain_text(shown_marked)
    picture("8-submissions-regraded")
    page.goto(marking)
    expect(written.locator(".score")).to_have_value("1")
    expect(written.locator(".comment")).to_have_value(COMMENT)
    picture("9-page-after")
    assert _entered(folder, assignment) == (marked, automatic, 1.0, COMMENT)


def _page_of(page: Page, server: Server, verdict: Verdict, result: ExerciseResult) -> str:
    """Open the page where a student's submission is marked; return its address."""
    id = verdict.assignment
    page.goto(f"{server.address}/formgrader/gradebook/{id}/{id}")
    expect(page.get_by_role("link", name="Submission #1")).to_be_visible()
    page.get_by_role("button", name="Show All Names").click()
    page.get_by_role("link", name=verdict.student).click()
    points = page.locator(f"#{CHECK}{result.id}")
    expect(points).to_have_attribute("placeholder", f"{result.points:g}")
    return page.url


def _entered(folder: Path, assignment: Assignment) -> tuple[float, float, float, str]:
    """What the gradebook says of ada-mask: all points, automatic ones, those by hand, the comment."""
    place = (assignment.id, assignment.id, "ada-mask")
    by_hand = marked_by_hand(assignment)
    with Gradebook(f"sqlite:///{folder}/gradebook.db") as gradebook:
        submission = gradebook.find_submission(assignment.id, "ada-mask")
        mark = gradebook.find_grade(by_hand, *place).manual_score
        comment = gradebook.find_comment(by_hand, *place).comment
        return submission.score, submission.code_score, mark, comment


@pytest.mark.long
def test_jupyterlab_opens_formgrader_from_its_menu(page, server, assignment, picture):
    page.goto(f"{server.address}/lab")
    page.get_by_role("menuitem", name="Nbgrader").click()
    page.get_by_role("menuitem", name="Formgrader").first.click()
    assignments = page.frame_locator("iframe").locator("#main-table tr", has_text=assignment.id)
    expect(assignments).to_be_visible()
    picture("0-jupyterlab")
