"""Render the class report: one HTML page for the instructor, on one or several assignments."""

from collections.abc import Sequence

from autograder.classroom.blocks.html import load_templates
from autograder.classroom.blocks.verdict_blocks import title
from autograder.desk.report import words
from autograder.desk.report.assignment_report import AssignmentReport
from autograder.engine import plural, points_text, printable, texts

SHOWN = 15  # rows of a list; the rest is folded
MANY = 12  # names, which are folded
LONGEST_TEXT = 300  # characters where little room is
TEMPLATES = load_templates("autograder.desk.report")
TEMPLATES.globals |= {"SHOWN": SHOWN, "MANY": MANY}
TEMPLATES.filters |= {
    "text": lambda text: printable(str(text), texts.LONGEST_LINE),
    "title": title,
    "count": plural,
    "points": words.points,
    "points_lost": words.points_lost,
    "exact": points_text,  # what a check is worth, so that checks add up to their exercise
    "percent": words.percent,
    "line": lambda text: printable(" ".join(str(text).split()), LONGEST_TEXT),
}


def report_page(reports: Sequence[AssignmentReport]) -> str:
    """Return the class report as HTML; the page loads no other file. `reports` has one report for
    each assignment.
    """
    return TEMPLATES.get_template("class_report.html.jinja").render(reports=reports)
