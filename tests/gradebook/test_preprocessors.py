"""nbgrader's own ways to grade come to what a run enters."""

import re
import shutil
import subprocess
import sys
from pathlib import Path

import nbformat
import pytest
from nbgrader.api import Gradebook
from nbgrader.apps import NbGraderAPI
from nbgrader.converters import Autograde, GenerateFeedback
from submissions import SHORT, edit, entered_points

from autograder.engine.assignment import CHECK
from autograder.engine.course import make_course
from autograder.engine.grade import Grader
from autograder.engine.sandbox.walls import Walls
from autograder.gradebook.nbgrader_course import NbgraderCourse

pytestmark = [pytest.mark.walls, pytest.mark.database]


@pytest.mark.long
def test_nbgraders_own_command_and_formgraders_button_give_the_same_points(
    gradebook, folder, assignment, records
):
    gradebook.register(assignment)
    program = Path(sys.executable).parent / "nbgrader"
    command = [program, "autograde", assignment.id, "--student", "s002"]
    done = subprocess.run(command, cwd=folder, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    result = NbGraderAPI(config=gradebook.config).autograde(assignment.id, "s001")
    assert result["success"], result["log"]
    for one in records[:2]:
        verdict = one.verdict
        assert entered_points(gradebook, assignment, verdict.student) == verdict.points


def test_a_batch_leaves_what_nbgrader_would_have_left(
    gradebook, folder, assignment, records, tmp_path_factory, monkeypatch
):
    """Rows, notebook and files: the fast way in, and nbgrader's own, which also copies what no page shows."""
    gradebook.enter(assignment, records)
    theirs = tmp_path_factory.mktemp("theirs")
    other = _graded_by_nbgrader(theirs, folder, assignment, monkeypatch)
    rows, files, notebooks = _everything(gradebook, folder)
    assert len(rows) == len(notebooks) == 3
    their_rows, their_files, their_notebooks = _everything(other, theirs)
    assert (their_rows, their_notebooks) == (rows, notebooks)
    shown = {path for path in their_files if path.suffix not in (".py", ".safetensors")}
    assert files == shown and any(path.suffix == ".svg" for path in files)


@pytest.mark.long
def test_what_was_repaired_is_shown_by_both_ways_into_the_gradebook(
    gradebook, folder, assignment, hand_in, walls, tmp_path_factory, monkeypatch, record, autograded
):
    lost, missing, *_ = (one.id for one in assignment.exercises)

    def damage(content):
        content["cells"] = [cell for cell in content["cells"] if cell["id"] != missing]
        (cell,) = (cell for cell in content["cells"] if cell["id"] == lost)
        cell.update(id="another", metadata={})

    grader = Grader(assignment, walls, SHORT, seed=5)
    damaged = record(grader, "s001", edit(hand_in("s001"), damage))
    assert len(damaged.verdict.repairs) == 2
    gradebook.enter(assignment, [damaged])
    cells = autograded("s001")
    for name, words in ((lost, "had lost its id"), (missing, "is missing from the notebook")):
        for kind in ("text/plain", "text/html"):
            page = cells[CHECK + name].outputs[0].data[kind]
            assert words in page and page.count("The cell ") == 1
    theirs = tmp_path_factory.mktemp("theirs")
    other = _graded_by_nbgrader(theirs, folder, assignment, monkeypatch)
    assert _everything(other, theirs) == _everything(gradebook, folder)
    other.convert(GenerateFeedback, assignment)
    page = theirs / "feedback" / "s001" / assignment.id / f"{assignment.id}.html"
    words = re.sub(r"<[^>]+>", "", page.read_text())
    assert f"The cell {missing} is missing from the notebook." in words


def _graded_by_nbgrader(theirs: Path, folder: Path, assignment, monkeypatch) -> NbgraderCourse:
    """Another course with the same submissions, graded by nbgrader's own converter."""
    shutil.copytree(folder / "submitted", theirs / "submitted")
    other = NbgraderCourse(make_course(theirs, assignment.course))
    other.register(assignment)
    grader = Grader(assignment, Walls(), SHORT, seed=5)
    monkeypatch.setattr("autograder.engine.grade.prepare", lambda settings: grader)
    other.convert(Autograde, assignment)
    return other


def _everything(gradebook: NbgraderCourse, folder: Path):
    with Gradebook(gradebook.db_url) as database:
        (assignment,) = database.assignments
        rows = {
            submission.student.id: (
                submission.timestamp,
                submission.late_submission_penalty,
                sorted(
                    (g.name, g.auto_score, g.manual_score, g.needs_manual_grade)
                    for g in notebook.grades
                ),
                sorted((c.name, c.auto_comment) for c in notebook.comments),
            )
            for submission in assignment.submissions
            for notebook in submission.notebooks
        }
    files = {path.relative_to(folder) for path in (folder / "autograded").rglob("*")}
    notebooks = {
        path.parent.parent.name: nbformat.read(path, as_version=4)
        for path in folder.glob("autograded/*/*/*.ipynb")
    }
    assert rows and rows.keys() == notebooks.keys()
    return rows, files, notebooks
