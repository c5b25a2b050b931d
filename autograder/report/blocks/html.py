"""Blocks as HTML, in which every sentence is escaped; and the look of pages."""

from pathlib import Path

import jinja2
from markupsafe import Markup, escape

from autograder.report.blocks.verdict_blocks import CODE, ExerciseBlocks, share_text

LOOK = Path(__file__).parent / "templates" / "submission_page"


def words_as_code(text: str) -> Markup:
    """Return the text, escaped, with words in backticks as code (a filter of Jinja's)."""
    return Markup(CODE.sub(r"<code>\1</code>", str(escape(text))))


def load_templates(package: str) -> jinja2.Environment:
    """Return the page templates of a package, which may include those beside this module: the look of
    every page.

    What they fill in is escaped; their filter `code` shows words in backticks as code.
    """
    templates = jinja2.Environment(
        loader=jinja2.ChoiceLoader([jinja2.PackageLoader(package), jinja2.FileSystemLoader(LOOK)]),
        autoescape=True,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    templates.filters["code"] = words_as_code
    return templates


TEMPLATES = load_templates("autograder.report.blocks")
TEMPLATES.globals["share"] = share_text


def as_html(blocks: ExerciseBlocks, in_notebook: bool = False) -> Markup:
    """Return a table: a row for each sentence and check of an exercise, at the end what it came to.

    Pages have rules for its classes; for a notebook it has styles of its own.
    """
    page = TEMPLATES.get_template("blocks.html.jinja")
    return Markup(page.render(blocks=blocks, in_notebook=in_notebook))
