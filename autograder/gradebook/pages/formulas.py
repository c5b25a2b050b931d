"""LaTeX as MathML, which browsers show without a script."""

from collections.abc import Iterable
from html import escape, unescape
from xml.etree.ElementTree import Element

from latex2mathml.converter import convert_to_element

from autograder.patterns import Pattern

MAX_FORMULA = 2_000  # characters; one of the notebooks' has 200
MAX_DEPTH = 30  # elements inside elements; each root in the index of a root doubles the height
DEFINES = Pattern(r"\\(?:(?:re)?new|provide)command|\\[egx]?def\b|\\let\b|\\DeclareMathOperator")
DROPPED = Pattern(r"\\(?:notag|nonumber)\b|\\label\s*\{[^{}]*\}")
ENVIRONMENT = Pattern(
    r"\\(begin|end)\s*\{\s*(align|aligned|eqnarray|gather|gathered|multline)\*?\}"
)
# latex2mathml takes neither the star nor a space, as in `arg\\,max`
OPERATOR = Pattern(r"\\operatorname\s*(?:\*\s*(\{)|(\{[^{}]*\\))")
LIKE = {"aligned": "split", "gather": "matrix", "gathered": "matrix", "multline": "matrix"}
TAGS = frozenset(
    "mrow mi mo mn ms mtext mspace msup msub msubsup mover munder munderover mfrac msqrt mroot "
    "mtable mtr mtd mstyle mpadded mphantom mmultiscripts mprescripts".split()
)
NAMED = Pattern(r"[a-z]{2,30}")  # max, sin: else as much space as around a plus
WORD = Pattern(r"[a-z-]{1,20}( [a-z-]{1,20}){0,20}")
LENGTHS = Pattern(r"[+-]?[0-4]?(\.\d{1,4})?(em|ex)?|[+-]?\d{1,2}(\.\d{1,4})?(pt|px|%)?")
COLOUR = Pattern(r"[a-zA-Z]{1,20}|#[0-9a-fA-F]{3,6}")
ATTRIBUTES = {
    **dict.fromkeys(
        "mathvariant stretchy fence separator accent accentunder displaystyle form largeop "
        "movablelimits symmetric columnalign rowalign".split(),
        WORD,
    ),
    **dict.fromkeys(
        "width height depth lspace rspace voffset minsize maxsize linethickness".split(), LENGTHS
    ),
    "scriptlevel": Pattern(r"[+-]?[0-3]"),
    "mathcolor": COLOUR,
    "mathbackground": COLOUR,
}


def as_mathml(latex: str, block: bool) -> str:
    """Return a formula as MathML; as it was written, where it cannot be shown otherwise."""
    try:
        if len(latex) <= MAX_FORMULA and not DEFINES.search(latex):
            display = (
                "block" if block else "inline"
            )  # a sum's limits are above and below, or beside
            return _formula(convert_to_element(_usual(latex), display=display), block)
    except Exception:  # of latex2mathml, which raises many kinds
        pass
    sign = "$$" if block else "$"
    return f"<code>{escape(f'{sign}{latex}{sign}')}</code>"


def _usual(latex: str) -> str:
    """The same formula in words that latex2mathml knows, and without numbers of equations."""
    latex = OPERATOR.sub(r"\\mathrm\1\2", DROPPED.sub("", latex))
    return ENVIRONMENT.sub(lambda found: rf"\{found[1]}{{{LIKE.get(found[2], 'align*')}}}", latex)


def _formula(made: Element, block: bool) -> str:
    inner = "".join(_written(made))
    return f'<math display="{"block" if block else "inline"}">{inner}</math>'


def _written(parent: Element, depth: int = 0) -> Iterable[str]:
    """The children, with the elements and attributes that are known and nothing else.

    Raises `ValueError` where they are too nested.
    """
    if depth > MAX_DEPTH:
        raise ValueError("too nested")
    for child in parent:
        text = escape(unescape(child.text or ""))
        if child.tag in TAGS:
            yield f"<{child.tag}{''.join(_attributes(child))}>{text}"
            yield from _written(child, depth + 1)
            yield f"</{child.tag}>"
        else:
            yield text
            yield from _written(child, depth + 1)


def _attributes(element: Element) -> Iterable[str]:
    given = element.attrib
    if element.tag == "mpadded" and "+" in given.get("width", ""):
        given = {}  # more than its own width, above an arrow: browsers take it for all of it
    if element.tag == "mo" and NAMED.fullmatch(element.text or ""):
        given = {"lspace": "0.167em", "rspace": "0.167em"} | given
    for name, value in given.items():
        if (shape := ATTRIBUTES.get(name)) and shape.fullmatch(value):
            yield f' {name}="{value}"'
