"""Fixtures: a course whose graded notebooks are honest, hostile or far too large."""

import shutil
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path

import nbformat
import pytest
from graded_notebooks import (
    FIGURE,
    honest_notebook,
    hostile_notebook,
    large_notebook,
    pieces,
    received_notebook,
)
from nbformat import NotebookNode
from nbgrader.api import Gradebook

from autograder import Assignment, find_assignment
from autograder.engine.courses import CONFIG, read_course
from autograder.gradebook.sync.nbgrader_course import NbgraderCourse

OWN_EXCHANGE = "\nc.Exchange.root = {exchange!r}\n"


@dataclass
class Submitted:
    """The course, and where the page of each student is."""

    folder: Path
    assignment: Assignment
    ids: dict[str, str] = field(default_factory=dict)

    def notebook(self, student: str) -> Path:
        return self.folder / "autograded" / student / self.assignment.id


def grade(submitted: Submitted, student: str, notebook: NotebookNode, name: str, note: str) -> None:
    """Put a notebook where nbgrader expects it, and a comment into its gradebook."""
    id = submitted.assignment.id
    folder = submitted.notebook(student)
    folder.mkdir(parents=True)
    nbformat.write(notebook, folder / f"{id}.ipynb")
    course = NbgraderCourse(read_course(submitted.folder))
    with Gradebook(course.db_url, course.folders.course_id) as gradebook:
        gradebook.update_or_create_student(student, last_name=name, first_name=name)
        gradebook.update_or_create_submission(id, student)
        gradebook.find_comment("explain", id, id, student).manual_comment = note
        gradebook.db.commit()
        submitted.ids[student] = gradebook.find_submission_notebook(id, id, student).id


@pytest.fixture(scope="module")
def submitted(small, tmp_path_factory) -> Submitted:
    """Two students: `honest` and `hostile`."""
    folder = tmp_path_factory.mktemp("class") / "course"
    shutil.copytree(small.course.root, folder, ignore=shutil.ignore_patterns("__pycache__"))
    with (folder / CONFIG).open("a") as config:
        config.write(OWN_EXCHANGE.format(exchange=str(folder / "exchange")))
    assignment = find_assignment(small.id, read_course(folder))
    figure = assignment.release.with_name("figures") / "drawn.svg"
    figure.parent.mkdir()
    figure.write_text(FIGURE)
    submitted = Submitted(folder, assignment)
    NbgraderCourse(assignment.course).register(assignment)
    everything = "\n\n".join(list(pieces().values())[:40])
    grade(submitted, "honest", honest_notebook(assignment), "Ada", "Well said, $x^2$.")
    grade(
        submitted,
        "hostile",
        hostile_notebook(assignment),
        "<img src=x onerror=canary()>",
        everything,
    )
    received = folder / "submitted" / "hostile" / assignment.id / f"{assignment.id}.ipynb"
    received.parent.mkdir(parents=True)
    nbformat.write(received_notebook(), received)
    (received.parent / "ipykernel_launcher.py").write_text("open('ran', 'w')")
    (submitted.notebook("hostile") / "evil.html").write_text("<script>canary()</script>")
    return submitted


@pytest.fixture(scope="module")
def large(submitted) -> str:
    """One more student, whose notebook takes long to render."""
    grade(submitted, "large", large_notebook(submitted.assignment), "Bea", "")
    return "large"


@pytest.fixture(scope="module")
def page_of(submitted) -> Callable[[str], str]:
    """The address of a student's page, below the server's."""
    return lambda student: f"/formgrader/submissions/{submitted.ids[student]}/"
