"""The page for staff and the file beside it: complete, and harmless whatever students wrote."""

import re
import time
from pathlib import Path

import pytest
from servers import BROWSER_IS_THERE, PATIENCE
from writers import sheets, writer

from autograder.desk.look_alikes.answers import Reader
from autograder.desk.look_alikes.compare import Comparison, compare, percent
from autograder.desk.look_alikes.page import (
    LONGEST,
    MOST_LINES,
    MOST_SHOWN,
    side_by_side,
    write_page,
)
from autograder.desk.look_alikes.shares import TOGETHER

pytestmark = pytest.mark.slow

HOSTILE = [
    "<script>canary()</script>",
    "<img src=x onerror=canary()>",
    "</td></table></style></script><svg onload=canary()>",
    "<a href='javascript:canary()' autofocus onfocus=canary()>`x`</a>",
    "{{ 7 * 7 }} {% include 'light.css.j2' %} &lt;b&gt;",
    "\x1b[31mred \u202e txet \u200b \ud800 \x00 ``` `a` `",
    "https://elsewhere.example/x.png " + "w" * 5_000,
]
CUT_OFF = """() => [...document.querySelectorAll("body *")]
  .filter(one => one.getBoundingClientRect().right > innerWidth + 1)
  .map(one => one.outerHTML.slice(0, 200))"""


@pytest.fixture(scope="module")
def reader(assignment) -> Reader:
    return Reader(assignment)


@pytest.fixture(scope="module")
def found(assignment, reader) -> Comparison:
    """Twenty honest students, a copy that is hostile in comments, texts and names, and a clone."""
    them = sheets(assignment)
    words = "\n".join(f"# {one}\nwords_{n} = '''{one}'''" for n, one in enumerate(HOSTILE))
    copies = {
        f"copy-{n}": {name: f"{cell}\n{words}\n" + "\n" * n for name, cell in them["java"].items()}
        for n in range(2)
    }
    clone = {"clone": them["keras"]}
    texts = {"explain_feed_forward": " ".join(HOSTILE)}
    everybody = (them | copies | clone).items()
    writers = [writer(reader, name, cells, texts) for name, cells in everybody]
    return compare(writers, [cell.id for cell in assignment.cells])


@pytest.fixture(scope="module")
def path(assignment, reader, found, tmp_path_factory) -> Path:
    path = tmp_path_factory.mktemp("page") / "look-alikes.html"
    write_page(path, assignment, found, reader, ["unread"])
    return path


def test_what_was_found_is_on_the_page(path, found):
    page = path.read_text()
    assert {frozenset(one.pair.students) for one in found.found} == {
        frozenset(pair) for pair in (("copy-0", "copy-1"), ("copy-0", "java"), ("copy-1", "java"))
    }
    for one in found.found:
        assert " and ".join(one.pair.students) in page
    for name, chance in found.chances.items():
        assert f'<td>{name}</td><td class="number">{percent(chance)}</td>' in page
    assert "2 students wrote the same to the character: keras, clone." in page
    assert "This page proves nothing." in page and "unread" in page


def test_nothing_of_students_is_markup(path):
    page = path.read_text()
    tags = set(re.findall(r"<\s*/?\s*([a-z0-9!]+)", page.lower()))
    assert not tags & {"script", "img", "svg", "iframe", "form", "link", "input", "object"}
    assert "&lt;script&gt;canary()" in page and "{{ 7 * 7 }}" in page
    assert not re.search(r"[\x00-\x08\x0b-\x1f\u202a-\u202e\u200b]", page)
    assert not re.search(r"\bon\w+\s*=[^<]*>", re.sub(r"&lt;.*?&gt;", "", page))
    for line in page.splitlines():
        assert len(line) < 20_000
    assert "default-src 'none'" in page


def test_of_many_pairs_and_long_answers_the_first_are_shown(assignment, reader, tmp_path):
    long = "\n".join(f"value_{n} = torch.relu(x_{n} * {n}.5) @ y.mT + {n}" for n in range(300))
    students = {f"s{n:02}": {"encoder": f"{long}\n# {n}"} for n in range(12)}
    others = {
        f"o{n:02}": {"encoder": cells["encoder"]}
        for n, cells in enumerate(sheets(assignment).values())
    }
    writers = [writer(reader, *one) for one in (students | others).items()]
    made = compare(writers, ["encoder"])
    assert len(made.found) == 12 * 11 / 2 > MOST_SHOWN
    write_page(tmp_path / "page.html", assignment, made, reader, [])
    page = (tmp_path / "page.html").read_text()
    assert page.count("<section") == MOST_SHOWN and f"The first {MOST_SHOWN} are shown" in page
    assert page.count("51 more lines are not shown") == 2 * MOST_SHOWN
    assert len(page) < 8 << 20


def test_lines_with_passages_in_common_name_each_other(reader, assignment, found):
    (pair,) = [one for one in found.found if set(one.pair.students) == {"copy-0", "java"}]
    answers = tuple(one.answers["attention"] for one in pair.writers)
    one, other = side_by_side(reader, answers, found.weights["attention"])
    alike = [(line.number, line.other) for line in one.lines if line.other]
    assert len(alike) > 20 and all(a == b for a, b in alike)
    assert not any(line.other for line in one.lines if not line.text.strip())
    numbers = {line.number for line in other.lines}
    assert {line.other for line in one.lines if line.other} <= numbers
    assert len(one.lines) <= MOST_LINES and all(len(line.text) <= LONGEST for line in one.lines)


def test_a_text_that_repeats_itself_endlessly_is_shown_at_once(reader, assignment):
    cell = "value = torch.relu(x) @ y.mT.sigmoid() + 3; " * 2_000
    answers = reader.answer(True, cell), reader.answer(True, cell + "\n\n" + cell)
    start = time.process_time()
    one, _ = side_by_side(reader, answers, answers[0].prints)
    assert time.process_time() - start < 2 and one.lines[0].other == 1


def test_signs_are_sentences(found):
    signs = {frozenset(one.pair.students): one.pair.signs for one in found.found}
    copies = signs[frozenset(("copy-0", "copy-1"))]
    assert copies[0].startswith("All together 100 % is the same; honest pairs reach ")
    assert any(
        one.startswith("`attention` is alike by 100 %; honest pairs reach ") for one in copies
    )
    assert any(one.startswith("`explain_feed_forward`") for one in copies) is False
    for one in copies:
        assert one.isprintable() and one.endswith(".") and one.count("`") % 2 == 0


def test_what_is_the_same_to_the_character_is_said_and_who_is_identical(assignment, reader):
    them = sheets(assignment)
    them |= {"copy": them["java"] | {"feed_forward": "own = 1"}, "clone": them["java"]}
    writers = [writer(reader, *one) for one in them.items()]
    (one,) = compare(writers, [cell.id for cell in assignment.cells]).found
    assert one.pair.students == ("java", "copy") and one.most == TOGETHER
    assert any(sign.startswith("`encoder` is the same to the character") for sign in one.pair.signs)
    assert one.pair.signs[-1] == "The submission of `java` is identical to that of `clone`."


@pytest.mark.browser
@BROWSER_IS_THERE
def test_it_opens_offline_on_a_phone_and_in_the_dark_and_runs_nothing(path, chromium, screenshots):
    asked: list[str] = []
    page = chromium.new_page()
    page.set_default_timeout(PATIENCE * 1000)
    page.expose_binding("canary", lambda *_: asked.append("a script ran"))
    page.on("request", lambda request: asked.append(request.url))
    papers = set()
    for scheme, width in (("light", 1300), ("dark", 390)):
        page.emulate_media(color_scheme=scheme)
        page.set_viewport_size({"width": width, "height": 844})
        page.goto(path.as_uri())
        assert page.evaluate(CUT_OFF) == []
        papers.add(page.evaluate("getComputedStyle(document.body).backgroundColor"))
        tops = page.evaluate(
            "[...document.querySelector('.sides').children].map(one => one.getBoundingClientRect().top)"
        )
        assert (tops[0] == tops[1]) is (width > 800)  # beside each other, or one below the other
        if screenshots:
            page.screenshot(path=screenshots / f"look-alikes-{scheme}.png", full_page=True)
    page.locator("table.list a").first.click()
    page.close()
    assert len(papers) == 2 and set(asked) <= {path.as_uri(), path.as_uri() + "#pair-1"}
