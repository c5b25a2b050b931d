"""Render blocks as plain text, for programs that show neither HTML nor Markdown."""

from collections.abc import Iterator

from autograder.classroom.blocks.verdict_blocks import ExerciseBlocks, share_text

INDENT = " " * 5


def as_text(blocks: ExerciseBlocks) -> str:
    """Return an exercise's blocks as lines of plain text, the points in the last line."""
    return "\n".join(_lines(blocks))


def _lines(blocks: ExerciseBlocks) -> Iterator[str]:
    for sentence in blocks.sentences:
        yield f"{INDENT}{sentence.labelled}"
    for checks in blocks.checks:
        for result in checks.results:
            sign = "yes" if result.passed else " no"
            yield f"{sign}  {share_text(result.points, result.max_points):>9}  {result.sentence}"
        if checks.question:
            yield f"{'':16}{checks.question.labelled}"
    heading = blocks.heading
    total = f"{INDENT}{share_text(heading.points, heading.max_points):>9}"
    yield f"{total}  {heading.state}" if heading.state else total
