"""The marking scheme stands beside the answer in formgrader, and on no page of a student."""

import shutil
from pathlib import Path

import pytest
from nbgrader.api import Gradebook
from nbgrader.converters import GenerateFeedback
from nbgrader.server_extensions.formgrader.formgrader import FormgradeExtension
from playwright.sync_api import expect
from servers import BROWSER_IS_THERE, wait_for_formgrader
from written_answers import WRITTEN, Book, change_source

from autograder import find_assignment
from autograder.desk.marking.answers import read_answers
from autograder.engine.courses import CONFIG, read_config, read_course
from autograder.gradebook.pages.marking import exporter_for_staff

pytestmark = pytest.mark.database
SCHEME = "One point for the root, one for the scale."
REGION = "### BEGIN SOLUTION\n{}\n### END SOLUTION"
FIRST, SECOND = "The first one, <b>bold</b> <script>canary()</script>.", "The second one."


@pytest.fixture(scope="module")
def book(small, tmp_path_factory) -> Book:
    """A gradebook in which ada has written something else since she was marked."""
    folder = tmp_path_factory.mktemp("class") / "course"
    shutil.copytree(small.course.root, folder, ignore=shutil.ignore_patterns("__pycache__"))
    exchange = str(folder / "exchange")
    with (folder / CONFIG).open("a") as config:
        config.write(f"\nc.Exchange.root = {exchange!r}\n")
    assignment = find_assignment(small.id, read_course(folder))
    example = "\n\n**Example answer** (1.5 points)\n\nInvented."
    change_source(assignment, WRITTEN, REGION.format(SCHEME + example))
    book = Book(assignment)
    book.enter(ada=FIRST, ben="Mine.")
    book.mark("ada", 1.5)
    book.enter(ada=SECOND)
    return book


@pytest.fixture(scope="module")
def folder(book) -> Path:
    """The folder of the course, for the server."""
    return book.assignment.course.root


def page_of(book: Book, student: str) -> str:
    """Formgrader's page, made without a server."""
    config = FormgradeExtension().build_extra_config()
    config.merge(read_config(book.assignment.course.root))
    id = book.assignment.id
    notebook = book.course._autograded(id, student) / f"{id}.ipynb"
    resources = {"assignment_id": id, "base_url": "", "index": 0, "total": 1}
    resources["submission_id"] = book.notebook_id(student)
    with Gradebook(book.url) as rows:
        page, _ = exporter_for_staff(rows.db, config).from_filename(str(notebook), resources)
    return page


def test_scheme_and_earlier_answer_stand_with_the_cell_that_they_are_about(book):
    page = page_of(book, "ada")
    comment, scheme = page.index(f'id="{WRITTEN}-comment"'), page.index(SCHEME)
    assert page.index(SECOND) < comment < page.index("1.5 of 2 points were given") < scheme
    assert "The first one, <b>bold</b> ." in page and "canary" not in page
    other = page_of(book, "ben")
    assert SCHEME in other and "Changed since" not in other and "The first one" not in other
    assert "Invented." not in page + other and "xample answer" not in page + other


def test_what_a_student_gets_has_neither(book, folder):
    book.course.convert(GenerateFeedback, book.assignment)
    for student, answer in (("ada", SECOND), ("ben", "Mine.")):
        page = folder / "feedback" / student / book.assignment.id / f"{book.assignment.id}.html"
        text = page.read_text()
        assert answer in text
        assert SCHEME not in text and "The first one" not in text and "arking scheme" not in text
        assert "Invented." not in text
    for file in folder.rglob("autograded/**/*"):
        assert not file.is_file() or SCHEME not in file.read_text()


@pytest.mark.browser
@BROWSER_IS_THERE
def test_a_tutor_reads_the_scheme_and_the_earlier_mark_beside_the_answer_and_marks_it(
    page, server, book, picture
):
    page.goto(f"{server.address}/formgrader/submissions/{book.notebook_id('ada')}/")
    wait_for_formgrader(page)
    cell = page.locator(".nbgrader_cell", has=page.locator(f"#{WRITTEN}"))
    answer, scheme = cell.get_by_text(SECOND).bounding_box(), cell.get_by_text(SCHEME)
    beside = scheme.bounding_box()
    assert beside["x"] > answer["x"] + answer["width"] and beside["y"] < answer["y"] + 200
    picture("marking-beside", cell)
    expect(cell.get_by_text("The first one")).to_be_hidden()
    cell.locator("summary", has_text="The text that was marked").click()
    expect(cell.get_by_text("The first one")).to_be_visible()
    assert book.given("ada")[0] is None
    with page.expect_response(lambda got: "/api/grade/" in got.url and got.ok):
        cell.locator(f"input#{WRITTEN}").fill("1.5")
        cell.locator(f"input#{WRITTEN}").press("Tab")
    assert not book.waits("ada") and book.given("ada")[0] == 1.5
    page.reload()
    expect(cell.get_by_text(SCHEME)).to_be_visible()
    expect(cell.get_by_text("Changed since it was marked.")).to_have_count(0)
    page.set_viewport_size({"width": 700, "height": 900})
    assert scheme.bounding_box()["y"] > cell.get_by_text(SECOND).bounding_box()["y"]
    picture("marking-below", cell)


@pytest.mark.browser
@BROWSER_IS_THERE
def test_a_comment_without_points_is_read_beside_the_text_that_replaced_its_own(page, server, book):
    book.enter(cleo="Some root.")
    book.mark("cleo", None, comment="Which root?")
    book.enter(cleo="The square root.")
    assert book.given("cleo")[2] == "" and book.waits("cleo")
    page.goto(f"{server.address}/formgrader/submissions/{book.notebook_id('cleo')}/")
    wait_for_formgrader(page)
    cell = page.locator(".nbgrader_cell", has=page.locator(f"#{WRITTEN}"))
    expect(cell.get_by_text("Of the earlier answer, a tutor wrote:")).to_be_visible()
    expect(cell.get_by_text("Which root?")).to_be_visible()
    with Gradebook(book.url) as gradebook:
        gradebook.remove_student("cleo")


@pytest.mark.browser
@BROWSER_IS_THERE
def test_a_tutors_link_leads_to_the_field_for_the_points(page, server, book, folder):
    sheet, address = book.assignment, f"{server.address}/formgrader"
    answers, _ = read_answers(book.url, sheet.course, sheet.id, address)
    assert [one.student for one in answers] == ["ada", "ben"]
    for answer in answers:
        page.goto(answer.address)
        expect(page.locator(f"input#{WRITTEN}")).to_be_focused()
