"""What stands beside a released notebook: read from the project, and of use by itself."""

import ast
import hashlib
import re
import subprocess
import sys
import tomllib
from importlib.metadata import version as version_of
from pathlib import Path

import nbformat
import pytest
from packaging.version import Version

from autograder.authoring import toolbox_file
from autograder.authoring.publish import make_release
from autograder.authoring.release_files import (
    files_beside,
    pinned,
)
from autograder.authoring.toolbox_file import SET_UP, call_of_set_up, toolbox_module
from autograder.engine.courses import read_cells

TOOLBOX = toolbox_module()  # as it is released
OLDEST = TOOLBOX.OLDEST

pytestmark = pytest.mark.slow  # nbgrader, and processes that run a notebook
ROOT = Path(__file__).parents[2]


@pytest.fixture(scope="module")
def made(assignment, tmp_path_factory):
    """A release that is made now."""
    return make_release(assignment, tmp_path_factory.mktemp("made"))


def test_requirements_are_the_projects_own(made):
    tested = (ROOT / "requirements.lock").read_text().splitlines()
    lines = (made / "requirements.txt").read_text().splitlines()
    packages = [line for line in lines if not line.startswith("#")]
    assert packages == pinned() and set(pinned()) <= set(tested)
    assert lines[0].startswith(f"# Python {OLDEST['Python']}") and "://" not in "".join(lines)


def test_the_oldest_versions_are_in_the_readme_and_not_newer_than_the_projects_own(made):
    text = (made / "README.md").read_text()
    project = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]
    assert project["requires-python"] == f">={OLDEST['Python']}"
    for name, oldest in OLDEST.items():
        assert f"{name} {oldest}" in text
        assert name == "Python" or Version(version_of(name)) >= Version(oldest)


def test_an_old_python_can_read_the_toolbox_as_far_as_the_sentence_that_it_is_too_old(made):
    ast.parse((made / "toolbox.py").read_text(), feature_version=(3, 9))


def test_readme_names_the_file_and_what_is_beside_it(made, assignment):
    text = (made / "README.md").read_text()
    assert text.startswith("# ") and text.count(f"{assignment.id}.ipynb") >= 4
    assert {path.name for path in made.iterdir()} - set(re.findall(r"`([\w.-]+)`", text)) == {
        "README.md"
    }


def test_the_first_cell_knows_what_it_may_fetch(made, assignment):
    (cell,) = (one for one in read_cells(made / f"{assignment.id}.ipynb") if one.id == SET_UP)
    call = ast.parse(cell.source).body[-1].value
    name, version, address, files = map(ast.literal_eval, call.args)
    assert (name, version, address) == (assignment.id, toolbox_file.version(), "")
    assert files == {
        one.name: hashlib.sha256(one.read_bytes()).hexdigest()
        for one in made.iterdir()
        if one.name.endswith(("toolbox.py", "_checks.py", ".safetensors"))
    }


def test_a_course_says_where_its_files_are_and_what_assistants_may_do(copied):
    (copied.source.parent.parent / "AGENTS.md").write_text("Our rules.")
    files = files_beside(copied.id, copied.cells, copied.source.parent)
    assert files["AGENTS.md"] == b"Our rules."
    call = call_of_set_up(copied.id, {"toolbox.py": b""}, "https://course.example/small-sheet/")
    assert '"https://course.example/small-sheet/"' in call


def test_every_cell_is_written_in_the_python_that_the_notebook_asks_for(made, assignment):
    cells = nbformat.read(made / f"{assignment.id}.ipynb", as_version=4).cells
    texts = [cell.source for cell in cells if cell.cell_type == "code"]
    for text in [*texts, *(path.read_text() for path in made.glob("*.py"))]:
        plain = re.sub(r"^(\s*)[%!].*$", r"\1pass", text, flags=re.MULTILINE)
        ast.parse(plain, feature_version=tuple(map(int, OLDEST["Python"].split("."))))


def checked(folder: Path, *words: str) -> subprocess.CompletedProcess:
    """Run the release's check where no package of ours can be imported."""
    return subprocess.run(
        [sys.executable, "-I", str(folder / "toolbox.py"), *words],
        cwd=folder,
        capture_output=True,
        text=True,
    )


def test_the_check_needs_no_other_file_and_says_what_is_open(made):
    for path in made.glob("*.py"):
        assert not re.search(r"^\s*(?:from|import) autograder", path.read_text(), re.MULTILINE)
    ran = checked(made)
    assert ran.returncode == 1 and "To do: No exercise is answered yet." in ran.stdout, ran.stderr


def test_the_check_runs_the_solution(made, assignment, tmp_path):
    notebook = nbformat.read(made / f"{assignment.id}.ipynb", as_version=4)
    for cell in notebook.cells:
        cell.source = assignment.solutions.get(cell.id, cell.source)
    path = tmp_path / f"{assignment.id}.ipynb"
    nbformat.write(notebook, path)
    ran = checked(made, str(path))
    assert ran.returncode == 0, ran.stdout + ran.stderr
    states = re.findall(r"^Exercise .*: ([\w ,]+)$", ran.stdout, re.MULTILINE)
    assert states.count("done") == len(assignment.solutions)
    ran = checked(made, str(path.rename(tmp_path / "mine.ipynb")), "--no-run")
    assert ran.stdout.count("written, not checked here") == len(assignment.solutions)
    assert ran.returncode == 1 and f"hand it in as `{assignment.id}.ipynb`" in ran.stdout


def test_the_check_refuses_what_is_no_notebook_of_the_assignment(made, tmp_path):
    (tmp_path / "x.ipynb").write_text("<html>")
    ran = checked(made, str(tmp_path / "x.ipynb"))
    assert ran.returncode == 2 and "is a web page" in ran.stderr and ran.stderr.count("\n") == 1
