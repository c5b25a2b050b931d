"""Sanitise HTML. Only allowed elements and attributes are kept."""

from collections.abc import Callable
from functools import cache

import nh3
from pygments.token import STANDARD_TYPES

from autograder.engine import Pattern, limits

TAGS = frozenset(
    "a abbr b blockquote br caption cite code dd del details dfn div dl dt em figcaption figure h1 "
    "h2 h3 h4 h5 h6 hr i img ins kbd li mark ol p pre q s samp small span strike strong sub "
    "summary sup table tbody td tfoot th thead tr tt u ul var".split()
)
MATHML = frozenset(
    "math mrow mi mo mn ms mtext mspace msup msub msubsup mover munder munderover mfrac msqrt mroot "
    "mtable mtr mtd mstyle mpadded mphantom".split()
)
TEXT = Pattern(r"(?s).*")
COLOUR = r"[a-zA-Z]{3,20}|#[0-9a-fA-F]{3,6}"
COLOURED = Pattern(rf"color:\s*({COLOUR});?")
ALIGNED = Pattern(r"text-align:\s*(left|right|center);?")
PIXELS = Pattern(r"[0-9]{1,3}|1[0-9]{3}|2000")
CELLS = Pattern(r"[1-4]?[0-9]|50")
WORDS = Pattern(r"[a-z-]{1,20}( [a-z-]{1,20}){0,20}")
LENGTHS = Pattern(r"[+-]?[0-4]?(\.\d{1,4})?(em|ex)?|[+-]?\d{1,2}(\.\d{1,4})?(pt|px|%)?")
OF_CELLS = {"colspan": CELLS, "rowspan": CELLS, "style": ALIGNED}
OF_MATHML = {
    **dict.fromkeys(
        "display mathvariant stretchy fence separator accent accentunder displaystyle form largeop "
        "movablelimits symmetric columnalign rowalign".split(),
        WORDS,
    ),
    **dict.fromkeys(
        "width height depth lspace rspace voffset minsize maxsize linethickness".split(), LENGTHS
    ),
    **dict.fromkeys(["mathcolor", "mathbackground"], Pattern(COLOUR)),
    "scriptlevel": Pattern(r"[+-]?[0-3]"),
}
ATTRIBUTES = {  # with patterns of their values. Links and pictures are checked below
    "a": {"href": TEXT, "title": TEXT},
    "abbr": {"title": TEXT},
    "img": {"src": TEXT, "alt": TEXT, "title": TEXT, "width": PIXELS, "height": PIXELS},
    "details": {"open": TEXT},
    "ol": {"start": Pattern(r"[0-9]{1,6}")},
    "td": OF_CELLS,
    "th": OF_CELLS,
    "span": {"style": COLOURED},
    **dict.fromkeys(MATHML, OF_MATHML),
}
WITHOUT_CONTENT = frozenset(
    "script style template noscript iframe object embed applet svg title textarea select "
    "option button xmp plaintext noembed noframes".split()
)
LINK = Pattern(
    r"(?i)mailto:[\w.+-]+@[\w.-]+|https?://(?P<host>[a-z0-9-]+(?:\.[a-z0-9-]+)+)(?::[0-9]+)?(?:[/?#][^\s\\]*)?",
)
# Names of this machine and its neighbours, where a link would act in the reader's name. A browser
# reads a last part that begins with a digit as an address
NEAR = Pattern(
    r"(?i)(?:.*\.)?(?:localhost|localdomain6?|local|internal|intranet|lan|home(?:\.arpa)?|[0-9][^.]*)",
)
MAX_DEPTH = 60  # elements inside elements
TAG = Pattern(r"<(/?)([a-z][a-z0-9]*)")
VOID = frozenset({"br", "hr", "img"})


def clean_html(html: str, pictures: Callable[[str], str | None]) -> str:
    """Return a student's HTML without scripts, external resources, or elements that could cover the
    page.

    `pictures` maps an image's `src` to the address to show, or to None for no image. Raises
    `OutOfBounds` if elements are nested too deeply.
    """

    def attribute(tag: str, name: str, value: str) -> str | None:
        try:
            if name == "src":
                return pictures(value)
            return value if _may_say(tag, name, value) else None
        except Exception:  # nh3 would keep the value
            return None

    cleaned = nh3.Cleaner(
        tags=TAGS | MATHML,
        attributes={"*": set(), **{tag: set(names) for tag, names in ATTRIBUTES.items()}},
        allowed_classes={"span": _highlighting(), "div": {"highlight"}},
        clean_content_tags=WITHOUT_CONTENT,
        set_tag_attribute_values={"a": {"target": "_blank"}},
        # nh3 also checks schemes of images here, which `attribute` restricts further
        url_schemes={"http", "https", "mailto", "data", "attachment"},
        link_rel="noopener noreferrer",
        strip_comments=True,
        attribute_filter=attribute,
    ).clean(html)
    refuse_depth(cleaned)
    return cleaned


def _may_say(tag: str, name: str, value: str) -> bool:
    """Whether the attribute may have this value. Classes are checked by nh3 instead."""
    if name == "href":
        return _leads_elsewhere(value)
    return ATTRIBUTES.get(tag, {}).get(name, TEXT).fullmatch(value) is not None


def _leads_elsewhere(address: str) -> bool:
    """Whether a link's target is an e-mail address, or a web page outside the local network."""
    link = LINK.fullmatch(address)
    return link is not None and not NEAR.fullmatch(link["host"] or "")


@cache
def _highlighting() -> frozenset[str]:
    """Return the CSS classes that Pygments uses to highlight code."""
    return frozenset(filter(None, STANDARD_TYPES.values()))


def refuse_depth(html: str) -> None:
    """Raise `OutOfBounds` if elements of well-formed HTML are nested more than MAX_DEPTH deep."""
    depth = 0
    for closing, tag in TAG.findall(html):
        if tag not in VOID:
            depth += -1 if closing else 1
        if depth > MAX_DEPTH:
            raise limits.OutOfBounds
