"""Convert LaTeX formulas to MathML, which browsers show without a script."""

from html import escape
from xml.etree.ElementTree import tostring

from latex2mathml.converter import convert_to_element

from autograder.engine import Pattern
from autograder.gradebook.pages.cleaning import refuse_depth

DEFINES = Pattern(r"\\(?:(?:re)?new|provide)command|\\[egx]?def\b|\\let\b|\\DeclareMathOperator")
DROPPED = Pattern(r"\\(?:notag|nonumber)\b|\\label\s*\{[^{}]*\}")
ENVIRONMENT = Pattern(
    r"\\(begin|end)\s*\{\s*(align|aligned|eqnarray|gather|gathered|multline)\*?\}"
)
# latex2mathml takes neither the star nor a space, as in `arg\\,max`
OPERATOR = Pattern(r"\\operatorname\s*(?:\*\s*(\{)|(\{[^{}]*\\))")
LIKE = {"aligned": "split", "gather": "matrix", "gathered": "matrix", "multline": "matrix"}
# max, sin: else browsers leave as much space as around a plus
NAMED = Pattern(r"<mo>([a-z]{2,30}<)")
# latex2mathml widens labels above arrows by a relative width, which browsers take as the full width
WIDENED = Pattern(r'<mpadded width="\+[^>]*>')


def as_mathml(latex: str, block: bool) -> str:
    """Return a formula as unsanitised MathML, or as escaped LaTeX. `block`: in a paragraph."""
    try:
        if not DEFINES.search(latex):
            # a sum's limits are above and below, or beside
            element = convert_to_element(_usual(latex), display="block" if block else "inline")
            refuse_depth(mathml := _usual_spaces(tostring(element, encoding="unicode")))
            return mathml
    except Exception:  # latex2mathml raises many kinds
        pass
    sign = "$$" if block else "$"
    return f"<code>{escape(f'{sign}{latex}{sign}')}</code>"


def _usual(latex: str) -> str:
    """Replace commands unknown to latex2mathml, and remove equation numbers."""
    latex = OPERATOR.sub(r"\\mathrm\1\2", DROPPED.sub("", latex))
    return ENVIRONMENT.sub(lambda match: rf"\{match[1]}{{{LIKE.get(match[2], 'align*')}}}", latex)


def _usual_spaces(mathml: str) -> str:
    """Correct latex2mathml's spacing around operators, and its doubly escaped entities."""
    spaced = NAMED.sub(r'<mo lspace="0.167em" rspace="0.167em">\1', mathml)
    return WIDENED.sub("<mpadded>", spaced).replace("&amp;", "&")
