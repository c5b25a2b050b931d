"""Render a student's texts and outputs as sanitised HTML, with a function for each kind of text.

Only `render.py` calls these functions, in a process with limits. On some texts, Markdown or a
highlighter takes minutes, and more memory than there is.
"""

from functools import cache
from html import escape
from typing import Any

from nbconvert.filters.ansi import ansi2html
from nbconvert.filters.markdown_mistune import IPythonRenderer, MarkdownWithMath
from pygments import highlight
from pygments.formatters import HtmlFormatter
from pygments.lexer import Lexer
from pygments.lexers import get_lexer_by_name

from autograder.engine import Pattern, limits
from autograder.gradebook.pages.cleaning import clean_html
from autograder.gradebook.pages.formulas import as_mathml
from autograder.gradebook.pages.pictures import Pictures

MAX_MULTIPLIED = 2_000_000  # repeated elements times all elements, about a GB
# Elements that the HTML standard opens again in every block after the one where they were not closed
REPEATED = Pattern(r"(?i)<(?:a|b|big|code|em|font|i|nobr|s|small|strike|strong|tt|u)\b")
STYLED = Pattern(r'<span(?: class="(?P<classes>[^"]*)")? style="(?P<style>[^"]*)">')
COLOUR = Pattern(r"(background-)?color: rgb\((\d+),(\d+),(\d+)\)")
COLOURS = {  # by whether there is much red, green and blue in them
    (True, False, False): "red",
    (False, True, False): "green",
    (True, True, False): "yellow",
    (False, False, True): "blue",
    (True, False, True): "magenta",
    (False, True, True): "cyan",
}
NOT_SHOWN = (
    '<p class="not-shown">A picture is not shown here. Shown are the assignment\'s own, and attached '
    "or drawn ones that are PNG or JPEG and not too large.</p>"
)


class Renderer(IPythonRenderer):
    """nbconvert's Markdown renderer with MathML. `clean_html` replaces images' `src` later."""

    def block_math(self, body: str) -> str:
        return as_mathml(body, block=True)

    def inline_math(self, body: str) -> str:
        return as_mathml(body, block=False)

    def latex_environment(self, name: str, body: str) -> str:
        return as_mathml(rf"\begin{{{name}}}{body}\end{{{name}}}", block=True)

    def block_mermaidjs(self, code: str) -> str:
        return f"<pre><code>{escape(code)}</code></pre>"

    def task_list_item(self, text: str, checked: bool = False) -> str:
        return f"<li>{'☑' if checked else '☐'} {text}</li>\n"

    def _embed_image_or_attachment(self, src: str) -> str:
        return src


def markdown(text: str, pictures: Pictures) -> str:
    """Return Markdown as sanitised HTML. Raises `OutOfBounds` if it is too large or deep."""
    renderer = Renderer(escape=False, exclude_anchor_links=True)
    html = MarkdownWithMath(renderer=renderer).render(text)
    if html.count("<") * len(REPEATED.findall(text)) > MAX_MULTIPLIED:
        raise limits.OutOfBounds
    cleaned = clean_html(html, pictures)
    return cleaned + NOT_SHOWN if pictures.missing else cleaned


def code(text: str, pictures: Pictures) -> str:
    """Return Python code as HTML with syntax highlighting. `pictures` is not used."""
    return highlight(text, _lexer(), HtmlFormatter())


@cache
def _lexer() -> Lexer:
    """Return Pygments' lexer, cached, because the lookup searches all installed packages."""
    return get_lexer_by_name("ipython3")


def terminal(text: str, pictures: Pictures) -> str:
    """Return printed output as HTML, with its ANSI colours. `pictures` is not used."""
    lines = (line.rstrip("\r").rpartition("\r")[2] for line in text.split("\n"))
    html = ansi2html("\n".join(lines))
    return f"<pre>{STYLED.sub(_named, html)}</pre>"


def _named(element: Any) -> str:
    """Replace fixed colours (a match of STYLED) by CSS classes, as a page may be light or dark."""
    classes = [element["classes"]] if element["classes"] else []
    for behind, *rgb in COLOUR.findall(element["style"]):
        if name := _nearest(*map(int, rgb)):
            classes.append(f"ansi-{name}-{'bg' if behind else 'fg'}")
    return f'<span class="{" ".join(classes)}">'


def _nearest(red: int, green: int, blue: int) -> str | None:
    """Return the name of the nearest of the six ANSI colours, None for a grey."""
    lowest, highest = min(red, green, blue), max(red, green, blue)
    if highest - lowest < 40:
        return None
    middle = (lowest + highest) / 2
    return COLOURS[red > middle, green > middle, blue > middle]


def picture(encoded: str, pictures: Pictures) -> str:
    """Return a base64 PNG or JPEG as an `<img>`, or a sentence if it is not allowed."""
    source = pictures.decoded(encoded)
    return f'<img src="{source}" alt="What the cell drew">' if source else NOT_SHOWN


KINDS = {make.__name__: make for make in (markdown, code, terminal, picture)}


@cache
def import_all() -> None:
    """Import libraries by rendering a short text of each kind, to share them with forks."""
    for kind, text in (("markdown", "`x` $x$\n\n    x"), ("code", "x = 1"), ("terminal", "x")):
        KINDS[kind](text, Pictures())
