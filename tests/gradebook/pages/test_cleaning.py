"""Cleaned HTML holds what is on the list, and cleaning it again changes nothing."""

import base64
import io
import re
from html.parser import HTMLParser

import pytest
from graded_notebooks import checks, drawn, pieces
from hypothesis import given
from hypothesis import strategies as st
from PIL import Image

from autograder.engine.examiner.outputs import as_notebook_outputs
from autograder.gradebook.check_cell import as_html
from autograder.gradebook.pages.cleaning import (
    ATTRIBUTES,
    FORMULA,
    TAGS,
    TooMuch,
    clean_html,
    clean_table,
)
from autograder.gradebook.pages.pictures import Pictures, digest_of_address
from autograder.gradebook.pages.rendering import KINDS

OURS = {
    "a": {"rel", "target"},
    "span": {"class", "style", FORMULA},
    "div": {"class"},
    "p": {"class"},
}
WORDS = st.sampled_from(
    [
        *(
            f"<{tag}>"
            for tag in "b p a td table math svg style mtext title form select img".split()
        ),
        *(f"</{tag}>" for tag in "b p a td table math svg style mtext title form select".split()),
        *("<a href=", "<img src=x onerror=", "javascript:x", '"', "'", ">", "<", "<!--", "-->"),
        *(
            "<![CDATA[",
            "]]>",
            " onclick=x",
            " style=x:y",
            " id=x",
            " class=k",
            "&#60;",
            "&lt;",
            "x",
        ),
        *("\0", "`", "/", "=", "\n", "<p title=", "<mglyph>", "<annotation-xml>", "<noscript>"),
    ]
)


def plain(width: int, height: int, kind: str = "PNG", **more) -> str:
    """A white picture in base64."""
    file = io.BytesIO()
    Image.new("L", (width, height), 255).save(file, kind, **more)
    return base64.b64encode(file.getvalue()).decode()


def nothing(source: str) -> None:
    """No picture."""


class Elements(HTMLParser):
    """The names of elements and of their attributes."""

    def __init__(self, html: str):
        super().__init__()
        self.found: list[tuple[str, str, str]] = []
        self.feed(html)

    def handle_starttag(self, tag: str, attrs: list) -> None:
        self.found.append((tag, "", ""))
        self.found += sorted((tag, name, value or "") for name, value in attrs)

    def handle_comment(self, data: str) -> None:
        self.found.append(("comment", "", data))

    handle_decl = handle_pi = unknown_decl = handle_comment


def refused(html: str) -> list[tuple[str, str, str]]:
    """What is in this HTML and not on the list."""
    return [
        (tag, name, value)
        for tag, name, value in Elements(html).found
        if tag not in TAGS
        or (name and name not in ATTRIBUTES.get(tag, set()) | OURS.get(tag, set()))
    ]


@given(st.lists(WORDS, max_size=25).map("".join) | st.text(max_size=60))
def test_whatever_comes_in_only_what_is_listed_comes_out(html):
    cleaned = clean_html(html, nothing)
    assert refused(cleaned) == []
    assert Elements(clean_html(cleaned, nothing)).found == Elements(cleaned).found


@pytest.mark.parametrize("kind", ["markdown", "code", "terminal", "table"])
def test_no_hostile_piece_leaves_more_than_what_is_listed(kind):
    extra = {"math", "mi", "mo", "mn", "mrow", "mtext", "mspace", "mstyle", "mtable", "mtr", "mtd"}
    extra |= {"mpadded", "msub", "msup", "mfrac"}
    for name, piece in pieces().items():
        made = KINDS[kind](piece, Pictures({}, []))
        left = [one for one in refused(made) if one[0] not in extra]
        assert left == [], name
        assert not [
            one
            for one in Elements(made).found
            if one[1].startswith("on")
            or (one[1] == "href" and not one[2].startswith(("https://", "mailto:")))
        ], name


@pytest.mark.parametrize(
    "address",
    [
        "javascript:x",
        "//a.example",
        "/lab",
        "#formgrader",
        "?path=x",
        "http://localhost:8888/formgrader/?path=submitted/mallory",
        "http://127.0.0.1/",
        "http://127.1/",
        "http://2130706433/",
        "http://0x7f.1/",
        "http://a.0x7f/",
        "http://[::1]/",
        "http://a.localhost/",
        "http://localhost.localdomain:8888/lab",
        "http://router.home.arpa/",
        "http://a.example@localhost/",
        "http://localhost\\@a.example/",
        "https:a.example",
        "https://a.example/ b",
        "data:text/html,x",
        "ftp://a.example",
    ],
)
def test_a_link_leads_to_a_page_in_the_world_or_nowhere(address):
    assert "href" not in clean_html(f'<a href="{address}">x</a>', nothing)


def test_a_link_to_a_page_in_the_world_opens_beside_ours_and_learns_nothing_of_it():
    cleaned = clean_html(
        '<a href="https://a.example/b?c=d#e" target="_top" rel="opener">x</a>', nothing
    )
    assert 'href="https://a.example/b?c=d#e"' in cleaned
    assert 'target="_blank"' in cleaned and 'rel="noopener noreferrer"' in cleaned


def test_numbers_stay_in_bounds():
    cleaned = clean_html('<table><td colspan="9999999999999" rowspan="2">x</td></table>', nothing)
    assert "colspan" not in cleaned and 'rowspan="2"' in cleaned


def test_words_may_have_a_colour_and_no_other_style():
    red = '<span style="color: #b3261e">x</span>'
    assert clean_html(red, nothing) == red
    for odd in ("color:red;position:fixed", "color:url(x)", "position:fixed", "color:red\\;x:y"):
        assert "style" not in clean_html(f'<span style="{odd}">x</span>', nothing)


def test_an_attribute_that_cannot_be_judged_is_left_out():
    def fail(source: str) -> None:
        raise OverflowError

    assert "src" not in clean_html('<img src="x" alt="y">', fail)


def test_a_student_cannot_name_a_formula_of_the_page():
    span = f'<span {FORMULA}="0-0"></span>'
    assert clean_html(span, nothing, {"1-0": "<math></math>"}) == "<span></span>"
    assert clean_html(span, nothing, {"0-0": "<math></math>"}) == "<math></math>"
    assert "<math>" not in clean_html(f"<p title='{span}'>x</p>", nothing, {"0-0": "<math></math>"})


def test_elements_lie_only_so_deep():
    assert clean_html("<div>" * 50 + "x", nothing)
    with pytest.raises(TooMuch):
        clean_html("<div>" * 5_000 + "x", nothing)


def test_the_table_of_checks_keeps_its_classes_and_holds_no_colour_and_no_link():
    html = as_html(checks())
    cleaned = clean_table(html)
    for line in ("checks", "mistake", "passed", "failed", "question", "total"):
        assert cleaned.count(f'class="{line}"') == html.count(f'class="{line}"') == 1
    assert "style" in html and "style" not in cleaned
    hostile = '<a href="https://a.example">x</a><img src=x><td style="background:url(//a.example)">'
    assert clean_table(hostile) == "x"
    others = '<table class="checks navbar"><tr class="panel"><td class="total">x</td></tr></table>'
    assert re.findall('class="(.*?)"', clean_table(others)) == ["checks", ""]


def test_pictures_are_the_assignments_own_or_decode(tmp_path):
    (tmp_path / "release" / "figures").mkdir(parents=True)
    (tmp_path / "release" / "figures" / "a b.svg").write_text("<svg/>")
    (tmp_path / "release" / "link.png").symlink_to(tmp_path / "secret.png")
    (tmp_path / "secret.png").write_bytes(b"secret")
    attached = {
        "x.png": {"image/png": drawn()},
        "y.png": {"image/png": drawn(kind="GIF")},
        "z.png": {"image/svg+xml": "<svg/>"},
        "wide.png": {"image/png": plain(6_001, 6_000)},
        "odd.png": ["image/png"],
    }
    find = Pictures(attached, [str(tmp_path / "release")])
    assert find("figures/a%20b.svg").startswith("data:image/svg+xml;base64,")
    assert find("attachment:x.png") == f"data:image/png;base64,{drawn()}"
    assert find(f"data:image/jpeg;base64,{drawn(kind='JPEG')}").startswith("data:image/jpeg")
    assert find.missing == 0
    for source in (
        *("", ".", "..", "/", "figures", "figures/", "no.png", "link.png", "../secret.png"),
        *(
            "/etc/passwd",
            f"{tmp_path}/secret.png",
            "a\0.png",
            "%2e%2e/secret.png",
            "https://a.b/x.png",
        ),
        *("attachment:none.png", "attachment:y.png", "attachment:z.png", "attachment:wide.png"),
        *(
            "attachment:odd.png",
            "data:image/svg+xml,<svg/>",
            "data:image/png;base64,AAAA",
            "x" * 9_999,
        ),
    ):
        assert find(source) is None, source
    assert find.missing == 22


def test_a_figure_of_the_release_is_shown_as_it_is_and_no_other_drawing():
    ours = "data:image/svg+xml;base64,PHN2Zy8+"
    theirs = "data:image/svg+xml;base64,PHN2ZyBvbmxvYWQ9IngiLz4="
    find = Pictures({}, [], figures=[digest_of_address(ours)])
    shown = clean_html(f'<img alt="A figure" src="{ours}"><img src="{theirs}">', find)
    assert f'src="{ours}"' in shown and 'alt="A figure"' in shown
    assert theirs not in shown and find.missing == 1


def test_a_page_shows_every_picture_that_the_examiner_keeps():
    two_frames = {"save_all": True, "append_images": [Image.new("L", (8, 9))]}
    for mime, encoded in (
        ("image/png", plain(6_000, 6_000)),
        ("image/jpeg", plain(8, 9, "MPO", **two_frames)),  # as some cameras write it
    ):
        display = {"kind": "display", "data": {mime: base64.b64decode(encoded)}}
        ((kept,),) = as_notebook_outputs({"cell": [display]}).values()
        assert kept["data"] == {mime: encoded}
        assert Pictures({}, []).decoded(kept["data"][mime]) == f"data:{mime};base64,{encoded}"


def test_all_pictures_of_a_page_have_a_bound():
    find = Pictures({"x.png": {"image/png": drawn(100, 100)}}, [], pixels=25_000)
    assert [find("attachment:x.png") is not None for _ in range(3)] == [True, True, False]
