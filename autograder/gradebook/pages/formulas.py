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
# more than its own width, above an arrow: browsers take it for all of it
WIDENED = Pattern(r'<mpadded width="\+[^>]*>')


def as_mathml(latex: str, block: bool) -> str:
    """Return a LaTeX formula as MathML, not yet sanitised; if it cannot be converted, as escaped
    LaTeX in `<code>`.

    `block`: whether it stands in a paragraph of its own.
    """
    try:
        if not DEFINES.search(latex):
            # a sum's limits are above and below, or beside
            made = convert_to_element(_usual(latex), display="block" if block else "inline")
            refuse_depth(mathml := _usual_spaces(tostring(made, encoding="unicode")))
            return mathml
    except Exception:  # of latex2mathml, which raises many kinds
        pass
    sign = "$$" if block else "$"
    return f"<code>{escape(f'{sign}{latex}{sign}')}</code>"


def _usual(latex: str) -> str:
    """Return the formula with commands that latex2mathml does not know replaced by ones it knows,
    and without equation numbers.
    """
    latex = OPERATOR.sub(r"\\mathrm\1\2", DROPPED.sub("", latex))
    return ENVIRONMENT.sub(lambda found: rf"\{found[1]}{{{LIKE.get(found[2], 'align*')}}}", latex)


def _usual_spaces(mathml: str) -> str:
    """Return latex2mathml's MathML with correct spacing around operators, and with entities that it
    has escaped twice restored.
    """
    named = NAMED.sub(r'<mo lspace="0.167em" rspace="0.167em">\1', mathml)
    return WIDENED.sub("<mpadded>", named).replace("&amp;", "&")
