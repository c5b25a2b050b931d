"""A page of feedback as a student reads it, in Chromium: on a phone, by its links, offline."""

import pytest
from feedback_pages import CUT_OFF, OPEN, STAMP, feedback_page, notebook, result, verdict
from msgspec.structs import replace
from playwright.sync_api import expect
from servers import BROWSER_IS_THERE

from autograder import assignments, find_assignment
from autograder.classroom.roster import Person
from autograder.gradebook.grades import Grade
from autograder.gradebook.pages.no_grade import missing_page, unreadable_page
from autograder.gradebook.pages.of_grade import own_page

pytestmark = [pytest.mark.browser, BROWSER_IS_THERE]
LONG = "x = " + " + ".join(["a_rather_long_name_of_a_variable"] * 20)
WIDE = f"| {'|'.join('abcdefghijkl')} |\n|{'---|' * 12}\n| {'|'.join(['width'] * 12)} |"


@pytest.fixture(scope="module")
def folder(small, tmp_path_factory):
    """Pages: with everything, of practice, unreadable, nothing handed in."""
    folder = tmp_path_factory.mktemp("pages")
    graded = notebook(small, verdict(), rms_norm=LONG, explain=WIDE)
    practice = replace(verdict(), stamp=replace(STAMP, sandbox="practice"))
    pages = {
        "graded": feedback_page(small, graded),
        "practice": own_page(Grade(Person("ada"), practice)),
        "unreadable": unreadable_page(small.id, "ada", "`small-sheet.ipynb` is no notebook."),
        "missing": missing_page(small.id, "x" * 64, "2026-11-10 18:00 UTC"),
    }
    for name, html in pages.items():
        (folder / f"{name}.html").write_text(html)
    return folder


@pytest.mark.parametrize("name", ["graded", "practice", "unreadable", "missing"])
def test_a_page_fits_a_phone_and_asks_for_nothing(page, folder, picture, name):
    asked = []
    page.on("request", lambda request: asked.append(request.url))
    page.set_viewport_size({"width": 390, "height": 844})
    page.goto((folder / f"{name}.html").as_uri())
    picture(f"feedback-{name}-390")
    page.evaluate(OPEN)
    assert page.evaluate("document.documentElement.scrollWidth") == 390
    assert page.evaluate(CUT_OFF) == []
    assert [address for address in asked if not address.startswith("data:")] == [page.url]


def test_the_summary_leads_to_each_exercise_and_back(page, folder):
    page.goto((folder / "graded.html").as_uri())
    links = page.locator(".overview a")
    expect(links).to_have_count(4)
    for link in links.all():
        link.click()
        section = page.locator(link.get_attribute("href"))
        expect(section).to_be_in_viewport()
        if section.locator("summary").count():
            section.locator("summary").click()
        section.get_by_text("To the summary").click()
        expect(page.locator("h1").first).to_be_in_viewport()


def test_on_paper_there_are_no_links_and_the_rest_only_where_it_was_opened(page, folder):
    page.goto((folder / "graded.html").as_uri())
    page.emulate_media(media="print", color_scheme="dark")
    expect(page.locator("body")).to_have_css("background-color", "rgb(255, 255, 255)")
    expect(page.locator(".back").first).to_be_hidden()
    expect(page.locator(".rest > summary")).to_be_hidden()
    expect(page.locator(".exercise .checks").first).to_be_visible()
    page.evaluate(OPEN)
    expect(page.locator(".rest > summary")).to_be_visible()


def test_what_a_search_finds_in_the_rest_is_unfolded(page, folder):
    page.goto((folder / "graded.html").as_uri())
    text = page.locator(".rest .highlight", has_text="import torch")
    expect(text).to_be_hidden()
    page.goto((folder / "graded.html").as_uri() + "#:~:text=import%20torch")
    expect(text).to_be_visible()


def test_what_a_student_wrote_is_less_than_half_of_the_notebook(page, course, tmp_path):
    for id in assignments(course):
        one = find_assignment(id, course)
        graded = verdict(*(result(e.id, e.points, e.points) for e in one.exercises))
        (tmp_path / f"{id}.html").write_text(feedback_page(one, notebook(one, graded)))
        page.set_viewport_size({"width": 1280, "height": 900})
        page.goto((tmp_path / f"{id}.html").as_uri())
        folded = page.evaluate("document.documentElement.scrollHeight")
        page.evaluate("document.querySelector('.rest').open = true")
        assert 2 * folded < page.evaluate("document.documentElement.scrollHeight")
