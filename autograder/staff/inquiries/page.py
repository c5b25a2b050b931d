"""The page of whoever decides inquiries: the page for marking, with what the student doubts."""

from collections.abc import Sequence
from pathlib import Path

import jinja2

from autograder.engine.course.assignment import Assignment
from autograder.report.blocks.html import load_templates
from autograder.staff.inquiries.cases import Case
from autograder.staff.marking.page import CELLS, Track, write_page
from autograder.text.printable import printable_lines

MARKING = jinja2.PackageLoader("autograder.staff.marking")
TEMPLATES = load_templates("autograder.staff.inquiries", CELLS, MARKING)
TEMPLATES.filters["lines"] = printable_lines


def write_cases(
    path: Path,
    title: str,
    assignment: Assignment,
    cases: Sequence[Case],
    decided: Sequence[str],
    track: Track = iter,
) -> None:
    """Write the inquiries that one person decides as an HTML page to `path`, which is replaced.

    `decided`: sentences on inquiries about what that person has marked; `track`: as `write_page`
    takes it.
    """
    answers = [case.answer for case in cases]
    write_page(
        path,
        title,
        assignment,
        [[one] for one in answers],  # also equal answers are asked about one by one
        answers,
        blind=False,
        track=track,
        template=TEMPLATES.get_template("inquiries.html.jinja"),
        cases={case.answer.name: case for case in cases},
        decided=decided,
    )
