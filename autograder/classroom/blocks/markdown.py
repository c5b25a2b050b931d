"""Render blocks as Markdown with plain sentences: no links, pictures, formulas, @-mentions."""

import re
from collections.abc import Iterator

from autograder.classroom.blocks.verdict_blocks import CODE, Checks, ExerciseBlocks, share_text
from autograder.engine import printable, texts

SPECIAL = re.compile(r"([\\`*_\[\]<>#!|~$&]|^[-+=])")
CALLS = re.compile(  # a person, an issue, a web address
    r"@|(?<!\w)#(?=\d)|(?<=:)//|(?<![^\W_])www(?=\.)", re.IGNORECASE
)


def as_markdown(blocks: ExerciseBlocks) -> str:
    """Return an exercise's blocks as Markdown: heading, sentences, and a list of checks."""
    return "\n\n".join(_parts(blocks)) + "\n"


def markdown_text(sentence: str) -> str:
    """Return a sentence as a line of Markdown, with code in backticks and escaped text."""
    line = printable(" ".join(sentence.split()), texts.LONGEST_LINE)
    parts = CODE.split(line)  # text and code in turn
    return "".join(f"`{part}`" if index % 2 else _escaped(part) for index, part in enumerate(parts))


def _parts(blocks: ExerciseBlocks) -> Iterator[str]:
    yield f"## {markdown_text(blocks.heading.line)}"
    for sentence in blocks.sentences:
        text = markdown_text(sentence.labelled)
        yield f"**{text}**" if sentence.kind == "mistake" else text
    if blocks.checks:
        yield "\n".join(map(_listed, blocks.checks))


def _listed(checks: Checks) -> str:
    """Return a list item for each of these checks, followed by their question."""
    items = [
        f"- {'✓' if result.passed else '✗'} {markdown_text(result.sentence)} "
        f"({share_text(result.points, result.max_points)})"
        for result in checks.results
    ]
    question = f"  \n  {markdown_text(checks.question.labelled)}" if checks.question else ""
    return "\n".join(items) + question


def _escaped(text: str) -> str:
    pieces, end = [], 0
    for match in CALLS.finditer(text):
        pieces += [SPECIAL.sub(r"\\\1", text[end : match.start()]), f"`{match[0]}`"]
        end = match.end()
    return "".join([*pieces, SPECIAL.sub(r"\\\1", text[end:])])
