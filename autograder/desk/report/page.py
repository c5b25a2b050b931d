"""Render the class report: an HTML page for the instructor, on any number of assignments."""

from collections.abc import Sequence

from autograder.classroom.blocks.html import load_templates
from autograder.classroom.blocks.verdict_blocks import title
from autograder.desk.report import words
from autograder.desk.report.assignment_report import AssignmentReport
from autograder.engine import plural, points_text, printable, texts

SHOWN = 15  # rows of a list before the others are folded
MANY = 12  # names that are folded
LONGEST_TEXT = 300  # characters in narrow places
TEMPLATES = load_templates("autograder.desk.report")
TEMPLATES.globals |= {"SHOWN": SHOWN, "MANY": MANY}
TEMPLATES.filters |= {
    "text": lambda text: printable(str(text), texts.LONGEST_LINE),
    "title": title,
    "count": plural,
    "points": words.points,
    "points_lost": words.points_lost,
    "exact": points_text,  # points of checks are not rounded, so that they add up to their exercise
    "percent": words.percent,
    "line": lambda text: printable(" ".join(str(text).split()), LONGEST_TEXT),
}


def report_page(reports: Sequence[AssignmentReport]) -> str:
    """Return the class report as self-contained HTML, with a part for each assignment."""
    return TEMPLATES.get_template("class_report.html.jinja").render(reports=reports)
