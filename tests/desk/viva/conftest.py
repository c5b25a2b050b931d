"""A student of the small course who handed in twice."""

from collections.abc import Callable
from pathlib import Path

import pytest

from autograder import Assignment
from autograder.authoring.sample_class import SampleSubmission, solutions, write_submission
from autograder.engine import ResultsFolder
from autograder.engine.grading import Grader
from autograder.mistakes.exercises import diagnose_exercises


@pytest.fixture
def right(small) -> dict[str, str]:
    """The right cells, by id."""
    return solutions(small)


@pytest.fixture
def hand_in_small(small, walls, right, tmp_path) -> Callable[..., ResultsFolder]:
    """Hand in the solution with these cells changed, and grade it into results."""
    results = ResultsFolder(tmp_path / "results", small)

    def run(student: str = "ada", **cells: str) -> ResultsFolder:
        folder = tmp_path / f"{len([*tmp_path.iterdir()])}"
        notebook: Path = write_submission(small, folder, SampleSubmission(right | cells, ""))
        results.put(
            Grader(small, walls, seed=1, explain=diagnose_exercises).grade(student, notebook)
        )
        return results

    return run


@pytest.fixture
def with_calls(copied) -> Callable[[str], Assignment]:
    """The small assignment with another `viva.md`."""

    def write(text: str) -> Assignment:
        (copied.graders / "viva.md").write_text(text)
        return copied

    return write
