"""What the tests share: an assignment, the walls, and a way to hand something in."""

import json
import os
from collections.abc import Callable
from pathlib import Path

os.environ.setdefault("OMP_NUM_THREADS", "1")  # before torch: workers that share cores would fight

import pytest
from downloads import zipped

from autograder.__main__ import main
from autograder.engine.assignment import Assignment, find_assignment
from autograder.engine.grade import Grader
from autograder.engine.course import make_course
from autograder.engine.mistake import Mistake, mistakes
from autograder.authoring.sample_class import Handout, solutions, write_submission
from autograder.engine.sandbox import Limits, Walls, choose_walls
from autograder.engine.verdict import ExerciseResult, Verdict

SHORT = Limits(cell_seconds=4, request_seconds=4, total_seconds=40)


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption(
        "--screenshots", type=Path, metavar="DIR", help="save what the browser shows there"
    )


@pytest.fixture(scope="session")
def screenshots(pytestconfig) -> Path | None:
    """Where to save what a browser shows, if it is wanted."""
    folder = pytestconfig.getoption("screenshots")
    if folder:
        folder.mkdir(parents=True, exist_ok=True)
    return folder


@pytest.fixture(scope="session")
def assignment() -> Assignment:
    return find_assignment("encoder-layer")


@pytest.fixture(scope="session")
def walls() -> Walls:
    """The real walls: a machine without them fails these tests, and should."""
    return choose_walls("require")


@pytest.fixture(scope="session")
def solved(assignment) -> dict[str, str]:
    """The right cells, by id."""
    return solutions(assignment)


@pytest.fixture(scope="session")
def unscaled(assignment) -> Mistake:
    """A known mistake in `attention`, for 1.5 points."""
    return next(mistake for mistake in mistakes(assignment) if mistake.id == "unscaled")


@pytest.fixture
def folder(tmp_path) -> Path:
    """A course of its own, configured as `make demo` does it."""
    return make_course(tmp_path)


@pytest.fixture
def hand_in(assignment, solved, tmp_path) -> Callable[..., Path]:
    """Write a submission: the solution with these cells changed, or the release with `only` these."""

    def write(student: str = "s001", only: bool = False, **cells: str) -> Path:
        content = cells if only else solved | cells
        folder = tmp_path / "submitted" / student / assignment.id
        return write_submission(assignment, folder, Handout(content, ""))

    return write


@pytest.fixture
def judge(assignment, walls, hand_in) -> Callable[..., Verdict]:
    """Hand in and grade, through file, walls and examiner."""

    def run(limits: Limits = SHORT, seed: int | None = None, **handout) -> Verdict:
        return Grader(assignment, walls, limits, seed).grade("s001", hand_in(**handout)).verdict

    return run


def exercise(verdict: Verdict, name: str) -> ExerciseResult:
    return next(result for result in verdict.exercises if result.id == name)


def lost(verdict: Verdict) -> dict[str, float]:
    """Points lost, by exercise, where any were."""
    gaps = {result.id: result.max_points - result.points for result in verdict.exercises}
    return {name: gap for name, gap in gaps.items() if gap}


def verdicts(folder: Path) -> dict[str, dict]:
    """What is in a course's results, by student."""
    files = (folder / "results" / "encoder-layer").glob("*.json")
    return {file.stem: json.loads(file.read_text()) for file in files}


def edit(notebook: Path, change: Callable[[dict], object]) -> Path:
    """Change a notebook's JSON in place."""
    content = json.loads(notebook.read_text())
    change(content)
    notebook.write_text(json.dumps(content))
    return notebook


@pytest.fixture
def into(tmp_path):
    return tmp_path / "submitted"


@pytest.fixture
def collect(tmp_path, into, capfd):
    """Collect downloads, given as bytes or as members by name; return status and what was said."""

    def run(*downloads, words=(), zone="UTC"):
        paths = []
        for number, download in enumerate(downloads):
            path = tmp_path / f"download-{number}.zip"
            if isinstance(download, dict | list):
                download = zipped(download)
            if isinstance(download, bytes):
                path.write_bytes(download)
                download = path
            paths.append(str(download))
        zone_words = ["--timezone", zone] if zone else []
        status = main(
            [
                "collect",
                *paths,
                "--assignment",
                "encoder-layer",
                "--into",
                str(into),
                *zone_words,
                *words,
            ]
        )
        return status, "".join(capfd.readouterr())

    return run
