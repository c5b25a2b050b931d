"""Collect the checks of graders with pytest, once per process, for any number of candidates."""

import contextlib
import io
import os
import sys
from collections.abc import Iterator, Sequence
from functools import cache
from math import fsum, isclose
from pathlib import Path

import pytest

from autograder.engine.courses.assignment import Exercise
from autograder.engine.courses.cells import GraderError
from autograder.engine.courses.package import import_package
from autograder.engine.examiner.checks import CheckRun, caller_of
from autograder.engine.examiner.fixtures import Fixtures
from autograder.engine.verdicts.verdict import points_text

UNUSED = """
    cacheprovider terminal logging faulthandler junitxml doctest warnings unraisableexception
    threadexception debugging unittest skipping legacypath tmpdir recwarn pastebin setuponly
    setupplan stepwise subtests capture
""".split()  # plugins that slow every start, and that no grader needs
OPTIONS = [
    "-c",
    "/dev/null",
    "--import-mode=importlib",
    "--assert=plain",
    "--collect-only",
    "--disable-plugin-autoload",
    "--strict-markers",
    *(f"-pno:{name}" for name in UNUSED),
]


class CollectedCheck:
    """A check that pytest collected as `item`, to be run for any number of candidates.

    `fixtures`: the plugin with which the check was collected. Raise `GraderError` if the check has
    no marker `points`.
    """

    def __init__(self, item: pytest.Function, exercise: str, fixtures: Fixtures):
        points = item.get_closest_marker("points")
        if points is None:
            raise GraderError(f"{item.nodeid} has no points")
        self.id, self.exercise, self.points = item.name, exercise, float(points.args[0])
        self.question = " ".join((item.obj.__doc__ or "").split())
        self.call = caller_of(item, fixtures)

    def check(self) -> CheckRun:
        """Return a new `CheckRun` of this check that has not run yet."""
        return CheckRun(self.id, self.exercise, self.points, question=self.question, call=self.call)


@cache
def collect_checks(exercises: tuple[Exercise, ...]) -> list[CollectedCheck]:
    """Return the checks of these exercises. The result is cached: collecting takes long.

    Raise `GraderError` if a grader's file is missing or cannot be imported, or if the points of an
    exercise's checks do not add up to those of its check cell.
    """
    for exercise in exercises:
        if not exercise.grader.is_file():
            raise GraderError(f"the exercise `{exercise.id}` has no grader `{exercise.grader}`")
    if not exercises:  # all exercises are marked by hand
        return []
    fixtures = Fixtures()
    collected = collect([exercise.grader for exercise in exercises], fixtures)
    for reason in collected.broken.values():
        raise GraderError(f"a grader cannot be imported: {' '.join(reason.split())}")
    names = {exercise.grader.name: exercise.id for exercise in exercises}
    checks = [CollectedCheck(item, names[item.path.name], fixtures) for item in collected.items]
    for exercise in exercises:
        total = fsum(check.points for check in checks if check.exercise == exercise.id)
        if not isclose(total, exercise.points):  # a perfect answer would not get all points
            raise GraderError(
                f"the checks of `{exercise.grader.name}` are worth {points_text(total)} points, and "
                f"the cell `{exercise.check_cell}` {points_text(exercise.points)}"
            )
    return checks


def collect(graders: Sequence[Path], fixtures: Fixtures) -> "Collection":
    """Collect the checks in `graders`, files in one folder, with pytest.

    Return the collected items, and the errors of failed imports by file. After such an error, the
    graders' modules are forgotten, so that they are imported again. `fixtures`: the plugin with the
    graders' fixtures.
    """
    collected, folder = Collection(), graders[0].parent
    import_package(folder)  # else pytest takes another course's package of this name
    place = [f"--rootdir={folder}", f"--confcutdir={folder}"]
    complaints = io.StringIO()
    with _without_options_of_the_environment(), contextlib.redirect_stderr(complaints):
        code = pytest.main([*OPTIONS, *place, *map(str, graders)], [fixtures, collected])
    if code != pytest.ExitCode.OK and not collected.broken:  # as if conftest.py fails
        collected.broken[folder.name] = complaints.getvalue() or f"pytest ended with {code!r}"
    if collected.broken:
        _forget(graders)
    return collected


def _forget(graders: Sequence[Path]) -> None:
    # pytest would use a module again whose import failed halfway
    files = {str(grader) for grader in graders}
    for name, module in list(sys.modules.items()):
        if getattr(module, "__file__", None) in files:
            del sys.modules[name]


@contextlib.contextmanager
def _without_options_of_the_environment() -> Iterator[None]:
    """Within this block, unset the user's pytest options and plugins, which may break grading."""
    names = ("PYTEST_ADDOPTS", "PYTEST_PLUGINS")
    options = {name: os.environ.pop(name) for name in names if name in os.environ}
    try:
        yield
    finally:
        os.environ.update(options)


class Collection:
    """A pytest plugin that keeps the collected items, and the reports of failed imports by file."""

    def __init__(self) -> None:
        self.items: list[pytest.Function] = []
        self.broken: dict[str, str] = {}  # by file

    def pytest_collection_modifyitems(self, items: list[pytest.Function]) -> None:
        self.items = items

    def pytest_collectreport(self, report: pytest.CollectReport) -> None:
        if report.failed:
            self.broken[report.nodeid] = report.longreprtext
