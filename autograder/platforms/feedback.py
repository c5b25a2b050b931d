"""What a student reads about a grade: a comment, a page, a notebook; and the zips of these.

What a verdict quotes of a student stays text: in Markdown, it makes no link, no picture and no
formula, and calls nobody by an @.
"""

import contextlib
import html
import io
import json
import re
import zipfile
from collections.abc import Container
from pathlib import Path

from autograder.engine.verdict.verdict import CheckResult, ExerciseResult
from autograder.files.reading import read_regular
from autograder.gradebook.check_cell import (
    CODE,
    GONE,
    STATES,
    as_html,
    load_templates,
    repairs_by_exercise,
)
from autograder.gradebook.pages.no_grade import unreadable_page
from autograder.platforms.grades import Grade, decimal_text
from autograder.text.patterns import Pattern, escape
from autograder.text.printable import LONGEST_LINE, escape_formulas, printable

MAX_BYTES = 256 << 20  # of a feedback page
TEMPLATES = load_templates("autograder.platforms")
POINTS, NO_GRADE, END = "Points by exercise:", "No grade:", "[automatic feedback]"
OUR_COMMENT = Pattern(f"(?s)({POINTS}|{NO_GRADE}).*?{escape(END)}")
SPECIAL = re.compile(r"([\\`*_\[\]<>#!|~$&]|^[-+=])")
CALLS = re.compile(  # a person, an issue, a web address
    r"@|(?<!\w)#(?=\d)|(?<=:)//|(?<![^\W_])www(?=\.)", re.IGNORECASE
)
FIRST_DAY = (1980, 1, 1, 0, 0, 0)  # of zip's calendar: the same bytes whenever it is written


def points_lines(grade: Grade) -> list[str]:
    """Return the points as they add up, a line each."""
    mark, lines = grade.mark, []
    for result in grade.verdict.exercises:
        state = f" ({STATES[result.state]})" if STATES[result.state] else ""
        points = f"{decimal_text(result.points)} of {decimal_text(result.max_points)}{state}"
        lines.append(f"{result.id.replace('_', ' ')}: {points}")
    if mark and grade.marked_by_hand:
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
        (result, as_html(result, repairs[result.id], in_notebook=False))
        for result in grade.verdict.exercises
    ]
    return TEMPLATES.get_template("feedback.html.jinja").render(
        grade=grade,
        name=printable(grade.person.name or grade.student),
        lines=points_lines(grade)[len(shown) :],
        exercises=shown,
    )


def markdown_blocks(grade: Grade) -> list[str]:
    """Return the feedback in parts: what it adds up to, then one part for each exercise."""
    verdict = grade.verdict
    title = f"# Feedback on {_text(verdict.assignment)}"
    if grade.no_grade:
        return [f"{title}\n\n{_text(grade.no_grade)}\n"]
    lines = "".join(f"- {_text(line)}\n" for line in points_lines(grade))
    repairs = repairs_by_exercise(verdict)
    parts = [_exercise(result, repairs[result.id]) for result in verdict.exercises]
    return [f"{title}\n\n{lines}", *parts]


def notebook(grade: Grade) -> bytes:
    """Return the feedback as a notebook of text cells, without any code."""
    cells = [
        {"cell_type": "markdown", "id": f"feedback-{number}", "metadata": {}, "source": block}
        for number, block in enumerate(markdown_blocks(grade))
    ]
    content = {"cells": cells, "metadata": {}, "nbformat": 4, "nbformat_minor": 5}
    return (json.dumps(content, indent=1, ensure_ascii=False) + "\n").encode(
        "utf-8", "backslashreplace"
    )


def _exercise(result: ExerciseResult, repairs: list[str]) -> str:
    state = f" ({STATES[result.state]})" if STATES[result.state] else ""
    points = f"{decimal_text(result.points)} of {decimal_text(result.max_points)}"
    said = [f"**{_text(mistake.sentence)}**" for mistake in result.mistakes]
    said += [_text(f"{GONE} {mistake.sentence}") for mistake in result.gone]
    said += [_text(repair) for repair in repairs]
    checks = "".join(_check(check) for check in result.checks)
    parts = [f"## {_text(result.id.replace('_', ' '))}: {points}{state}\n", *said, checks]
    return "\n\n".join(part.rstrip("\n") for part in parts if part) + "\n"


def _check(check: CheckResult) -> str:
    sign = "✓" if check.passed else "✗"
    points = f"{decimal_text(check.points)} / {decimal_text(check.max_points)}"
    question = f"  \n  {_text(check.message)}" if check.message else ""
    return f"- {sign} {_text(check.sentence)} ({points}){question}\n"


def _text(sentence: str) -> str:
    """One line; what is between backticks is shown as code, and nothing else means anything."""
    shown = printable(" ".join(sentence.split()), LONGEST_LINE)
    parts = CODE.split(shown)  # text and code in turn
    return "".join(f"`{part}`" if place % 2 else _escaped(part) for place, part in enumerate(parts))


def _escaped(text: str) -> str:
    pieces, end = [], 0
    for found in CALLS.finditer(text):
        pieces += [SPECIAL.sub(r"\\\1", text[end : found.start()]), f"`{found[0]}`"]
        end = found.end()
    return "".join([*pieces, SPECIAL.sub(r"\\\1", text[end:])])


def zip_bytes(files: dict[str, bytes], executable: Container[str] = ()) -> bytes:
    """Return a zip of the files; those named as `executable` may be run where it is unpacked."""
    packed = io.BytesIO()
    with zipfile.ZipFile(packed, "w") as archive:
        for name, content in files.items():
            member = zipfile.ZipInfo(name, FIRST_DAY)
            member.external_attr = (0o755 if name in executable else 0o644) << 16
            archive.writestr(member, content, zipfile.ZIP_DEFLATED)
    return packed.getvalue()
