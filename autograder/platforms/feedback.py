"""What a student reads about a grade: a short comment, and a page."""

import html
import re
from pathlib import Path

from autograder.platforms.spreadsheet import neutral
from autograder.platforms.grades import Grade, written
from autograder.gradebook.check_cell import STATES, TEMPLATES, as_html

POINTS, NO_GRADE, END = "Points by exercise:", "No grade:", "[automatic feedback]"
OURS = re.compile(f"({POINTS}|{NO_GRADE}).*?{re.escape(END)}", re.DOTALL)


def points_lines(grade: Grade) -> list[str]:
    """The points as they add up, a line each."""
    mark, lines = grade.mark, []
    for result in grade.verdict.exercises:
        state = f" ({STATES[result.state]})" if STATES[result.state] else ""
        points = f"{written(result.points)} of {written(result.max_points)}{state}"
        lines.append(f"{result.id.replace('_', ' ')}: {points}")
    if mark and (mark.by_hand or mark.max_points > grade.verdict.max_points):
        rest = f", {mark.waiting} still to be marked" if mark.waiting else ""
        lines.append(f"marked by hand: {written(mark.by_hand)}{rest}")
    if mark and mark.penalty:
        lines.append(f"handed in late: -{written(mark.penalty)}")
    automatic = "" if mark else ", automatic points only"
    return [*lines, f"total: {written(grade.total or 0)} of {written(grade.max_points)}{automatic}"]


def sentences(grade: Grade) -> list[str]:
    """The sentence of each recognised mistake, once."""
    said = (mistake.sentence for result in grade.verdict.exercises for mistake in result.mistakes)
    return list(dict.fromkeys(said))


def comment(grade: Grade) -> str:
    """Plain text that a platform may also take for HTML."""
    if grade.no_grade:
        lines = [f"{NO_GRADE} {neutral(grade.no_grade)}"]
    else:
        lines = [f"{POINTS} {'; '.join(points_lines(grade))}.", *sentences(grade)]
    return html.escape("\n".join([*lines, END]), quote=False)


def merged(before: str, grade: Grade) -> str:
    """Our comment in the place of an earlier one of ours, else after what a person wrote."""
    now = comment(grade)
    if OURS.search(before):
        return OURS.sub(lambda _: now, before, count=1)
    return f"{before}\n{now}" if before.strip() else now


def made_by_nbgrader(course: Path, grade: Grade) -> Path | None:
    """The feedback page in the course, if there is one for this grade."""
    assignment = grade.verdict.assignment
    page = course / "feedback" / grade.student / assignment / f"{assignment}.html"
    return page if not grade.no_grade and page.is_file() else None


def page(grade: Grade) -> str:
    """A small page of our own."""
    shown = [(result, as_html(result)) for result in grade.verdict.exercises]
    return TEMPLATES.get_template("feedback.html.jinja").render(
        grade=grade, lines=points_lines(grade)[len(shown) :], exercises=shown
    )
