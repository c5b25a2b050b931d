"""Render an exercise's blocks as the outputs of its check cell."""

from autograder.classroom.blocks.html import as_html
from autograder.classroom.blocks.text import as_text
from autograder.classroom.blocks.verdict_blocks import ExerciseBlocks


def as_outputs(blocks: ExerciseBlocks) -> list[dict]:
    """Return two cell outputs: the blocks, and the points, nbgrader's result of the cell."""
    display = {"text/plain": as_text(blocks), "text/html": str(as_html(blocks, in_notebook=True))}
    result = {"text/plain": repr(float(blocks.heading.points))}
    return [
        {"output_type": "display_data", "data": display, "metadata": {}},
        {"output_type": "execute_result", "data": result, "execution_count": None, "metadata": {}},
    ]
