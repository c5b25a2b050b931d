"""A tutor's page: answers beside their scheme, and nothing of a student acts on it."""

import re
from html.parser import HTMLParser
from pathlib import Path

import pytest
from graded_notebooks import pieces
from marking_pages import MARKING
from servers import BROWSER_IS_THERE
from typed_commands import typed

from autograder.gradebook.pages.cleaning import TAGS

pytestmark = pytest.mark.database
MATHML = frozenset(
    "math mrow mi mo mn ms mtext msup msub msubsup mfrac msqrt mroot mover munder munderover mtable "
    "mtr mtd mspace mstyle mpadded mphantom menclose".split()
)
SCHEME = "One point for the root, one for the scale."


def pages(*words: str) -> tuple[str, str]:
    """The page of a tutor, and that for second marks ("" if there is none)."""
    status, printed = typed("marking", "list", *words)
    assert status == 0, printed
    written = [Path(line[3:]) for line in printed.splitlines() if line.endswith(".html")]
    first, *second = [path.read_text() for path in written]
    return first, second[0] if second else ""


class Elements(HTMLParser):
    """The elements of a page, and all their attributes; ids of sections are ours."""

    def __init__(self) -> None:
        super().__init__()
        self.names: set[str] = set()
        self.attributes: list[tuple[str, str]] = []

    def handle_starttag(self, tag: str, attributes: list[tuple[str, str | None]]) -> None:
        self.names.add(tag)
        ours = tag == "h2" and dict(attributes).keys() == {"id"}
        self.attributes += [] if ours else [(name, value or "") for name, value in attributes]


def links(page: str) -> list[str]:
    return re.findall(r'<a href="([^"]*)">(?:\w+)</a></b>', page)


def test_equal_answers_are_shown_once_with_a_link_for_each(book):
    page, _ = pages()
    assert page.count("keeps the scale.") == 1 and page.count("keeps the Scale.") == 1
    assert "3 equal answers, shown once." in page and page.count(SCHEME) == 1
    ids = [book.notebook_id(student) for student in ("ada", "ben", "cleo", "dan")]
    places = [link.partition("/submissions/")[2].partition("/")[0] for link in links(page)]
    assert places == ids and "eva" not in page


def test_equal_answers_of_other_tutors_are_named_with_what_they_got(book):
    book.mark("ada", 1.5)
    page, _ = pages()
    assert "The same words: ada (marked: 1.5 of 2 points)." in page
    tutors = [pages("--for", f"{tutor}/4")[0] for tutor in (1, 2, 3, 4)]
    assert sorted(link for page in tutors for link in links(page)) == sorted(links(page))


def test_a_second_page_says_nothing_of_first_marks(book):
    book.mark("ada", 1.5, comment="Which root?")
    page, second = pages("--second", "100%")
    assert "1.5 of 2" in page
    assert all(f"<b>{student}</b>" in second for student in ("ada", "ben", "cleo", "dan"))
    assert SCHEME in second and "marked:" not in second and "open" not in second
    body = second[second.index("<body>") :]
    assert "formgrader" not in body and "1.5" not in body and "Which root?" not in body


def test_an_empty_share_is_a_page_too(book):
    for student in ("ada", "ben", "cleo", "dan"):
        book.mark(student, 1.0)
    page, second = pages()
    assert "There is nothing to mark." in page and second == ""


def test_whatever_students_wrote_is_text_on_it(book):
    hostile = list(pieces().values())
    book.enter(**{f"h{i}": "\n\n".join(hostile[i::40]) for i in range(40)})
    page, _ = pages()
    elements = Elements()
    elements.feed(page[page.index("<body>") :])
    assert len(elements.attributes) > 200
    assert elements.names <= TAGS | MATHML | {
        "body",
        "html",
        "section",
        "article",
        "header",
        "aside",
    }
    for name, value in elements.attributes:
        assert not name.startswith("on") and name not in ("srcdoc", "formaction", "id", "name")
        if name in ("href", "src"):
            assert re.match(r"https?://|mailto:|data:image/(png|jpeg|svg\+xml);base64,", value)


@pytest.mark.browser
@BROWSER_IS_THERE
def test_in_a_browser_it_loads_nothing_and_fits_a_phone(book, chromium, screenshots):
    hostile = list(pieces().values())
    book.enter(**{f"h{i}": "\n\n".join(hostile[i::7]) for i in range(7)})
    pages()
    asked, errors = [], []
    page = chromium.new_page(viewport={"width": 1400, "height": 900})
    page.on("request", lambda request: asked.append(request.url))
    page.on("dialog", lambda dialog: (errors.append(dialog.message), dialog.dismiss()))
    page.expose_binding("canary", lambda *_: errors.append("a script ran"))
    page.goto((MARKING / "all.html").absolute().as_uri())
    answer = page.locator(".answer").first.bounding_box()
    scheme = page.locator(".scheme").bounding_box()
    assert scheme["x"] > answer["x"] + answer["width"] > answer["width"]
    page.locator(".answer").last.scroll_into_view_if_needed()
    assert page.locator(".scheme").bounding_box()["y"] >= 0  # it stays in sight
    if screenshots:
        page.screenshot(path=screenshots / "tutor.png")
    page.set_viewport_size({"width": 390, "height": 900})
    assert page.evaluate("document.documentElement.scrollWidth") == 390
    assert page.locator(".scheme").evaluate("aside => getComputedStyle(aside).position") == "static"
    if screenshots:
        page.screenshot(path=screenshots / "tutor-phone.png", full_page=True)
    page.close()
    assert [url for url in asked if not url.startswith(("file:", "data:"))] == [] == errors
    assert len([url for url in asked if url.startswith("file:")]) == 1
