"""Cleaned HTML holds what is on the list, and cleaning it again changes nothing."""

import base64
import io
from html.parser import HTMLParser

import pytest
from graded_notebooks import drawn, pieces
from hypothesis import given
from hypothesis import strategies as st
from PIL import Image

from autograder.engine.examiner.outputs import as_notebook_outputs
from autograder.engine.limits import OutOfBounds
from autograder.gradebook.pages.cleaning import ATTRIBUTES, MATHML, TAGS, clean_html
from autograder.gradebook.pages.pictures import Pictures
from autograder.gradebook.pages.rendering import KINDS

pytestmark = pytest.mark.slow

OURS = {"a": {"rel", "target"}, "span": {"class"}, "div": {"class"}, "p": {"class"}}
ELEMENTS = (
    "b p a td table math mi mrow mtext mglyph annotation-xml svg style title form select img "
    "noscript"
).split()
ODD = """< > <!-- --> <![CDATA[ ]]> <a_href= <img_src=x_onerror= <p_title= javascript:x ' " _onclick=x
_style=x:y _id=x _class=k _href=x &#60; &lt; x ` / = _""".replace("\n", " ").split(" ")
WORDS = st.sampled_from(
    [f"<{sign}{tag}>" for tag in ELEMENTS for sign in ("", "/")]
    + [one.replace("_", " ") for one in ODD]
    + ["\0", "\n"]
)
ELSEWHERE = """javascript:x //a.example /lab #formgrader ?path=x https:a.example ftp://a.example
http://localhost:8888/formgrader/?path=submitted/mallory http://127.0.0.1/ http://127.1/
http://2130706433/ http://0x7f.1/ http://a.0x7f/ http://[::1]/ http://a.localhost/
http://localhost.localdomain:8888/lab http://router.home.arpa/ http://a.example@localhost/
http://localhost\\@a.example/ data:text/html,x""".split()
NO_PICTURES = """figures figures/ no.png link.png ../secret.png /etc/passwd %2e%2e/secret.png . .. /
https://a.b/x.png attachment:none.png attachment:y.png attachment:z.png attachment:wide.png
attachment:odd.png data:image/svg+xml,<svg/> data:image/png;base64,AAAA""".split()


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
        if tag not in TAGS | MATHML
        or (name and name not in ATTRIBUTES.get(tag, {}).keys() | OURS.get(tag, set()))
        or (name == "href" and not value.startswith(("https://", "mailto:")))
    ]


@given(st.lists(WORDS, max_size=25).map("".join) | st.text(max_size=60))
def test_whatever_comes_in_only_what_is_listed_comes_out(html):
    cleaned = clean_html(html, nothing)
    assert refused(cleaned) == []
    assert Elements(clean_html(cleaned, nothing)).found == Elements(cleaned).found


@pytest.mark.parametrize("kind", ["markdown", "code", "terminal"])
def test_no_hostile_piece_leaves_more_than_what_is_listed(kind):
    for name, piece in pieces().items():
        try:
            made = KINDS[kind](piece, Pictures())
        except OutOfBounds:
            continue
        assert refused(made) == [], name


@pytest.mark.parametrize("address", [*ELSEWHERE, "https://a.example/ b"])
def test_a_link_leads_to_a_page_in_the_world_or_nowhere(address):
    assert "href" not in clean_html(f'<a href="{address}">x</a>', nothing)


def test_a_link_to_a_page_in_the_world_opens_beside_ours_and_learns_nothing_of_it():
    link = '<a href="https://a.example/b?c=d#e" target="_top" rel="opener">x</a>'
    cleaned = clean_html(link, nothing)
    assert 'href="https://a.example/b?c=d#e"' in cleaned
    assert 'target="_blank"' in cleaned and 'rel="noopener noreferrer"' in cleaned


@pytest.mark.parametrize(
    ("html", "kept"),
    [
        ('<table><td colspan="2" rowspan="50">x</td></table>', ("colspan", "rowspan")),
        ('<table><td colspan="9999999999999" rowspan="51">x</td></table>', ()),
        ('<img width="2000" height="2001">', ("width",)),
        ('<ol start="7"><li>x</ol>', ("start",)),
        ('<ol start="9999999"><li>x</ol>', ()),
        ('<td style="text-align:right">', ()),  # which is no cell of a table
        ('<table><td style="text-align:right">x', ("style",)),
        ('<table><td style="position:fixed">x', ()),
        ('<span style="color: #b3261e">x</span>', ("style",)),
        ('<span style="color:red;position:fixed">x</span>', ()),
        ('<span style="color:url(x)">x</span>', ()),
        ('<span style="position:fixed">x</span>', ()),
        (r'<span style="color:red\;x:y">x</span>', ()),
        ('<math display="block"><mi mathcolor="red" mathsize="99em">x</mi></math>', ("display", "mathcolor")),
        ('<math><mspace width="9em" height="-99px" lspace="4.5em"></math>', ("height", "lspace")),
        ('<math><mi href="https://a.example" style="color:red" class="k" id="x">x</mi></math>', ()),
    ],
)  # fmt: skip
def test_an_attribute_says_what_it_may_or_nothing(html, kept):
    found = {name for _, name, _ in Elements(clean_html(html, nothing)).found}
    assert found - {""} == set(kept)


def test_an_attribute_that_cannot_be_judged_is_left_out():
    def fail(source: str) -> None:
        raise OverflowError

    assert "src" not in clean_html('<img src="x" alt="y">', fail)


def test_elements_lie_only_so_deep():
    assert clean_html("<div>" * 50 + "x", nothing)
    with pytest.raises(OutOfBounds):
        clean_html("<div>" * 5_000 + "x", nothing)


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
    find = Pictures(tmp_path / "release", attachments=attached)
    assert find("figures/a%20b.svg").startswith("data:image/svg+xml;base64,")
    assert find("attachment:x.png") == f"data:image/png;base64,{drawn()}"
    assert find(f"data:image/jpeg;base64,{drawn(kind='JPEG')}").startswith("data:image/jpeg")
    assert find.missing == 0
    none = [*NO_PICTURES, "", "a\0.png", f"{tmp_path}/secret.png", "x" * 9_999]
    assert [source for source in none if find(source) is not None] == []
    assert find.missing == len(none)


def test_a_figure_of_the_release_is_shown_as_it_is_and_no_other_drawing():
    ours = "data:image/svg+xml;base64,PHN2Zy8+"
    theirs = "data:image/svg+xml;base64,PHN2ZyBvbmxvYWQ9IngiLz4="
    find = Pictures(figures=[ours])
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
        assert Pictures().decoded(kept["data"][mime]) == f"data:{mime};base64,{encoded}"


def test_all_pictures_of_a_page_have_a_bound():
    attached = {"x.png": {"image/png": drawn(100, 100)}}
    find = Pictures(attachments=attached, pixels_left=25_000)
    assert [find("attachment:x.png") is not None for _ in range(3)] == [True, True, False]
