"""What students get in place of a solution: a line that raises, or the dots that they fill in."""

import nbformat
import pytest
from nbformat.v4 import new_code_cell, new_markdown_cell, new_notebook
from traitlets.utils.importstring import import_item

from autograder.engine.courses.assignment import assignments, find_assignment
from autograder.engine.courses.clearing import ClearExamples, ClearSolutions
from autograder.engine.courses.course import read_config
from autograder.gradebook.pages.schemes import schemes

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


EXAMPLES = "**Example answer** (1.5 points)\n\nA root.\n\n**example answer** (1 point)\nNothing.\n"


@pytest.mark.parametrize("end", ["<!-- ### END SOLUTION -->\n\nThank you.", "### END SOLUTION", ""])
def test_example_answers_end_with_the_solution(end):
    cell = new_markdown_cell(f"Root.\n\n**Marking scheme**\n\n{EXAMPLES}{end}")
    ClearExamples().preprocess_cell(cell, {}, 0)
    assert cell.source == f"Root.\n\n**Marking scheme**\n\n{end}"


def test_no_solution_of_the_course_holds_an_example_answer(course):
    kinds = read_config(course.root).GenerateSolution.preprocessors
    steps = [import_item(one)() for one in kinds if ".Clear" in one]
    written = 0
    for assignment in (find_assignment(id, course) for id in assignments(course)):
        solution = nbformat.read(assignment.source, as_version=4)
        for step in steps:
            solution, _ = step.preprocess(solution, {"language": "python"})
        text = "\n".join(cell.source for cell in solution.cells)
        for scheme in schemes(assignment).values():
            assert scheme.examples and scheme.scheme in text and scheme.answer in text
            assert not any(one.text in text for one in scheme.examples)
            written += 1
        assert "xample answer" not in text
    assert written > 2
