"""A tutor's page: answers beside their scheme, and nothing of a student acts on it."""

import re
from html.parser import HTMLParser

import pytest
from graded_notebooks import pieces
from servers import BROWSER_IS_THERE

from autograder.desk.marking.shares import Share
from autograder.gradebook.pages.cleaning import TAGS

pytestmark = pytest.mark.database
MATHML = frozenset(
    "math mrow mi mo mn ms mtext msup msub msubsup mfrac msqrt mroot mover munder munderover mtable "
    "mtr mtd mspace mstyle mpadded mphantom menclose".split()
)
SCHEME = "One point for the root, one for the scale."


@pytest.fixture
def share(book, answers):
    """Make the share of a tutor; write it, return its two pages (the second may be empty)."""

    def make(folder, tutor=1, tutors=1, percent=0.0) -> tuple[str, str]:
        share = Share(book.assignment, answers(), tutor, tutors, second_percent=percent)
        paths, _ = share.write(folder)
        pages = [path.read_text() for path in paths if path.suffix == ".html"]
        return pages[0], pages[1] if len(pages) > 1 else ""

    return make


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


def test_equal_answers_are_shown_once_with_a_link_for_each(book, share, tmp_path):
    page, _ = share(tmp_path)
    assert page.count("keeps the scale.") == 1 and page.count("keeps the Scale.") == 1
    assert "3 equal answers, shown once." in page and page.count(SCHEME) == 1
    ids = [book.notebook_id(student) for student in ("ada", "ben", "cleo", "dan")]
    places = [link.partition("/submissions/")[2].partition("/")[0] for link in links(page)]
    assert places == ids and "eva" not in page


def test_equal_answers_of_other_tutors_are_named_with_what_they_got(book, share, tmp_path):
    book.mark("ada", 1.5)
    page, _ = share(tmp_path)
    assert "The same words: ada (marked: 1.5 of 2 points)." in page
    tutors = [share(tmp_path, tutor, 4)[0] for tutor in (1, 2, 3, 4)]
    assert sorted(link for page in tutors for link in links(page)) == sorted(links(page))


def test_a_second_page_says_nothing_of_first_marks(book, share, tmp_path):
    book.mark("ada", 1.5, comment="Which root?")
    page, second = share(tmp_path, percent=100.0)
    assert "1.5 of 2" in page
    assert all(f"<b>{student}</b>" in second for student in ("ada", "ben", "cleo", "dan"))
    assert SCHEME in second and "marked:" not in second and "open" not in second
    body = second[second.index("<body>") :]
    assert "formgrader" not in body and "1.5" not in body and "Which root?" not in body


@pytest.mark.parametrize("tutors", [1, 2, 4])
def test_each_answer_is_marked_a_second_time_by_another_tutor_if_there_is_one(
    book, answers, tutors
):
    shares = [
        Share(book.assignment, answers(), number + 1, tutors, second_percent=100.0)
        for number in range(tutors)
    ]
    again = [one.name for share in shares for one in share.to_mark_again]
    assert sorted(again) == [one.name for one in answers()]
    for share in shares:
        both = {one.name for one in share.to_mark_again} & {one.name for one in share.to_mark}
        assert not both or tutors == 1


def test_an_empty_share_is_a_page_too(book, share, tmp_path):
    for student in ("ada", "ben", "cleo", "dan"):
        book.mark(student, 1.0)
    page, second = share(tmp_path)
    assert "There is nothing to mark." in page and second == ""


def test_whatever_students_wrote_is_text_on_it(book, share, tmp_path):
    hostile = list(pieces().values())
    book.enter(**{f"h{i}": "\n\n".join(hostile[i::40]) for i in range(40)})
    page, _ = share(tmp_path)
    found = Elements()
    found.feed(page[page.index("<body>") :])
    assert len(found.attributes) > 200
    assert found.names <= TAGS | MATHML | {"body", "html", "section", "article", "header", "aside"}
    for name, value in found.attributes:
        assert not name.startswith("on") and name not in ("srcdoc", "formaction", "id", "name")
        if name in ("href", "src"):
            assert re.match(r"https?://|mailto:|data:image/(png|jpeg|svg\+xml);base64,", value)


@pytest.mark.browser
@BROWSER_IS_THERE
def test_in_a_browser_it_loads_nothing_and_fits_a_phone(
    book, share, tmp_path, chromium, screenshots
):
    hostile = list(pieces().values())
    book.enter(**{f"h{i}": "\n\n".join(hostile[i::7]) for i in range(7)})
    share(tmp_path)
    asked, errors = [], []
    page = chromium.new_page(viewport={"width": 1400, "height": 900})
    page.on("request", lambda request: asked.append(request.url))
    page.on("dialog", lambda dialog: (errors.append(dialog.message), dialog.dismiss()))
    page.expose_binding("canary", lambda *_: errors.append("a script ran"))
    page.goto((tmp_path / "all.html").as_uri())
    answer = page.locator(".answer").first.bounding_box()
    scheme = page.locator(".scheme").bounding_box()
    assert scheme["x"] > answer["x"] + answer["width"] > answer["width"]
    page.locator(".answer").last.scroll_into_view_if_needed()
    assert page.locator(".scheme").bounding_box()["y"] >= 0  # it stays in sight
    if screenshots:
        page.screenshot(path=screenshots / "tutor.png")
    page.set_viewport_size({"width": 390, "height": 900})
    assert page.evaluate("document.documentElement.scrollWidth") == 390
    assert page.locator(".scheme").evaluate("one => getComputedStyle(one).position") == "static"
    if screenshots:
        page.screenshot(path=screenshots / "tutor-phone.png", full_page=True)
    page.close()
    assert [url for url in asked if not url.startswith(("file:", "data:"))] == [] == errors
    assert len([url for url in asked if url.startswith("file:")]) == 1
