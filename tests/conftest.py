"""What the tests share: an assignment, the walls, and a way to hand something in."""

import gc
import importlib
import os
import shutil
import sys
from collections import Counter
from collections.abc import Callable, Generator, Iterator
from importlib.util import find_spec
from multiprocessing import forkserver
from pathlib import Path

os.environ.setdefault("OMP_NUM_THREADS", "1")  # before torch: workers that share cores would fight
os.environ.setdefault(
    "HOME", "/"
)  # Jupyter cannot be imported by a user with neither HOME nor name

import pytest
from hypothesis import settings
from sandboxes import NO_NAMESPACES, NO_SANDBOX, allows_namespaces, has_landlock
from submissions import SHORT

from autograder import Assignment, Course, Verdict, find_assignment, find_course
from autograder.authoring.sample_class import SampleSubmission, solutions, write_submission
from autograder.classroom import local_pool
from autograder.engine.courses import CONFIG, make_course
from autograder.engine.grading import Grader
from autograder.engine.limits import LANDLOCK, Limits
from autograder.engine.sandbox import choose_walls, started
from autograder.engine.sandbox.walls import Walls
from autograder.engine.sandbox.warm_parent import WarmParent
from autograder.mistakes.exercises import diagnose_exercises
from autograder.mistakes.mistake import Mistake, mistakes

# Processes that tests start in other folders import this checkout, and not the one that is installed.
os.environ["PYTHONPATH"] = os.pathsep.join(
    filter(None, (str(Path(__file__).parents[1]), os.environ.get("PYTHONPATH")))
)
pytest_plugins = ["skeletons", "servers", "books", "class_folders"]
FORKING = "collect", "platforms", "marking", "look_alikes", "report", "gradebook"
LONGEST = "test_nbgraders_own_tests.py", "test_semester.py", "test_rebound_names.py"
collect_ignore = ["course/graders", "attacks/in_test.py"]  # graders, and data, are no tests of ours
if find_spec("autograder.desk") is None:  # these use its commands, too
    collect_ignore += ["desk", "docs", "semester", "gradebook/test_any_order.py"]
    collect_ignore += ["gradebook/test_what_counts.py", "gradebook/test_groups.py"]
settings.register_profile("short", max_examples=30, derandomize=True, deadline=None)
settings.register_profile("long", max_examples=20_000, deadline=None)  # `make fuzz`
settings.load_profile("short")


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption(
        "--screenshots", type=Path, metavar="DIR", help="save what the browser shows there"
    )


def pytest_xdist_auto_num_workers() -> int:
    """One more than there are processors: a test waits for candidates, kernels and browsers."""
    return (os.cpu_count() or 1) + 1


@pytest.hookimpl(wrapper=True)
def pytest_collection() -> Generator[None, object, object]:
    """What is imported and collected stays: no search for garbage looks at it, nor touches its pages,
    which forks share.
    """
    gc.disable()
    try:
        return (yield)
    finally:
        gc.freeze()
        gc.enable()


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Mark what needs walls by the fixture that gives them; the rest says it itself.

    Each worker begins with the longest, so that nobody waits for one at the end, then with the tests
    that fork a lot: forks take longer the more a process has in memory. Tests of a file stay
    together, since they share what it sets up.
    """
    files: dict[Path, list[pytest.Item]] = {}
    for item in items:
        files.setdefault(item.path, []).append(item)
        if "walls" in getattr(item, "fixturenames", ()):
            item.add_marker("walls")
        _skip_without_sandbox(item)

    def order(path: Path) -> tuple[bool, bool]:
        return path.name not in LONGEST, path.parent.name not in FORKING

    ordered = sorted(files, key=order)  # it is stable
    workers = int(os.environ.get("PYTEST_XDIST_WORKER_COUNT", "1"))
    items[:] = [
        item for n in range(workers) for path in ordered[n::workers] for item in files[path]
    ]


def _skip_without_sandbox(item: pytest.Item) -> None:
    """Skip a test whose sandbox this host forbids. Tests with `walls` can use either kind."""
    if item.get_closest_marker("namespaces") and not allows_namespaces():
        item.add_marker(pytest.mark.skip(reason=NO_NAMESPACES))
    elif item.get_closest_marker("walls") and not (allows_namespaces() or has_landlock()):
        item.add_marker(pytest.mark.skip(reason=NO_SANDBOX))


@pytest.hookimpl(wrapper=True, tryfirst=True)
def pytest_sessionfinish(session: pytest.Session) -> Generator[None, object, object]:
    """Count the skipped tests by their reasons, below all else that pytest prints."""
    result = yield
    if reporter := session.config.pluginmanager.get_plugin("terminalreporter"):
        skipped = (report.longrepr for report in reporter.stats.get("skipped", ()))
        reasons = Counter(reason.removeprefix("Skipped: ") for _, _, reason in skipped)
        if reasons:
            parts = (f"{number} because {reason}" for reason, number in reasons.most_common())
            reporter.write_line(f"skipped: {'; '.join(parts)}")
    return result


@pytest.fixture(autouse=True)
def _walls_are_marked(request, monkeypatch) -> None:
    """Fail a test that starts walls and does not say so: `make test-fast` would run it."""

    def refuse(*_: object) -> None:
        raise AssertionError("this test starts walls: mark it with `pytest.mark.walls`")

    if request.node.get_closest_marker("walls") is None:
        monkeypatch.setattr(WarmParent, "__init__", refuse)


@pytest.fixture(scope="session", autouse=True)
def _nothing_waits_for_the_disk() -> Iterator[None]:
    """What tests write need not outlive a loss of power: thousands of waits for a disk are seconds."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(os, "fsync", lambda _: None)
        yield


@pytest.fixture(autouse=True)
def _figures_are_closed() -> Iterator[None]:
    """Close what a test has drawn: others count the figures that are open."""
    yield
    if pyplot := sys.modules.get("matplotlib.pyplot"):
        pyplot.close("all")


@pytest.fixture(scope="session")
def screenshots(pytestconfig) -> Path | None:
    """Where to save what a browser shows, if it is wanted."""
    folder = pytestconfig.getoption("screenshots")
    if folder:
        folder.mkdir(parents=True, exist_ok=True)
    return folder


@pytest.fixture(scope="session")
def course() -> Course:
    """This repository, as a course."""
    return find_course(Path(__file__).parents[1])


@pytest.fixture(scope="session")
def assignment(course) -> Assignment:
    """The practical that tests use where any real one would do."""
    return find_assignment("encoder-layer", course)


@pytest.fixture(scope="session")
def small_course() -> Course:
    """A course of the tests' own, `tests/course/`."""
    return find_course(Path(__file__).with_name("course"))


@pytest.fixture(scope="session")
def small(small_course) -> Assignment:
    """Its assignment: a module, a function, a value, and an exercise that is marked by hand."""
    return find_assignment("small-sheet", small_course)


@pytest.fixture
def copied(small, tmp_path) -> Assignment:
    """The small assignment in a course of its own, to be changed."""
    skipped = shutil.ignore_patterns("__pycache__")
    shutil.copytree(small.course.root, tmp_path / "course", ignore=skipped)
    return find_assignment(small.id, find_course(tmp_path / "course"))


@pytest.fixture
def copied_course(course, tmp_path) -> Course:
    """A copy of this course in a folder of its own."""
    for folder in (course.source, course.release):
        shutil.copytree(folder, tmp_path / folder.name)
    for file in (course.root / CONFIG, course.root / "autograder"):
        (tmp_path / file.name).symlink_to(file)
    return find_course(tmp_path)


@pytest.fixture(scope="session")
def walls(course) -> Walls:
    """The real walls: a machine without them fails these tests, and should."""
    return choose_walls("require", (course.graders,))


@pytest.fixture(scope="module")  # anew for modules with an `assignment` of their own
def solved(assignment) -> dict[str, str]:
    """The right cells, by id."""
    return solutions(assignment)


@pytest.fixture(scope="session")
def unscaled(assignment) -> Mistake:
    """A known mistake in `attention`, for a point."""
    return next(mistake for mistake in mistakes(assignment) if mistake.id == "unscaled")


@pytest.fixture
def folder(tmp_path, course) -> Path:
    """The folder of a course of its own, configured as `make demo` does it."""
    return make_course(tmp_path, course).root


@pytest.fixture
def hand_in(assignment, solved, tmp_path) -> Callable[..., Path]:
    """Write a submission: the solution with these cells changed, or the release with `only` these."""

    def write(student: str = "s001", only: bool = False, **cells: str) -> Path:
        content = cells if only else solved | cells
        folder = tmp_path / "submitted" / student / assignment.id
        return write_submission(assignment, folder, SampleSubmission(content, ""))

    return write


@pytest.fixture
def grade_cells(assignment, walls, hand_in) -> Callable[..., Verdict]:
    """Hand in and grade, through file, walls and examiner."""

    def run(limits: Limits = SHORT, seed: int | None = None, **cells) -> Verdict:
        return (
            Grader(assignment, walls, limits, seed, explain=diagnose_exercises)
            .grade("s001", hand_in(**cells))
            .verdict
        )

    return run


@pytest.fixture
def no_namespaces(monkeypatch, tmp_path) -> Iterator[None]:
    """bubblewrap does not work here, nor for workers: their forkserver is another one meanwhile."""
    program = tmp_path / "bin" / "bwrap"
    program.parent.mkdir()
    reason = "bwrap: No permissions to create a new namespace"
    program.write_text(f"#!/bin/sh\necho {reason} >&2\nexit 1\n")
    program.chmod(0o755)
    monkeypatch.setattr("autograder.engine.grading.grade._walls", {})  # none that has walls already
    with monkeypatch.context() as patch:
        patch.setenv("PATH", f"{program.parent}:{os.environ['PATH']}")
        _end_warm_processes()
        yield
    _end_warm_processes()


@pytest.fixture
def no_walls(no_namespaces, monkeypatch) -> Iterator[None]:
    """Landlock does not work here, either."""
    with monkeypatch.context() as patch:
        patch.setitem(started.STARTERS, LANDLOCK, started.STARTERS[LANDLOCK])
        no_landlock = importlib.import_module("no_landlock")
        started.STARTERS[LANDLOCK] = no_landlock.fail  # until `patch` gives the other back
        patch.setattr(local_pool, "PRELOADED", no_landlock.__name__)
        yield


def _end_warm_processes() -> None:
    """Have the next pool of this process start its own."""
    local_pool.end_parents()
    forkserver._forkserver._stop()
