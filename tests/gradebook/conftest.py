"""Fixtures: three graded submissions, the gradebook that takes them, and what it made of them."""

from collections.abc import Callable
from pathlib import Path

import nbformat
import pytest
from nbformat import NotebookNode
from submissions import SHORT, exercise

from autograder.engine.course import read_course
from autograder.engine.grade import Grader
from autograder.engine.submission import read_submission
from autograder.gradebook.nbgrader_course import NbgraderCourse
from autograder.gradebook.record import Record

PICTURE = "import matplotlib.pyplot as plt\nprint('my words')\nplt.plot([1, 2])\nplt.show()"


SCRIPT = "from IPython.display import HTML\nHTML('<script>alert(1)</script>')"


@pytest.fixture
def gradebook(folder) -> NbgraderCourse:
    """The course's, still empty."""
    return NbgraderCourse(read_course(folder))


@pytest.fixture
def class_of_three(hand_in, solved, unscaled, assignment) -> dict[str, Path]:
    """A solution, a mistake, a release; the first with pictures of its own."""
    first, last = assignment.exercises[0].id, assignment.exercises[-1].id
    return {
        "s001": hand_in("s001", **{last: solved[last] + "\n" + PICTURE}),
        "s002": hand_in("s002", **{unscaled.exercise: unscaled.cells[0]}),
        "s003": hand_in("s003", only=True, **{first: SCRIPT}),
    }


@pytest.fixture(scope="session")
def record() -> Callable[[Grader, str, Path], Record]:
    """Grade a notebook; return what goes into the gradebook."""

    def make(grader: Grader, student: str, path: Path) -> Record:
        submission = read_submission(grader.assignment, student, path)
        graded = grader.grade_submission(submission)
        return Record(graded.verdict, submission, graded.outputs)

    return make


@pytest.fixture
def records(assignment, walls, class_of_three, record) -> list[Record]:
    """Their verdicts, with what was submitted and shown."""
    grader = Grader(assignment, walls, SHORT, seed=5)
    return [record(grader, student, path) for student, path in class_of_three.items()]


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
