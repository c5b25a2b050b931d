"""Render blocks as HTML with escaped text, and load page templates with the shared style."""

from pathlib import Path

import jinja2
from markupsafe import Markup, escape

from autograder.classroom.blocks.verdict_blocks import CODE, ExerciseBlocks, share_text

LOOK = Path(__file__).parent / "templates" / "submission_page"


def words_as_code(text: str) -> Markup:
    """Return the text as escaped HTML, with words in backticks as `<code>` (a Jinja filter)."""
    return Markup(CODE.sub(r"<code>\1</code>", str(escape(text))))


def load_templates(package: str, *further_loaders: jinja2.BaseLoader) -> jinja2.Environment:
    """Return the page templates of a package. They may include the shared style of all pages, and
    templates from `further_loaders`.

    Values are escaped. The filter `code` shows words in backticks as code.
    """
    loaders = jinja2.PackageLoader(package), jinja2.FileSystemLoader(LOOK), *further_loaders
    templates = jinja2.Environment(
        loader=jinja2.ChoiceLoader(loaders),
        autoescape=True,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    templates.filters["code"] = words_as_code
    return templates


TEMPLATES = load_templates("autograder.classroom.blocks")
TEMPLATES.globals["share"] = share_text


def as_html(blocks: ExerciseBlocks, in_notebook: bool = False) -> Markup:
    """Return an HTML table with a row for each sentence and each check of an exercise, and the
    points in the last row.

    It has CSS classes for the page's style, or inline styles with `in_notebook`.
    """
    page = TEMPLATES.get_template("blocks.html.jinja")
    return Markup(page.render(blocks=blocks, in_notebook=in_notebook))
