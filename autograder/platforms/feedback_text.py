"""A student's feedback in Markdown: for a notebook, and for a platform that shows it as text.

What a verdict quotes of a student stays text: it makes no link, no picture and no formula, and calls
nobody by an @.
"""

import json
import re

from autograder.engine.verdict import CheckResult, ExerciseResult
from autograder.gradebook.check_cell import CODE, GONE, STATES, repairs_by_exercise
from autograder.platforms.feedback import points_lines
from autograder.platforms.grades import Grade, decimal_text
from autograder.text import LONGEST_LINE, printable

SPECIAL = re.compile(r"([\\`*_\[\]<>#!|~$&]|^[-+=])")
CALLS = re.compile(  # a person, an issue, a web address
    r"@|(?<!\w)#(?=\d)|(?<=:)//|(?<![^\W_])www(?=\.)", re.IGNORECASE
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
