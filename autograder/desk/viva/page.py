"""Write the page with a student's questions, for the tutor."""

from collections.abc import Sequence
from pathlib import Path

from autograder.classroom.blocks.html import load_templates
from autograder.desk.viva.ask import Viva
from autograder.engine import files, printable, texts

FOLDER = "viva"  # in an assignment's folder of results
TEMPLATES = load_templates("autograder.desk.viva")
TEMPLATES.filters |= {"printable": printable, "printable_lines": texts.printable_lines}


def write_page(results: Path, viva: Viva, members: Sequence[str] = ()) -> Path:
    """Write a student's questions as HTML to `<assignment>/viva/<student>.html` in `results`, the
    folder of all results. Return the path. `members`: of the group that submitted, if any. Raises
    `OSError` if the page cannot be written.
    """
    path = results / viva.assignment / FOLDER / f"{viva.student}.html"
    with files.replacing(path) as file:
        file.write(TEMPLATES.get_template("viva.html.jinja").render(viva=viva, members=members))
    return path
