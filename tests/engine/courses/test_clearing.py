"""What students get in place of a solution: a line that raises, or the dots that they fill in."""

import nbformat
import pytest
from nbformat.v4 import new_code_cell, new_markdown_cell, new_notebook
from traitlets.utils.importstring import import_item

from autograder.engine.courses import every, read_config
from autograder.gradebook.pages.schemes import schemes

RAISES = "# YOUR CODE HERE\nraise NotImplementedError()"
SOLVED = "### BEGIN SOLUTION\nanswers = {'a': True}\n### END SOLUTION"
METHOD = "class A:\n    size: int = ...\n    def f(self):\n"
KERNEL = {"name": "python3", "language": "python", "display_name": "Python"}


@pytest.fixture(scope="module")
def config(course):
    """How nbgrader is configured here."""
    return read_config(course.root)


def cleared(cell, kinds: list[str]) -> str:
    """Put a cell through those of nbgrader's steps that are of this project."""
    notebook = new_notebook(cells=[cell], metadata={"kernelspec": KERNEL})
    for step in (import_item(name)() for name in kinds if ".Clear" in name):
        notebook, _ = step.preprocess(notebook, {"language": "python"})
    return notebook.cells[0].source


@pytest.mark.parametrize(
    ("source", "released"),
    [
        (f"answers = {{'a': ...}}\n{SOLVED}", "answers = {'a': ...}"),
        (f"answers = ...  # a number\n{SOLVED}", "answers = ...  # a number"),
        (f"a = ...\nb: int = ...\n{SOLVED}", "a = ...\nb: int = ..."),
        (f"steps = {{'a': ['b', (1, ...)]}}\n{SOLVED}", "steps = {'a': ['b', (1, ...)]}"),
        (SOLVED, RAISES),
        (f"answers = {{'a': 1}}\n{SOLVED}", f"answers = {{'a': 1}}\n{RAISES}"),
        (f"print(...)\n{SOLVED}", f"print(...)\n{RAISES}"),
        (f"answers = (\n{SOLVED}", f"answers = (\n{RAISES}"),
        (f"first = x[..., 0]\n{SOLVED}", f"first = x[..., 0]\n{RAISES}"),
        (
            METHOD + "\n".join(" " * 8 + line for line in SOLVED.split("\n")),
            METHOD + "\n".join(" " * 8 + line for line in RAISES.split("\n")),
        ),
    ],
)
def test_dots_are_filled_in_and_where_there_are_none_the_line_raises(config, source, released):
    cell = new_code_cell(source, metadata={"nbgrader": {"solution": True, "grade_id": "a"}})
    assert cleared(cell, config.GenerateAssignment.preprocessors) == released


EXAMPLES = "**Example answer** (1.5 points)\n\nA root.\n\n**example answer** (1 point)\nNothing.\n"


@pytest.mark.parametrize("end", ["<!-- ### END SOLUTION -->\n\nThank you.", "### END SOLUTION", ""])
def test_example_answers_end_with_the_solution(config, end):
    cell = new_markdown_cell(f"Root.\n\n**Marking scheme**\n\n{EXAMPLES}{end}")
    shown = cleared(cell, config.GenerateSolution.preprocessors)
    assert shown == f"Root.\n\n**Marking scheme**\n\n{end}"


def test_no_solution_of_the_course_holds_an_example_answer(course, config):
    written = 0
    for assignment in every(course):
        source = nbformat.read(assignment.source, as_version=4)
        kinds = config.GenerateSolution.preprocessors
        text = "\n".join(cleared(cell, kinds) for cell in source.cells)
        for scheme in schemes(assignment).values():
            assert scheme.examples and scheme.scheme in text and scheme.answer in text
            assert not any(one.text in text for one in scheme.examples)
            written += 1
        assert "xample answer" not in text
    assert written > 2
