"""Render blocks as HTML, with every sentence escaped; and load templates with the common style of
all pages.
"""

from pathlib import Path

import jinja2
from markupsafe import Markup, escape

from autograder.report.blocks.verdict_blocks import CODE, ExerciseBlocks, share_text

LOOK = Path(__file__).parent / "templates" / "submission_page"


def words_as_code(text: str) -> Markup:
    """Return the text, escaped, with words in backticks as `<code>` (a Jinja filter)."""
    return Markup(CODE.sub(r"<code>\1</code>", str(escape(text))))


def load_templates(package: str) -> jinja2.Environment:
    """Return a package's page templates, which may include the common style beside this module.

    Values are escaped; the filter `code` shows words in backticks as code.
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
    """Return a table with a row for each sentence and check of an exercise, and its points in the
    last row.

    Pages style its CSS classes; with `in_notebook`, the table has inline styles.
    """
    page = TEMPLATES.get_template("blocks.html.jinja")
    return Markup(page.render(blocks=blocks, in_notebook=in_notebook))
