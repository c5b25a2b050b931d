"""Fixtures: three graded submissions, the gradebook that takes them, and what it made of them."""

from collections.abc import Callable
from pathlib import Path

import nbformat
import pytest
from nbformat import NotebookNode
from submissions import SHORT, exercise

from autograder.authoring.sample_class import SampleSubmission, write_submission
from autograder.engine.courses import read_course
from autograder.engine.grading import Grader
from autograder.engine.notebooks import read_submission
from autograder.gradebook.sync.nbgrader_course import NbgraderCourse, Record
from autograder.mistakes.exercises import diagnose_exercises

PICTURE = "import matplotlib.pyplot as plt\nprint('my words')\nplt.plot([1, 2])\nplt.show()"


SCRIPT = "from IPython.display import HTML\nHTML('<script>alert(1)</script>')"


@pytest.fixture
def gradebook(folder) -> NbgraderCourse:
    """The course's, still empty."""
    return NbgraderCourse(read_course(folder))


@pytest.fixture(scope="module")
def class_of_three(solved, unscaled, assignment) -> dict[str, SampleSubmission]:
    """A solution, a mistake, a release; the first with pictures of its own."""
    first, last = assignment.exercises[0].id, assignment.exercises[-1].id
    cells = {
        "s001": solved | {last: solved[last] + "\n" + PICTURE},
        "s002": solved | {unscaled.exercise: unscaled.cells[0]},
        "s003": {first: SCRIPT},
    }
    return {student: SampleSubmission(one, "") for student, one in cells.items()}


@pytest.fixture(scope="session")
def record() -> Callable[[Grader, str, Path], Record]:
    """Grade a notebook; return what goes into the gradebook."""

    def make(grader: Grader, student: str, path: Path) -> Record:
        submission = read_submission(grader.assignment, student, path)
        graded = grader.grade_submission(submission)
        return Record(graded.verdict, submission, graded.outputs)

    return make


@pytest.fixture(scope="module")
def records(assignment, walls, class_of_three, record, tmp_path_factory) -> list[Record]:
    """Their verdicts, with what was submitted and shown; graded once for a module."""
    grader, top = (
        Grader(assignment, walls, SHORT, seed=5, explain=diagnose_exercises),
        tmp_path_factory.mktemp("graded"),
    )
    return [
        record(grader, student, write_submission(assignment, top / student, submission))
        for student, submission in class_of_three.items()
    ]


@pytest.fixture
def question(records, unscaled) -> str:
    """What a tutor asks where the mistake of s002 was noticed."""
    result = exercise(records[1].verdict, unscaled.exercise)
    return next(check.message for check in result.checks if not check.passed)


@pytest.fixture
def autograded(folder, assignment) -> Callable[[str], dict[str, NotebookNode]]:
    """Return the cells of a student's graded notebook, by id."""

    def read(student: str) -> dict[str, NotebookNode]:
        path = folder / "autograded" / student / assignment.id / f"{assignment.id}.ipynb"
        return {cell.id: cell for cell in nbformat.read(path, as_version=4).cells}

    return read
