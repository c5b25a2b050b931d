"""What students get in place of a solution: a line that raises, or the dots that they fill in."""

import pytest
from nbformat.v4 import new_code_cell, new_notebook

from autograder.engine.course.clearing import ClearSolutions

RAISES = "# YOUR CODE HERE\nraise NotImplementedError()"
SOLVED = "### BEGIN SOLUTION\nanswers = {'a': True}\n### END SOLUTION"


def cleared(source: str) -> str:
    cell = new_code_cell(source, metadata={"nbgrader": {"solution": True, "grade_id": "a"}})
    metadata = {"kernelspec": {"name": "python3", "language": "python", "display_name": "Python"}}
    notebook, _ = ClearSolutions().preprocess(new_notebook(cells=[cell], metadata=metadata), {})
    return notebook.cells[0].source


@pytest.mark.parametrize(
    "dots",
    [
        "answers = {'a': ...}",
        "answers = ...  # a number",
        "a = ...\nb: int = ...",
        "steps = {'a': ['b', (1, ...)]}",
    ],
)
def test_dots_are_all_that_is_to_be_filled_in(dots):
    assert cleared(f"{dots}\n{SOLVED}") == dots


@pytest.mark.parametrize(
    "above",
    ["", "answers = {'a': 1}\n", "print(...)\n", "answers = (\n", "first = x[..., 0]\n"],
)
def test_where_nothing_says_so_the_line_raises(above):
    assert cleared(above + SOLVED) == above + RAISES


def test_a_method_raises_as_before():
    source = "class A:\n    size: int = ...\n    def f(self):\n        " + SOLVED.replace(
        "\n", "\n        "
    )
    assert cleared(source).endswith("        " + RAISES.replace("\n", "\n        "))
