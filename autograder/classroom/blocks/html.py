"""Render blocks as HTML, with all text escaped; and load page templates with the style that all
pages share.
"""

from pathlib import Path

import jinja2
from markupsafe import Markup, escape

from autograder.classroom.blocks.verdict_blocks import CODE, ExerciseBlocks, share_text

LOOK = Path(__file__).parent / "templates" / "submission_page"


def words_as_code(text: str) -> Markup:
    """Return the text as escaped HTML, with words in backticks as `<code>`. It is a filter for
    Jinja templates.
    """
    return Markup(CODE.sub(r"<code>\1</code>", str(escape(text))))


def load_templates(package: str, *others: jinja2.BaseLoader) -> jinja2.Environment:
    """Return the page templates of a package, which may include the style that all pages share, and
    templates that `others` find.

    Values are escaped. The filter `code` shows words in backticks as code.
    """
    loaders = jinja2.PackageLoader(package), jinja2.FileSystemLoader(LOOK), *others
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

    It has CSS classes, which the page styles; with `in_notebook`, it has inline styles instead.
    """
    page = TEMPLATES.get_template("blocks.html.jinja")
    return Markup(page.render(blocks=blocks, in_notebook=in_notebook))
