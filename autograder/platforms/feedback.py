"""What a student reads about a grade: a short comment, and a page."""

import contextlib
import html
from pathlib import Path

from autograder.files import read_regular
from autograder.gradebook.check_cell import STATES, as_html, load_templates, repairs_by_exercise
from autograder.gradebook.pages.cleaning import clean_table
from autograder.gradebook.pages.no_grade import unreadable_page
from autograder.patterns import Pattern, escape
from autograder.platforms.grades import Grade, decimal_text
from autograder.text import escape_formulas, printable

MAX_BYTES = 256 << 20  # of a feedback page
TEMPLATES = load_templates("autograder.platforms")
POINTS, NO_GRADE, END = "Points by exercise:", "No grade:", "[automatic feedback]"
OUR_COMMENT = Pattern(f"(?s)({POINTS}|{NO_GRADE}).*?{escape(END)}")


def points_lines(grade: Grade) -> list[str]:
    """Return the points as they add up, a line each."""
    mark, lines = grade.mark, []
    for result in grade.verdict.exercises:
        state = f" ({STATES[result.state]})" if STATES[result.state] else ""
        points = f"{decimal_text(result.points)} of {decimal_text(result.max_points)}{state}"
        lines.append(f"{result.id.replace('_', ' ')}: {points}")
    if mark and (mark.by_hand or mark.max_points > grade.verdict.max_points):
        rest = f", {mark.waiting} still to be marked" if mark.waiting else ""
        lines.append(f"marked by hand: {decimal_text(mark.by_hand)}{rest}")
    if mark and mark.penalty:
        lines.append(f"handed in late: -{decimal_text(mark.penalty)}")
    automatic = "" if mark else ", automatic points only"
    return [
        *lines,
        f"total: {decimal_text(grade.total or 0)} of {decimal_text(grade.max_points)}{automatic}",
    ]


def sentences(grade: Grade) -> list[str]:
    """Return the sentence of each mistake that was named, once."""
    said = (mistake.sentence for result in grade.verdict.exercises for mistake in result.mistakes)
    return list(dict.fromkeys(said))


def comment(grade: Grade) -> str:
    """Return the comment: plain text that a platform may also take for HTML."""
    if grade.no_grade:
        why = html.escape(grade.no_grade, quote=False)
        return f"{NO_GRADE} {escape_formulas(why)}\n{END}"
    lines = [f"{POINTS} {'; '.join(points_lines(grade))}.", *sentences(grade), END]
    return html.escape("\n".join(lines), quote=False)


def merge_comment(before: str, grade: Grade) -> str:
    """Return the comment `before` with ours: in the place of an earlier one of ours, else at the end."""
    now = comment(grade)
    if OUR_COMMENT.search(before):
        return OUR_COMMENT.sub(lambda _: now, before, count=1)
    return f"{before}\n{now}" if before.strip() else now


def nbgrader_page(course: Path, grade: Grade) -> Path | None:
    """Return nbgrader's feedback page in the course, if there is one for this grade."""
    assignment = grade.verdict.assignment
    page = course / "feedback" / grade.student / assignment / f"{assignment}.html"
    return page if not grade.no_grade and page.is_file() else None


def feedback_page(course: Path, grade: Grade) -> bytes:
    """Return nbgrader's page where there is one that can be read, else our own."""
    page = nbgrader_page(course, grade)
    if page:
        with contextlib.suppress(OSError):
            return read_regular(page, MAX_BYTES, course)
    return own_page(grade).encode()


def own_page(grade: Grade) -> str:
    """Return a small HTML page of our own; for what could not be read, one that says what to do."""
    if grade.verdict.state == "unreadable":
        reason = grade.verdict.reason or ""
        return unreadable_page(grade.verdict.assignment, grade.person.name or grade.student, reason)
    repairs = repairs_by_exercise(grade.verdict)
    shown = [
        (result, clean_table(as_html(result, repairs[result.id])))  # in the page's colours
        for result in grade.verdict.exercises
    ]
    return TEMPLATES.get_template("feedback.html.jinja").render(
        grade=grade,
        name=printable(grade.person.name or grade.student),
        lines=points_lines(grade)[len(shown) :],
        exercises=shown,
    )
