"""The marking scheme of a written cell is what its solution says, and the release has none of it."""

import json

import pytest
from written_answers import WRITTEN, change_source

from autograder import assignments, find_assignment
from autograder.gradebook.pages.schemes import ExampleAnswer, Scheme, schemes

REGION = "Your answer:\n<!-- ### BEGIN {0} -->\n{1}\n<!-- ### END {0} -->\nThank you."


@pytest.mark.parametrize("title", ["**Marking scheme** (2 points)", "## Marking scheme"])
def test_scheme_and_answer_are_told_apart_by_the_schemes_title(copied, title):
    solution = f"The root.\n\n{title}\n\n| 1 | the root |"
    change_source(copied, WRITTEN, REGION.format("SOLUTION", solution))
    scheme = Scheme("markdown", f"{title}\n\n| 1 | the root |", "The root.")
    assert schemes(copied) == {WRITTEN: scheme}


def test_a_solution_without_a_title_is_a_scheme_as_a_whole(copied, small):
    assert schemes(small) == {
        "explain": Scheme("markdown", "One point for the root, one for the scale.", "")
    }
    change_source(copied, WRITTEN, "The marking scheme is mine.")
    assert schemes(copied)[WRITTEN].scheme == "The marking scheme is mine."


def test_nbgraders_tasks_have_one_and_what_is_checked_by_itself_has_none(copied):
    task = {"task": True, "solution": False, "grade": False, "points": 2}
    change_source(copied, WRITTEN, REGION.format("MARK SCHEME", "Two for both."), **task)
    assert schemes(copied) == {WRITTEN: Scheme("markdown", "Two for both.", "")}


def test_without_a_source_there_is_none(copied):
    copied.source.unlink()
    assert schemes(copied) == {}


def test_no_release_holds_a_line_of_a_scheme(course):
    found = {id: schemes(find_assignment(id, course)) for id in assignments(course)}
    assert sum(map(len, found.values())) > 2
    for id, of_cells in found.items():
        release = find_assignment(id, course).release.parent
        texts = [file.read_text(errors="replace") for file in release.rglob("*") if file.is_file()]
        for one in of_cells.values():
            assert one.scheme.lower().lstrip("*# ").startswith("marking scheme") and one.answer
            examples = "\n".join(example.text for example in one.examples)
            assert examples
            for line in f"{one.scheme}\n{one.answer}\n{examples}".splitlines():
                words = json.dumps(line)[1:-1]
                assert len(line) < 25 or not any(words in text or line in text for text in texts)


def test_example_answers_are_no_part_of_the_scheme(copied):
    text = (
        "Root.\n\n**Marking scheme**\n\n- 1 point: root\n\n**Example answer** (1.5 points)\n\n"
        "A root.\n\n**Example answer** (1 point)\nNothing."
    )
    change_source(copied, WRITTEN, REGION.format("SOLUTION", text))
    found = schemes(copied)[WRITTEN]
    assert (found.scheme, found.answer) == ("**Marking scheme**\n\n- 1 point: root", "Root.")
    assert found.examples == (ExampleAnswer(1.5, "A root."), ExampleAnswer(1.0, "Nothing."))
