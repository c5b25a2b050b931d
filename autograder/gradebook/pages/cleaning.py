"""HTML with a list of what may be in it; whatever is not on the list is taken out."""

from collections.abc import Callable, Mapping
from functools import cache

import nh3
from pygments.token import STANDARD_TYPES

from autograder.patterns import Pattern

Filter = Callable[[str, str, str], str | None]

TAGS = frozenset(
    "a abbr b blockquote br caption cite code dd del details dfn div dl dt em figcaption figure h1 "
    "h2 h3 h4 h5 h6 hr i img ins kbd li mark ol p pre q s samp small span strike strong sub "
    "summary sup table tbody td tfoot th thead tr tt u ul var".split()
)
ATTRIBUTES = {
    "a": {"href", "title"},
    "abbr": {"title"},
    "img": {"src", "alt", "title", "width", "height"},
    "details": {"open"},
    "ol": {"start"},
    "td": {"colspan", "rowspan", "style"},
    "th": {"colspan", "rowspan", "style"},
}
FORMULA = "data-formula"
PLACE = Pattern(rf'<span {FORMULA}="([^"]*)"></span>')
WITHOUT_CONTENT = frozenset(
    "script style template noscript iframe object embed applet math svg title textarea select "
    "option button xmp plaintext noembed noframes".split()
)
LINK = Pattern(
    r"(?i)mailto:[\w.+-]+@[\w.-]+|https?://(?P<host>[a-z0-9-]+(?:\.[a-z0-9-]+)+)(?::[0-9]+)?(?:[/?#][^\s\\]*)?",
)
# Names of this machine and its neighbours, where a link would act in the reader's name; a browser
# reads a last part that begins with a digit as an address
NEAR = Pattern(
    r"(?i)(?:.*\.)?(?:localhost|localdomain6?|local|internal|intranet|lan|home(?:\.arpa)?|[0-9][^.]*)",
)
ALIGNED = Pattern(r"text-align:\s*(left|right|center);?")
COLOURED = Pattern(r"color:\s*([a-zA-Z]{3,20}|#[0-9a-fA-F]{3,6});?")
NUMBER = Pattern(r"[0-9]{1,6}")
LARGEST = {"width": 2_000, "height": 2_000, "colspan": 50, "rowspan": 50, "start": 999_999}
LINES = "repair", "mistake", "gone", "passed", "failed", "question", "total"  # of a table of checks
MAX_DEPTH = 60  # elements inside elements
TAG = Pattern(r"<(/?)([a-z][a-z0-9]*)")
VOID = frozenset({"br", "hr", "img"})


class TooMuch(Exception):
    """What a student wrote is too large or too nested for a page."""


def clean_html(html: str, pictures: Callable[[str], str | None], formulas: Mapping = {}) -> str:
    """Return HTML of a student without anything that acts, loads or leaves its place.

    `pictures` tells what is shown for an image's source. The elements that stand for `formulas`
    become these.
    """

    def attribute(tag: str, name: str, value: str) -> str | None:
        if name == "src":
            return pictures(value)
        if name == FORMULA:
            return value if value in formulas else None
        return _attribute(tag, name, value)

    cleaned = _cleaner(
        attributes=ATTRIBUTES | {"span": {FORMULA, "style"}},
        allowed_classes={"span": _highlighting(), "div": {"highlight"}},
        attribute_filter=attribute,
    ).clean(html)
    _refuse_depth(cleaned)
    return PLACE.sub(lambda found: formulas.get(found[1], ""), cleaned)


def _attribute(tag: str, name: str, value: str) -> str | None:
    """The value of an attribute, if it may have this one."""
    if name == "href":
        return value if len(value) <= 2_000 and _leads_elsewhere(value) else None
    if name == "style":
        return value if (COLOURED if tag == "span" else ALIGNED).fullmatch(value) else None
    if name in LARGEST:
        return value if NUMBER.fullmatch(value) and int(value) <= LARGEST[name] else None
    return value[:1_000]


def _leads_elsewhere(address: str) -> bool:
    """Whether this is the address of a letter or of a page in the world, by the name of a host."""
    link = LINK.fullmatch(address)
    return link is not None and not NEAR.fullmatch(link["host"] or "")


def clean_table(html: str) -> str:
    """Return the HTML that stands below a check cell: a table with its classes, and no link.

    The page has rules for the classes; the table's own styles would know no dark page.
    """
    return _cleaner(
        tags=frozenset("table tbody tr td code b p br span".split()),
        attributes={"td": {"colspan"}},
        allowed_classes={"table": {"checks"}, "tr": set(LINES)},
        attribute_filter=lambda tag, name, value: (
            _attribute(tag, name, value) if name != "class" else value
        ),
    ).clean(html)


def _cleaner(
    attributes: Mapping,
    attribute_filter: Filter,
    allowed_classes: Mapping,
    tags: frozenset[str] = TAGS,
) -> nh3.Cleaner:
    def carefully(tag: str, name: str, value: str) -> str | None:
        try:
            return attribute_filter(tag, name, value)
        except Exception:  # nh3 would keep the value
            return None

    return nh3.Cleaner(
        tags=tags,
        allowed_classes=allowed_classes,
        attributes={tag: set(names) for tag, names in attributes.items()} | {"*": set()},
        clean_content_tags=set(WITHOUT_CONTENT),
        set_tag_attribute_values={"a": {"target": "_blank"}} if "a" in tags else {},
        # that of images is for `attribute_filter` to judge, which sees links as well
        url_schemes={"http", "https", "mailto", "data", "attachment"},
        link_rel="noopener noreferrer",
        strip_comments=True,
        attribute_filter=carefully,
    )


@cache
def _highlighting() -> frozenset[str]:
    """The classes with which Pygments names the words of a program."""
    return frozenset(filter(None, STANDARD_TYPES.values()))


def _refuse_depth(html: str) -> None:
    """Raise `TooMuch` where elements of cleaned HTML lie deeper than a page needs."""
    depth = 0
    for closing, tag in TAG.findall(html):
        if tag not in VOID:
            depth += -1 if closing else 1
        if depth > MAX_DEPTH:
            raise TooMuch
