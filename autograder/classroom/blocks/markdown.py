"""Render blocks as Markdown in which sentences are plain text: no links, pictures, formulas or
@-mentions.
"""

import re
from collections.abc import Iterator

from autograder.classroom.blocks.verdict_blocks import CODE, Checks, ExerciseBlocks, share_text
from autograder.engine import printable, texts

SPECIAL = re.compile(r"([\\`*_\[\]<>#!|~$&]|^[-+=])")
CALLS = re.compile(  # a person, an issue, a web address
    r"@|(?<!\w)#(?=\d)|(?<=:)//|(?<![^\W_])www(?=\.)", re.IGNORECASE
)


def as_markdown(blocks: ExerciseBlocks) -> str:
    """Return an exercise's blocks as Markdown: a heading, a paragraph for each sentence, and a list
    of checks.
    """
    return "\n\n".join(_parts(blocks)) + "\n"


def markdown_text(sentence: str) -> str:
    """Return a sentence as one line of Markdown: words in backticks stay code, all other syntax is
    escaped.
    """
    shown = printable(" ".join(sentence.split()), texts.LONGEST_LINE)
    parts = CODE.split(shown)  # text and code in turn
    return "".join(f"`{part}`" if place % 2 else _escaped(part) for place, part in enumerate(parts))


def _parts(blocks: ExerciseBlocks) -> Iterator[str]:
    yield f"## {markdown_text(blocks.heading.line)}"
    for sentence in blocks.sentences:
        said = markdown_text(sentence.labelled)
        yield f"**{said}**" if sentence.kind == "mistake" else said
    if blocks.checks:
        yield "\n".join(map(_listed, blocks.checks))


def _listed(checks: Checks) -> str:
    """Return a list item for each of these checks, with their question below the last one."""
    items = [
        f"- {'✓' if one.passed else '✗'} {markdown_text(one.sentence)} "
        f"({share_text(one.points, one.max_points)})"
        for one in checks.results
    ]
    question = f"  \n  {markdown_text(checks.question.labelled)}" if checks.question else ""
    return "\n".join(items) + question


def _escaped(text: str) -> str:
    pieces, end = [], 0
    for found in CALLS.finditer(text):
        pieces += [SPECIAL.sub(r"\\\1", text[end : found.start()]), f"`{found[0]}`"]
        end = found.end()
    return "".join([*pieces, SPECIAL.sub(r"\\\1", text[end:])])
