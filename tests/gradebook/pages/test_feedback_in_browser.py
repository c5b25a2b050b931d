"""A page of feedback as a student reads it, in Chromium: on a phone, by its links, offline."""

import pytest
from feedback_pages import feedback_page, notebook, verdict
from playwright.sync_api import expect
from servers import BROWSER_IS_THERE

from autograder.gradebook.pages.no_grade import missing_page, unreadable_page

pytestmark = [pytest.mark.browser, BROWSER_IS_THERE]
LONG = "x = " + " + ".join(["a_rather_long_name_of_a_variable"] * 20)
WIDE = f"| {'|'.join('abcdefghijkl')} |\n|{'---|' * 12}\n| {'|'.join(['width'] * 12)} |"
CUT_OFF = """() => [...document.querySelectorAll("body *")]
  .filter(one => !one.closest(".written.markdown, math, details:not([open])"))  // may be scrolled
  .filter(one => one.getBoundingClientRect().right > innerWidth + 1)
  .map(one => one.outerHTML.slice(0, 200))"""


@pytest.fixture(scope="module")
def folder(small, tmp_path_factory):
    """Pages: with everything, unreadable, nothing handed in."""
    folder = tmp_path_factory.mktemp("pages")
    graded = notebook(small, verdict(), rms_norm=LONG, explain=WIDE)
    pages = {
        "graded": feedback_page(small, graded),
        "unreadable": unreadable_page(small.id, "ada", "`small-sheet.ipynb` is no notebook."),
        "missing": missing_page(small.id, "x" * 64, "2026-11-10 18:00 UTC"),
    }
    for name, html in pages.items():
        (folder / f"{name}.html").write_text(html)
    return folder


@pytest.mark.parametrize("name", ["graded", "unreadable", "missing"])
def test_a_page_fits_a_phone_and_asks_for_nothing(page, folder, picture, name):
    page.goto("about:blank")  # what JupyterLab loads is none of ours
    asked = []
    page.on("request", lambda request: asked.append(request.url))
    page.set_viewport_size({"width": 390, "height": 844})
    page.goto((folder / f"{name}.html").as_uri())
    picture(f"feedback-{name}-390")
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
        section.get_by_text("To the summary").click()
        expect(page.locator("h1").first).to_be_in_viewport()


def test_on_paper_there_are_no_links_and_no_code_that_came_along(page, folder):
    page.goto((folder / "graded.html").as_uri())
    page.emulate_media(media="print", color_scheme="dark")
    expect(page.locator("body")).to_have_css("background-color", "rgb(255, 255, 255)")
    expect(page.locator(".back").first).to_be_hidden()
    expect(page.locator(".came-along").first).to_be_hidden()
    expect(page.locator(".exercise .checks").first).to_be_visible()
