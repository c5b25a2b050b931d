"""pytest on a folder of graders, from a shell: what it grades, and what it says."""

import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from autograder.authoring.sample_class import SampleSubmission, write_submission
from autograder.mistakes.mistake import mistakes

pytestmark = pytest.mark.walls

OWN_FIXTURES = """
import pytest

@pytest.fixture(scope="session")
def sizes():
    return 2, 3

@pytest.fixture
def layer(candidate, sizes):
    return candidate.build("OneModule", sizes[1])
"""
OWN_GRADER = """
import pytest
import torch

@pytest.fixture(params=[1, 100], ids=["small", "large"])
def scale(request):
    return request.param

@pytest.mark.points(0.25)
@pytest.mark.parametrize("number", [1, 2])
def test_the_answer_is_no_constant(layer, sizes, scale, number, tensors_differ):
    x = scale * torch.randn(sizes)
    assert number == 1 or scale == 1, f"a message about {scale}"
    assert tensors_differ(layer(x), layer(2 * x)), "Is it a constant?"
"""
FAULTY_GRADER = """
import pytest

@pytest.mark.points(1)
def test_a_fault_of_ours(candidate):
    sizes = {}
    assert candidate.build("OneModule", sizes["d_model"])

def test_without_points(candidate):
    assert candidate

@pytest.mark.points(1)
def test_that_skips_itself(candidate):
    pytest.skip("not today")
"""


NO_WALLS = """
from autograder.engine import SandboxError, sandbox

def refuse(*_):
    raise SandboxError("there are no walls here")

sandbox.choose_walls = refuse
"""


class Shell:
    """Runs pytest in a folder, as from a shell there."""

    def __init__(self, folder: Path):
        self.folder = folder
        self.env = {name: value for name, value in os.environ.items() if "PYTEST" not in name}

    def __call__(self, *words: object) -> tuple[int, str]:
        command = [sys.executable, "-P", "-m", "pytest", *map(str, words)]
        done = subprocess.run(
            command, cwd=self.folder, env=self.env, text=True, capture_output=True, timeout=250
        )
        return done.returncode, done.stdout + done.stderr


@pytest.fixture
def shell(skeleton) -> Shell:
    """In the course of the skeleton, which sets no options of pytest."""
    return Shell(skeleton.course.root)


@pytest.fixture
def mistaken(skeleton, tmp_path) -> Path:
    """A submission with the module's mistake in it."""
    (mistake,) = (one for one in mistakes(skeleton) if one.exercise == "one_module")
    cells = skeleton.solutions | {"one_module": mistake.cells[0]}
    return write_submission(skeleton, tmp_path / "submitted", SampleSubmission(cells, ""))


def outcomes(said: str) -> str:
    """The last line, without the seconds."""
    return re.sub(r" in [\d.]+s.*|=+ ?", "", said.strip().splitlines()[-1])


def test_the_solution_is_graded_and_passes_without_a_release(finished):
    shutil.rmtree(finished.release.parent)
    status, said = Shell(finished.course.root)("graders/my_sheet")
    assert (status, outcomes(said)) == (0, "5 passed"), said
    assert "graders: the solutions in source/, --seed " in said
    assert "4 of 4 points" in said


def test_a_submission_is_told_the_sentence(shell, skeleton, mistaken):
    status, said = shell("graders", "--notebook", mistaken)
    assert (status, outcomes(said)) == (1, "1 failed, 4 passed"), said
    assert "3 of 4 points" in said
    assert "\nFollow one row through the equation" in said
    assert "Error" not in said
    assert ".py:" not in said.replace("test_one_module.py::", "")


@pytest.mark.long
def test_xdist_shares_the_checks_and_their_points(shell, mistaken):
    status, said = shell("graders", "-n2", "-x", "--notebook", mistaken, "--seed", "7")
    assert status in (1, 2), said
    assert " points" in said
    assert "--seed 7" in said


@pytest.mark.long
def test_graders_with_fixtures_and_graders_with_faults_run_beside_other_tests(finished):
    """Pytest loads the plugin late here: the folder of the graders is found while collecting."""
    root = finished.course.root
    (root / "test_other.py").write_text("def test_other(tmp_path):\n    assert tmp_path\n")
    (finished.graders / "conftest.py").write_text(OWN_FIXTURES)
    (finished.graders / "test_one_module.py").write_text(OWN_GRADER)
    (finished.graders / "test_one_function.py").write_text(FAULTY_GRADER)
    status, said = Shell(root)("-v")
    assert (status, outcomes(said)) == (1, "4 failed, 7 passed"), said
    assert "[small-2] PASSED" in said
    assert "[large-2] FAILED" in said
    assert "\na message about 100" in said
    assert '>       assert candidate.build("OneModule", sizes["d_model"])' in said
    assert "KeyError: 'd_model'" in said
    assert "test_without_points has no points" in said
    assert "a check skipped itself: not today" in said
    assert "pytest_plugin.py" not in said


@pytest.mark.long
def test_a_file_that_is_no_notebook_is_said_to_be_none(shell, tmp_path):
    (tmp_path / "my-sheet.ipynb").write_text("{}")
    status, said = shell("graders", "-k", "value", "--notebook", tmp_path / "my-sheet.ipynb")
    assert (status, outcomes(said)) == (1, "1 failed, 4 deselected"), said
    assert "\n`my-sheet.ipynb` is " in said


def test_a_notebook_that_is_not_there_is_refused(shell):
    status, said = shell("graders", "--notebook", "nowhere.ipynb")
    assert (status, said.strip()) == (4, "ERROR: there is no notebook `nowhere.ipynb`")


@pytest.mark.long
def test_without_walls_nothing_is_asked_and_that_is_said_once(finished):
    (finished.course.root / "conftest.py").write_text(NO_WALLS)
    status, said = Shell(finished.course.root)("graders")
    assert status == 1 and said.count("there are no walls here") == 1, said
    assert "passed" not in said and "failed" not in said
