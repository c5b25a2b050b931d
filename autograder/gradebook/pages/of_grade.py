"""Render a grade as a comment, an HTML page, Markdown or a notebook, and make zips of them."""

import contextlib
import html
import io
import json
import zipfile
from collections.abc import Container
from pathlib import Path

from autograder.classroom.blocks.html import as_html, load_templates
from autograder.classroom.blocks.markdown import as_markdown, markdown_text
from autograder.classroom.blocks.verdict_blocks import ExerciseBlocks, title, verdict_blocks
from autograder.engine import Pattern, courses, files, printable, texts
from autograder.gradebook.grades import Grade, decimal_text
from autograder.gradebook.pages.no_grade import unreadable_page

MAX_BYTES = 256 << 20  # of a feedback page
TEMPLATES = load_templates("autograder.gradebook.pages")
POINTS, NO_GRADE, END = "Points by exercise:", "No grade:", "[automatic feedback]"
OUR_COMMENT = Pattern(f"(?s)({POINTS}|{NO_GRADE}).*?{texts.escape(END)}")
OF_STUDENT = (
    b'<p class="of-what">',
    b"<title>",
    b"<h1>",
    b'<meta name="made-from"',
    b'<meta name="grade"',
)
FIRST_DAY = (1980, 1, 1, 0, 0, 0)  # of zip's calendar, so that equal content gives equal bytes


def points_lines(grade: Grade) -> list[str]:
    """Return lines with the points of exercises, hand marking, late penalty and total."""
    return [*(exercise.heading.line for exercise in _blocks(grade)), *_sum_lines(grade)]


def _sum_lines(grade: Grade) -> list[str]:
    mark = grade.mark
    cells = mark.cells if mark and grade.marked_by_hand else []
    written = [cell for cell in cells if cell.automatic is None]
    changed = [cell for cell in cells if None not in (cell.automatic, cell.by_hand)]
    by_hand = decimal_text(sum(cell.points for cell in written))
    unmarked = f", {mark.waiting} still to be marked" if mark and mark.waiting else ""
    penalty = mark.penalty if mark else 0.0
    kind, total = "" if mark else ", automatic points only", grade.total or 0.0
    if grade.verdict.is_practice:
        kind, total = ", practice", grade.verdict.points
    return [
        *(
            f"{title(cell.name.removeprefix(courses.CHECK))}, changed by a person: {decimal_text(cell.points)}"
            for cell in changed
        ),
        *([f"marked by hand: {by_hand}{unmarked}"] if written else []),
        *([f"handed in late: -{decimal_text(penalty)}"] if penalty else []),
        f"total: {decimal_text(total)} of {decimal_text(grade.max_points)}{kind}",
    ]


def _blocks(grade: Grade) -> list[ExerciseBlocks]:
    return list(verdict_blocks(grade.verdict, "student").values())


def comment(grade: Grade) -> str:
    """Return points and mistakes, or the reason for a missing grade, as text escaped for HTML."""
    if grade.no_grade:
        reason = html.escape(grade.no_grade, quote=False)
        return f"{NO_GRADE} {texts.escape_formulas(reason)}\n{END}"
    mistakes = dict.fromkeys(
        sentence.text for exercise in _blocks(grade) for sentence in exercise.of_kind("mistake")
    )
    lines = [f"{POINTS} {'; '.join(points_lines(grade))}.", *mistakes, END]
    return html.escape("\n".join(lines), quote=False)


def nbgrader_page(course: Path, grade: Grade) -> Path | None:
    """Return the path of nbgrader's feedback page, None without a page or a grade."""
    assignment = grade.verdict.assignment
    page = course / "feedback" / grade.student / assignment / f"{assignment}.html"
    return page if not grade.no_grade and page.is_file() else None


def feedback_page(course: Path, grade: Grade) -> bytes:
    """Return nbgrader's feedback page for this grade, else `own_page`."""
    page = nbgrader_page(course, grade)
    if page:
        with contextlib.suppress(OSError):
            return files.read_regular(page, MAX_BYTES, course)
    return own_page(grade).encode()


def without_student(page: bytes) -> list[bytes]:
    """Return the lines of a feedback page without student's names and hashes, for comparison."""
    lines = (line.strip() for line in page.splitlines())
    return [line for line in lines if not line.startswith(OF_STUDENT)]


def own_page(grade: Grade) -> str:
    """Return an HTML page with the grade or practice points, or with next steps if unreadable."""
    if grade.verdict.state == "unreadable":
        reason = " ".join(filter(None, (grade.verdict.reason, *grade.notes)))
        return unreadable_page(grade.verdict.assignment, grade.person.name or grade.student, reason)
    return TEMPLATES.get_template("of_grade.html.jinja").render(
        grade=grade,
        name=printable(grade.person.name or grade.student),
        lines=_sum_lines(grade),
        exercises=[(exercise.heading, as_html(exercise)) for exercise in _blocks(grade)],
    )


def markdown_parts(grade: Grade) -> list[str]:
    """Return the feedback as Markdown texts: the points, then a text for each exercise."""
    title = f"# Feedback on {markdown_text(grade.verdict.assignment)}"
    title = "\n\n".join([title, *map(markdown_text, grade.notes)])
    if grade.no_grade:
        return [f"{title}\n\n{markdown_text(grade.no_grade)}\n"]
    lines = "".join(f"- {markdown_text(line)}\n" for line in points_lines(grade))
    return [f"{title}\n\n{lines}", *map(as_markdown, _blocks(grade))]


def notebook(grade: Grade) -> bytes:
    """Return the feedback as the bytes of a notebook with Markdown cells."""
    cells = [
        {"cell_type": "markdown", "id": f"feedback-{number}", "metadata": {}, "source": part}
        for number, part in enumerate(markdown_parts(grade))
    ]
    content = {"cells": cells, "metadata": {}, "nbformat": 4, "nbformat_minor": 5}
    return (json.dumps(content, indent=1, ensure_ascii=False) + "\n").encode(
        "utf-8", "backslashreplace"
    )


def zip_bytes(files: dict[str, bytes], executable: Container[str] = ()) -> bytes:
    """Return a zip of `files`, contents by path. `executable`: paths marked as executable."""
    packed = io.BytesIO()
    with zipfile.ZipFile(packed, "w") as archive:
        for name, content in files.items():
            member = zipfile.ZipInfo(name, FIRST_DAY)
            member.external_attr = (0o755 if name in executable else 0o644) << 16
            archive.writestr(member, content, zipfile.ZIP_DEFLATED)
    return packed.getvalue()
