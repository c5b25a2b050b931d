"""An assignment that was never released is what its release will be."""

import json
import shutil

import pytest
from skeletons import contents

from autograder.authoring.sample_class import solutions
from autograder.authoring.toolbox_file import SET_UP
from autograder.engine import Assignment, GraderError, find_assignment
from autograder.engine.courses import CONFIG, read_config, read_course


@pytest.fixture
def unreleased(copied) -> Assignment:
    shutil.rmtree(copied.course.release)
    return Assignment(copied.id, copied.course)


def test_its_cells_are_those_of_the_release(unreleased, small):
    pairs = zip(unreleased.cells, small.cells, strict=True)
    assert {ours.id for ours, theirs in pairs if ours != theirs} <= {SET_UP}
    assert unreleased.exercises and [one.id for one in unreleased.exercises] == [
        one.id for one in small.exercises
    ]


def test_nothing_is_written_and_no_solution_is_in_it(unreleased):
    before = contents(unreleased.course.root)
    cells = {
        cell["id"]: "".join(cell["source"]) for cell in json.loads(unreleased.pristine)["cells"]
    }
    assert contents(unreleased.course.root) == before
    for id, solution in solutions(unreleased).items():
        assert "BEGIN SOLUTION" not in cells[id] and solution.strip() not in cells[id]
    assert "SCHEME" not in unreleased.pristine.upper()


def test_it_is_found_by_its_name(unreleased):
    again = find_assignment(unreleased.id, read_course(unreleased.course.root))
    assert again.cells == unreleased.cells


@pytest.mark.parametrize("text", ["{", "BEGIN"])
def test_a_source_of_which_no_release_can_be_made_is_a_fault_of_ours(unreleased, text):
    if text == "BEGIN":
        text = unreleased.source.read_text().replace("### END SOLUTION", "###")
    unreleased.source.write_text(text)
    with pytest.raises(GraderError, match="cannot be released"):
        _ = unreleased.cells


def test_what_the_course_adds_to_its_releases_counts_here_too(unreleased):
    kinds = read_config(unreleased.course.root).GenerateAssignment.preprocessors
    (name,) = (kind for kind in kinds if kind.endswith("ClearSolutions"))
    with (unreleased.course.root / CONFIG).open("a") as file:
        file.write(f"c.GenerateAssignment.preprocessors.remove({name!r})")
    assert "BEGIN SOLUTION" in unreleased.pristine
