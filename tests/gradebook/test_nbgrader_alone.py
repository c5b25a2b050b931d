"""A course of nbgrader's own, with the lines that `new` prints: its assignments stay as they are."""

import json
import os
import shutil
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path

import pytest
from nbgrader.api import Gradebook

from autograder import find_assignment
from autograder._commands.main import main
from autograder.authoring.skeleton import nbgrader_settings
from autograder.engine.courses import make_course
from autograder.gradebook.sync.nbgrader_course import NbgraderCourse

pytestmark = [pytest.mark.database, pytest.mark.slow]

BIN = Path(sys.executable).parent
ACTIVATED = os.environ | {"PATH": f"{BIN}:{os.environ['PATH']}"}  # nbgrader calls alembic
WITHOUT_WALLS = "ps1 has no hidden graders: nbgrader runs its submissions itself, without walls."
ANSWERS = {
    "squares": "def squares(n):\n    if n < 1:\n        raise ValueError\n"
    "    return [i ** 2 for i in range(1, n + 1)]",
    "sum_of_squares": "def sum_of_squares(n):\n    return sum(squares(n))",
}
FAILING = "raise RuntimeError('whatever a preprocessor of the course raises')"


def nbgrader(folder: Path, *words: str) -> subprocess.CompletedProcess[str]:
    command = ["nbgrader", *words]
    return subprocess.run(command, cwd=folder, env=ACTIVATED, capture_output=True, text=True)


@dataclass(frozen=True)
class Quickstart:
    """nbgrader's example, graded by nbgrader alone; then it got our lines."""

    root: Path
    points: float  # as nbgrader gave them

    def run(self, *words: str) -> subprocess.CompletedProcess[str]:
        return nbgrader(self.root, *words)

    def entered(self) -> float:
        with Gradebook(f"sqlite:///{self.root / 'gradebook.db'}") as gradebook:
            return gradebook.find_submission("ps1", "ada").score

    def graded(self) -> dict[str, bytes]:
        folder = self.root / "autograded" / "ada" / "ps1"
        return {one.name: one.read_bytes() for one in folder.iterdir()}

    def configure(self, lines: str) -> None:
        with (self.root / "nbgrader_config.py").open("a") as file:
            file.write("\n" + lines + "\n")


def answer(notebook: Path) -> None:
    content = json.loads(notebook.read_text())
    for cell in content["cells"]:
        name = cell["metadata"].get("nbgrader", {}).get("grade_id")
        cell["source"] = ANSWERS.get(name, cell["source"])
    notebook.write_text(json.dumps(content))


@pytest.fixture(scope="module")
def graded_by_nbgrader(tmp_path_factory) -> Quickstart:
    root = tmp_path_factory.mktemp("quickstart") / "course"
    course = Quickstart(root, 3.0)
    assert nbgrader(root.parent, "quickstart", root.name).returncode == 0
    assert course.run("generate_assignment", "ps1").returncode == 0
    shutil.copytree(root / "release" / "ps1", root / "submitted" / "ada" / "ps1")
    answer(root / "submitted" / "ada" / "ps1" / "problem1.ipynb")
    (root / "submitted" / "ada" / "ps1" / "helper.py").write_text("x = 1")
    assert course.run("autograde", "ps1").returncode == 0
    assert course.entered() == course.points
    return course


@pytest.fixture
def quickstart(graded_by_nbgrader, tmp_path) -> Quickstart:
    root = tmp_path / "course"
    shutil.copytree(graded_by_nbgrader.root, root)
    course = Quickstart(root, graded_by_nbgrader.points)
    course.configure(nbgrader_settings())
    return course


@pytest.mark.long
def test_what_was_graded_is_skipped_as_before(quickstart):
    before = quickstart.graded()
    done = quickstart.run("autograde", "ps1")
    assert done.returncode == 0 and done.stderr.count(WITHOUT_WALLS) == 1
    assert quickstart.graded() == before and quickstart.entered() == quickstart.points


@pytest.mark.long
def test_it_is_graded_again_as_nbgrader_grades(quickstart):
    """By its own preprocessors, `Execute` among them, with what lies beside the notebook."""
    before = quickstart.graded()
    done = quickstart.run("autograde", "ps1", "--force")
    assert done.returncode == 0 and done.stderr.count(WITHOUT_WALLS) == 1
    assert quickstart.graded().keys() == before.keys() >= {"helper.py"}
    assert quickstart.entered() == quickstart.points
    cells = json.loads(quickstart.graded()["problem1.ipynb"])["cells"]
    assert any(cell.get("execution_count") for cell in cells)


@pytest.mark.long
def test_a_graded_copy_survives_a_regrade_that_fails(quickstart):
    before = quickstart.graded()
    (quickstart.root / "fails.py").write_text(
        "from nbgrader.preprocessors import NbGraderPreprocessor\n"
        f"class Fails(NbGraderPreprocessor):\n    def preprocess(self, nb, resources):\n        {FAILING}\n"
    )
    config = quickstart.root / "nbgrader_config.py"
    lines = nbgrader_settings()
    own = (
        f"import sys\nsys.path.insert(0, {str(quickstart.root)!r})\n"
        "c.Autograde.autograde_preprocessors = ['fails.Fails']\n"
    )
    config.write_text(config.read_text().replace(lines, own + lines))
    done = quickstart.run("autograde", "ps1", "--force")
    assert done.returncode == 1 and "whatever a preprocessor" in done.stderr
    assert quickstart.graded() == before and quickstart.entered() == quickstart.points
    assert os.listdir(quickstart.root / "autograded" / "ada") == ["ps1"]


@pytest.mark.long
def test_its_release_and_its_pages_are_made(quickstart):
    (source,) = quickstart.root.glob("source/ps1/problem1.ipynb")
    assert "id" not in json.loads(source.read_text())["cells"][0]  # as old notebooks are
    assert quickstart.run("generate_assignment", "ps1", "--force").returncode == 0
    made = {path.name for path in (quickstart.root / "release" / "ps1").iterdir()}
    assert made == {path.name for path in source.parent.iterdir()}, "nothing of ours is beside it"
    assert quickstart.run("generate_feedback", "ps1").returncode == 0
    page = (quickstart.root / "feedback" / "ada" / "ps1" / "problem1.html").read_text()
    assert "correct_squares" in page


@pytest.mark.long
def test_a_release_that_cannot_be_made_leaves_the_one_before(quickstart):
    (quickstart.root / "source" / "ps1" / "problem2.ipynb").write_text("{")
    assert quickstart.run("generate_assignment", "ps1", "--force").returncode == 1
    assert (quickstart.root / "release" / "ps1" / "problem2.ipynb").is_file()


@pytest.mark.walls
def test_ours_is_never_run_without_walls_where_its_graders_are_missing(small_course, tmp_path):
    """A wrong line in the configuration."""
    course = make_course(tmp_path, small_course, "c.Graders.directory = 'no-such-folder'\n")
    folder = tmp_path / "submitted" / "ada" / "small-sheet"
    folder.mkdir(parents=True)
    release = course.release / "small-sheet" / "small-sheet.ipynb"
    shutil.copy(release, folder)
    NbgraderCourse(course).register(find_assignment("small-sheet", course))
    done = Quickstart(tmp_path, 0.0).run("autograde", "small-sheet")
    assert done.returncode == 1 and "without walls" not in done.stderr
    assert "no-such-folder" in done.stderr
    assert not list(tmp_path.glob("autograded/ada/*"))


def test_new_prints_these_lines(tmp_path, monkeypatch, capsys):
    (tmp_path / "nbgrader_config.py").touch()
    monkeypatch.chdir(tmp_path)
    assert main(["new", "my-sheet"]) == 0
    assert nbgrader_settings().strip() in capsys.readouterr().out
