"""The class report in Chromium: offline, on a phone, light, dark and printed; what others wrote
does nothing.
"""

from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from report_classes import a_class, hostile_class, page_of
from servers import BROWSER_IS_THERE

if TYPE_CHECKING:
    from playwright.sync_api import Page

pytestmark = [pytest.mark.browser, BROWSER_IS_THERE]

CUT_OFF = """() => [...document.querySelectorAll("body *")]
  .filter(one => !one.closest(".scroll, details:not([open])"))  // may be scrolled
  .filter(one => one.getBoundingClientRect().right > innerWidth + 1)
  .map(one => one.outerHTML.slice(0, 200))"""
CONTRAST = """() => {
  const canvas = document.createElement("canvas").getContext("2d", {willReadFrequently: true});
  const parts = colour => {
    canvas.clearRect(0, 0, 1, 1); canvas.fillStyle = colour; canvas.fillRect(0, 0, 1, 1);
    return [...canvas.getImageData(0, 0, 1, 1).data];
  };
  const light = ([r, g, b]) => [r, g, b].map(v => v / 255)
    .map(v => v <= 0.04045 ? v / 12.92 : ((v + 0.055) / 1.055) ** 2.4)
    .reduce((sum, v, k) => sum + v * [0.2126, 0.7152, 0.0722][k], 0);
  const behind = one => {
    for (; one; one = one.parentElement) {
      const colour = parts(getComputedStyle(one).backgroundColor);
      if (colour[3]) return colour;
    }
    return parts("white");
  };
  const found = [];
  for (const one of document.querySelectorAll("body *")) {
    const own = [...one.childNodes].some(node => node.nodeType == 3 && node.data.trim());
    if (!own || !one.getClientRects().length) continue;
    const style = getComputedStyle(one), drawn = one.closest("svg") && one.tagName == "text";
    const [low, high] = [light(parts(drawn ? style.fill : style.color)), light(behind(one))]
      .sort((a, b) => a - b);
    found.push([(high + 0.05) / (low + 0.05), one.outerHTML.slice(0, 120)]);
  }
  return found;
}"""
MARKS = """() => [...document.querySelectorAll("svg.plot *")].map(one => getComputedStyle(one))
  .flatMap(style => [style.fill, style.stroke])"""


@pytest.fixture(scope="module")
def folder(assignment, tmp_path_factory) -> Path:
    """Two reports: of classes of 300 and of twelve, and of one in which everything is odd."""
    folder = tmp_path_factory.mktemp("reports")
    classes = [a_class(assignment, 300), a_class(assignment, 12)]
    (folder / "honest.html").write_text(page_of(*classes, names=True))
    (folder / "hostile.html").write_text(page_of(hostile_class(), names=True))
    return folder


@pytest.fixture
def page(chromium) -> "Iterator[Page]":
    """A page; the test fails where it asks for anything but itself, or runs anything."""
    page = chromium.new_page()
    asked: list[str] = []
    page.on("request", lambda request: asked.append(request.url))
    page.on("dialog", lambda dialog: (asked.append(dialog.message), dialog.dismiss()))
    page.expose_binding("canary", lambda *_: asked.append("a script ran"))
    yield page
    urls = {page.url.partition("#")[0]}
    page.close()
    assert {url.partition("#")[0] for url in asked} <= urls


@pytest.mark.parametrize("name", ["honest", "hostile"])
@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_it_fits_a_phone_and_can_be_read(page, folder, name, scheme, screenshots):
    page.emulate_media(color_scheme=scheme)
    for width in (390, 1280):
        page.set_viewport_size({"width": width, "height": 844})
        page.goto((folder / f"{name}.html").as_uri())
        if screenshots:
            page.screenshot(
                path=screenshots / f"report-{name}-{scheme}-{width}.png", full_page=True
            )
        assert page.evaluate("document.documentElement.scrollWidth") == width
        assert page.evaluate(CUT_OFF) == []
    page.evaluate("for (const one of document.querySelectorAll('details')) one.open = true")
    for width in (390, 1280):
        page.set_viewport_size({"width": width, "height": 844})
        assert page.evaluate("document.documentElement.scrollWidth") == width
    found = page.evaluate(CONTRAST)
    assert len(found) > 100
    assert [one for one in found if one[0] < 4.5] == []
    paper = page.evaluate("getComputedStyle(document.body).backgroundColor")
    marks = set(page.evaluate(MARKS))
    assert len(marks - {"none", "rgb(0, 0, 0)"}) >= 3 and paper not in marks


def test_the_first_screen_says_what_matters(page, folder):
    page.set_viewport_size({"width": 1280, "height": 900})
    page.goto((folder / "honest.html").as_uri())
    for words in ("graded", "to be marked by hand", "Half of them have", "The hardest exercise"):
        place = page.get_by_text(words).first.bounding_box()
        assert place["y"] + place["height"] < 900, words
    first = page.locator("table.stack tbody tr").first.bounding_box()
    assert first["y"] + first["height"] < 900


def test_printed_it_shows_the_checks_and_not_the_cheap_mistakes(page, folder):
    page.emulate_media(media="print", color_scheme="dark")
    page.goto((folder / "honest.html").as_uri())
    check = page.locator("details.print td").first
    assert check.bounding_box()["height"] > 10
    assert not page.get_by_text("that cost less").first.is_visible()
    assert page.evaluate("getComputedStyle(document.body).backgroundColor") == "rgb(255, 255, 255)"


def test_what_others_wrote_does_nothing(page, folder):
    page.goto((folder / "hostile.html").as_uri())
    page.evaluate("for (const one of document.querySelectorAll('details')) one.open = true")
    assert page.locator("script, img, iframe, body style, link, form").count() == 0
    assert page.get_by_text("canary()").count() > 10
    page.wait_for_timeout(300)
