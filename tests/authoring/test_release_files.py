"""What stands beside a released notebook: read from the project, and of use by itself."""

import re
import subprocess
import sys
import tomllib
from pathlib import Path

import nbformat
import pytest

from autograder.authoring.publish import make_release
from autograder.authoring.release_files import pinned

pytestmark = pytest.mark.slow  # nbgrader, and processes that run a notebook
ROOT = Path(__file__).parents[2]


@pytest.fixture(scope="module")
def made(assignment, tmp_path_factory):
    """A release that is made now."""
    return make_release(assignment, tmp_path_factory.mktemp("made"))


def test_requirements_are_the_projects_own(made):
    project = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]["dependencies"]
    lines = (made / "requirements.txt").read_text().splitlines()
    assert lines[1:] == pinned() and set(pinned()) <= set(project)
    assert lines[0].startswith("# Python 3.11") and "://" not in "".join(lines)


def test_readme_names_the_file_and_what_is_beside_it(made, assignment):
    text = (made / "README.md").read_text()
    assert text.startswith("# ") and text.count(f"{assignment.id}.ipynb") >= 4
    assert {path.name for path in made.iterdir()} - set(re.findall(r"`([\w.-]+)`", text)) == {
        "README.md"
    }


def checked(folder: Path, *words: str) -> subprocess.CompletedProcess:
    """Run the release's check where no package of ours can be imported."""
    return subprocess.run(
        [sys.executable, "-I", str(folder / "check.py"), *words],
        cwd=folder,
        capture_output=True,
        text=True,
    )


def test_the_check_needs_no_other_file_and_says_what_is_open(made):
    text = (made / "check.py").read_text()
    assert not re.search(r"^\s*(?:from|import) autograder", text, re.MULTILINE)
    ran = checked(made)
    assert ran.returncode == 1 and "To do: No exercise is answered yet." in ran.stdout, ran.stderr


def test_the_check_runs_the_solution(made, assignment, tmp_path):
    notebook = nbformat.read(made / f"{assignment.id}.ipynb", as_version=4)
    for cell in notebook.cells:
        cell.source = assignment.solutions.get(cell.id, cell.source)
    nbformat.write(notebook, tmp_path / "mine.ipynb")
    ran = checked(made, str(tmp_path / "mine.ipynb"))
    assert ran.returncode == 0, ran.stdout + ran.stderr
    states = re.findall(r"^Exercise .*: ([\w ,]+)$", ran.stdout, re.MULTILINE)
    assert states.count("done") == len(assignment.solutions)
    ran = checked(made, str(tmp_path / "mine.ipynb"), "--no-run")
    assert ran.stdout.count("written, not checked here") == len(assignment.solutions)


def test_the_check_refuses_what_is_no_notebook_of_the_assignment(made, tmp_path):
    (tmp_path / "x.ipynb").write_text("<html>")
    ran = checked(made, str(tmp_path / "x.ipynb"))
    assert ran.returncode == 2 and "is a web page" in ran.stderr and ran.stderr.count("\n") == 1
