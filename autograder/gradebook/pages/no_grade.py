"""Make the pages of students without points: unreadable or missing submissions."""

from autograder.classroom.blocks.html import load_templates
from autograder.engine import printable, texts

TEMPLATES = load_templates("autograder.gradebook.pages")


def unreadable_page(assignment: str, student: str, reason: str) -> str:
    """Return the HTML page on an unreadable notebook, with the reason."""
    return _page(
        assignment,
        student,
        title="Your notebook could not be read",
        why=f"It has no points yet. {printable(reason, texts.LONGEST_LINE)}",
        steps=[
            f"Open `{assignment}.ipynb` in JupyterLab, VS Code or Colab. If it does not open there "
            "either, take the copy from which you handed in, or an older one.",
            "Save it from there as a notebook, not as a web page or a script, then close it.",
            f"Hand in this one file again, as `{assignment}.ipynb`. Where that is no longer possible, "
            "send it to your teachers with this page.",
        ],
    )


def missing_page(assignment: str, student: str, due: str) -> str:
    """Return the HTML page on a missing submission. `due`: the deadline in words, "" for none."""
    until = f" It was due on {due}." if due else ""
    return _page(
        assignment,
        student,
        title="Nothing was handed in",
        why=f"No notebook of yours was received for `{assignment}`, so there are no points.{until}",
        steps=[
            "If you did hand it in, look whether the platform lists your file, and for which "
            "assignment. Send your teachers the file and what the platform shows.",
            "If you did not, ask your teachers whether it can still be handed in, and what being late "
            "costs.",
        ],
    )


def _page(assignment: str, student: str, **texts_of_page: object) -> str:
    page = TEMPLATES.get_template("no_grade.html.jinja")
    return page.render(assignment=assignment, student=printable(student), **texts_of_page)
