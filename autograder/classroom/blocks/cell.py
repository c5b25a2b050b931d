"""Render an exercise's blocks as the outputs of its check cell."""

from autograder.classroom.blocks.html import as_html
from autograder.classroom.blocks.text import as_text
from autograder.classroom.blocks.verdict_blocks import ExerciseBlocks


def as_outputs(blocks: ExerciseBlocks) -> list[dict]:
    """Return two outputs of a notebook cell, as nbformat's dicts: the blocks for people, and the
    points as a float, which nbgrader reads as the cell's result.
    """
    shown = {"text/plain": as_text(blocks), "text/html": str(as_html(blocks, in_notebook=True))}
    result = {"text/plain": repr(float(blocks.heading.points))}
    return [
        {"output_type": "display_data", "data": shown, "metadata": {}},
        {"output_type": "execute_result", "data": result, "execution_count": None, "metadata": {}},
    ]
