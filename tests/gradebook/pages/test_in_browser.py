"""Whatever a student wrote does nothing on the pages that nbgrader makes and serves, in Chromium.

Two walls hold it: the cleaning, and the pages' Content-Security-Policy. Each is tried without the
other, and the canary without both.
"""

import re
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from feedback_pages import CUT_OFF, OPEN
from graded_notebooks import pieces
from nbgrader.converters import GenerateFeedback
from playwright.sync_api import Page, expect
from servers import BROWSER_IS_THERE, wait_for_formgrader

from autograder.engine.courses import read_course
from autograder.gradebook.sync.nbgrader_course import NbgraderCourse

pytestmark = [pytest.mark.browser, pytest.mark.database, BROWSER_IS_THERE]

POLICY = re.compile(r'<meta [^>]*http-equiv="Content-Security-Policy"[^>]*>')
OURS = re.compile(
    r"^https?://[^/]+/(formgrader/(static|api)/|formgrader/submissions/[^/]+/(\?index=\d+)?$|favicon)"
    r"|^data:image/|^file:///.*/feedback/[^.]+\.html$"
)
# What makes the rest of the page its own text, or leaves it: without cleaning nothing else would run
ALONE = re.compile(
    r"never closed|plain text|comment|meta|base|frame set|mutation|no script|form|select"
)
PROVOKE = """() => {
  const kinds = "mouseover mouseenter pointerenter focus focusin blur input toggle load error " +
    "animationstart animationend transitionend beforetoggle close start submit scroll";
  for (const element of document.querySelectorAll(".written, .written *")) {
    for (const kind of kinds.split(" ")) element.dispatchEvent(new Event(kind));
    const link = element.closest("a, area, math");
    const stays = !link || link.target == "_blank" || /script:/i.test(link.outerHTML);
    if (stays) element.dispatchEvent(new MouseEvent("click", {bubbles: true, cancelable: true}));
  }
}"""
FORBIDDEN = (
    "script, style, link, meta, base, form, iframe, frame, object, embed, applet, svg, video, audio, "
    "input, button, select, textarea, template, dialog, marquee, map, picture, source, [id], [name], "
    "[autofocus], [tabindex]:not(a), [contenteditable], [srcset], [ping], [download], [accesskey], [slot]"
)


@pytest.fixture(scope="module")
def folder(submitted) -> Path:
    return submitted.folder


@pytest.fixture(scope="module")
def feedback(submitted) -> Callable[[str], str]:
    """The address of a student's feedback, as `nbgrader generate_feedback` wrote it."""
    course, id = NbgraderCourse(read_course(submitted.folder)), submitted.assignment.id

    def address(student: str) -> str:
        page = submitted.folder / "feedback" / student / id / f"{id}.html"
        if not page.is_file():
            course.convert(GenerateFeedback, submitted.assignment)
        return page.as_uri()

    return address


class Canary:
    """Everything that a page did which no page of ours does."""

    def __init__(self, page: Page):
        self.sang: list[str] = []
        page.expose_binding("canary", lambda *_: self.sang.append("a script ran"))
        page.on("dialog", lambda dialog: self._refuse(dialog))
        page.on("request", lambda request: self._look(request.url))
        page.on("websocket", lambda socket: self.sang.append(socket.url))
        page.on("download", lambda download: self.sang.append(download.url))

    def _look(self, address: str) -> None:
        if not OURS.search(address) or "canary" in address:
            self.sang.append(address[:200])

    def _refuse(self, dialog) -> None:
        if dialog.type != "beforeunload":  # JupyterLab's own, before it is left
            self.sang.append(f"it asked: {dialog.message}")
        dialog.dismiss()

    def provoke(self, page: Page) -> None:
        page.evaluate(PROVOKE)
        page.wait_for_timeout(1_000)


@pytest.fixture
def canary(browser, page) -> Iterator[Canary]:
    """The canary of the page. What opens beside it, because a link was clicked, is closed."""

    def close(opened: Page) -> None:
        opened.close()

    browser.on("page", close)
    yield Canary(page)
    browser.remove_listener("page", close)


def test_an_honest_page_is_complete(page, server, page_of, feedback, picture):
    for address in (server.address + page_of("honest"), feedback("honest")):
        page.goto(address)
        name = "formgrader" if "formgrader" in address else "feedback"
        if name == "formgrader":
            wait_for_formgrader(page)
        picture(f"honest-{name}")
        expect(page.locator(".written strong", has_text="Bold")).to_be_visible()
        expect(page.locator(".written ol > li")).to_have_count(2)
        expect(page.locator(".written td", has_text="width")).to_be_visible()
        expect(page.locator(".written .highlight .k").first).to_have_css("color", "rgb(0, 128, 0)")
        expect(page.locator('math[display="inline"]')).to_have_count(
            2 if name == "formgrader" else 3
        )
        expect(page.locator('math[display="block"]')).to_have_count(2)
        link = page.locator(".written a", has_text="the paper")
        expect(link).to_have_attribute("href", "https://arxiv.org/abs/1706.03762")
        expect(link).to_have_attribute("rel", "noopener noreferrer")
        widths = page.locator(".written img").evaluate_all(
            "all => all.map(one => one.naturalWidth)"
        )
        assert sorted(widths) == [60, 120, 120, 120]
        expect(page.get_by_text("epoch 2")).to_be_visible()
        expect(page.get_by_text("what I printed: 3 < 4")).to_be_visible()
        expect(page.locator(".ansi-red-fg")).to_have_text("ZeroDivisionError")
        expect(page.locator(".checks td", has_text="Is eps added")).to_have_css(
            "background-color", "rgb(253, 236, 234)"
        )
        expect(page.get_by_text(re.compile("A cell that (the student|you) added"))).to_have_count(1)
        expect(page.locator(".not-shown")).to_have_count(0)
        page.locator("summary", has_text="More").click()
        expect(page.locator("kbd")).to_be_visible()


def test_feedback_fits_a_phone_and_is_dark_where_the_reader_wants_it(page, feedback, picture):
    page.goto(feedback("honest"))
    below = page.locator(".exercise", has=page.locator(".checks"))
    for scheme, paper in (("light", "rgb(255, 255, 255)"), ("dark", "rgb(22, 25, 29)")):
        page.emulate_media(color_scheme=scheme)
        for width in (390, 1280):
            page.set_viewport_size({"width": width, "height": 844})
            page.evaluate(OPEN)
            picture(f"feedback-{scheme}-{width}")
            assert page.evaluate("document.documentElement.scrollWidth") == width
            assert page.evaluate(CUT_OFF) == []
        expect(page.locator("body")).to_have_css("background-color", paper)
        expect(page.locator(".written img[src]").first).to_have_css(
            "background-color", "rgb(255, 255, 255)"
        )
    expect(page.locator(".checks td", has_text="Is eps added")).to_have_css(
        "background-color", "rgb(67, 32, 30)"
    )
    page.emulate_media(media="print")
    expect(page.locator("body")).to_have_css("background-color", "rgb(255, 255, 255)")
    asked, answer = below.get_by_text("Is eps added"), below.get_by_text("Your answer")
    assert asked.bounding_box()["y"] < answer.bounding_box()["y"]
    expect(page.locator(".overview tr", has_text="1. RMSNorm")).to_have_count(1)


def test_a_hostile_page_does_nothing(page, server, page_of, feedback, canary, picture):
    for address in (server.address + page_of("hostile"), feedback("hostile")):
        page.goto(address)
        page.evaluate(OPEN)
        picture("hostile-formgrader" if "formgrader" in address else "hostile-feedback")
        expect(page.locator(".written").first).to_be_visible()
        assert page.locator(".written").locator(FORBIDDEN).count() == 0
        links = page.locator(".written a[href]").evaluate_all("all => all.map(one => one.href)")
        assert len(links) > 5 and all(re.match("https?:|mailto:", link) for link in links), links
        canary.provoke(page)
        assert canary.sang == []


def test_formgrader_serves_no_file_of_a_student(page, server, page_of):
    for path in ("evil.html", "small-sheet.ipynb"):
        answer = page.request.get(f"{server.address}{page_of('hostile')}{path}")
        assert answer.status == 404


def test_no_link_into_formgrader_brings_a_script_or_a_configuration(page, server, submitted):
    formgrader = f"{server.address}/formgrader"
    for odd in ("<script>canary()<%2Fscript>", '";canary()//', "%5C"):
        for place in ("manage_students/{}", "manage_students/x/{}", "gradebook/x/{}"):
            answer = page.request.get(f"{formgrader}/{place.format(odd)}/")
            assert answer.status == 404, (place, odd)
            assert "canary()" not in answer.text()
    handed_in = submitted.notebook("hostile")
    ran = handed_in / "ran"
    (handed_in / "nbgrader_config.py").write_text(f"open({str(ran)!r}, 'w')")
    assert page.request.get(f"{formgrader}/?path={handed_in}").status == 403
    assert not ran.exists()
    assert page.request.get(f"{formgrader}/?path={submitted.folder}").ok
    assert page.request.get(formgrader).ok


@pytest.mark.long
def test_a_page_that_is_far_too_large_opens(page, server, page_of, feedback, large, picture):
    for address in (server.address + page_of(large), feedback(large)):
        page.goto(address)
        page.evaluate(OPEN)
        picture("large-formgrader" if "formgrader" in address else "large-feedback")
        assert page.locator("*").count() < 150_000
        expect(page.locator(".not-shown").first).to_be_visible()
        expect(page.get_by_role("heading", name="4. In words").last).to_be_visible()


@pytest.mark.long
def test_jupyterlab_runs_and_fetches_nothing_for_a_notebook_that_was_received(
    browser, server, submitted
):
    page = browser.new_page()  # its own scripts complain about diagrams
    canary, fetched = Canary(page), []
    page.route("https://canary.example/**", lambda route: (fetched.append(route), route.abort()))
    id = submitted.assignment.id
    page.goto(f"{server.address}/lab/tree/submitted/hostile/{id}/{id}.ipynb?token={server.token}")
    expect(page.locator(".jp-Notebook .jp-RenderedMarkdown").first).to_be_visible()
    button = page.locator(".jp-RenderedMarkdown button", has_text="command")
    expect(button).to_be_visible()
    assert "commandlinker" not in button.evaluate("one => one.outerHTML")
    expect(page.locator('.jp-Notebook-ExecutionIndicator[data-status="idle"]')).to_be_visible()
    assert not (submitted.folder / "submitted" / "hostile" / id / "ran").exists()
    for _ in range(25):  # only what is in sight is rendered
        page.evaluate("document.querySelector('.jp-WindowedPanel-outer').scrollBy(0, 900)")
        page.wait_for_timeout(200)
        page.evaluate(PROVOKE.replace(".written", ".jp-RenderedHTMLCommon"))
    assert page.locator(".jp-RenderedMarkdown").count() > 20
    assert not [one for one in canary.sang if "a script ran" in one or "it asked" in one]
    assert fetched == []
    page.close()


def test_jupyterlabs_viewers_may_load_styles_and_frames_from_the_server_alone(page, server):
    headers = page.request.get(f"{server.address}/lab").headers
    policy = headers["content-security-policy"]
    for rule in ("default-src 'self'", "style-src 'self' 'unsafe-inline'", "frame-src 'self'"):
        assert rule in policy
    assert headers["x-dns-prefetch-control"] == "off"


@pytest.mark.long
def test_each_wall_holds_alone_and_without_both_the_canary_sings(browser, server, page_of):
    page = browser.new_page()  # where scripts may fail
    canary = Canary(page)
    address = server.address + page_of("hostile")
    cleaned = page.request.get(address).text()
    _show(page, address, POLICY.sub("", cleaned))
    canary.provoke(page)
    assert canary.sang == []

    raw = _without_cleaning(cleaned)
    _show(page, address, raw)
    canary.provoke(page)
    assert "a script ran" not in canary.sang

    _show(page, address, POLICY.sub("", raw))
    canary.provoke(page)
    assert canary.sang.count("a script ran") > 50
    page.close()


def _without_cleaning(cleaned: str) -> str:
    """The page of the hostile submission with its pieces as they were written."""
    raw = [
        f"<div class=written>{text}</div>"
        for name, text in pieces().items()
        if not ALONE.search(name)
    ]
    assert len(raw) > 150
    return cleaned.replace(
        '<div class="container" id="notebook-container">',
        '<div class="container" id="notebook-container">' + "\n".join(raw),
    )


def _show(page: Page, address: str, html: str) -> None:
    """Open the address with this content, served from the same origin."""
    page.route(address, lambda route: route.fulfill(content_type="text/html", body=html))
    page.goto(address)
    page.unroute(address)
