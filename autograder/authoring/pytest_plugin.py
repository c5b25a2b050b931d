"""Run graders from the shell: a pytest plugin, loaded by the `conftest.py` of a graders' folder.

`pytest GRADERS/ASSIGNMENT` runs every check against the solution in `source/`, in the sandbox.
`--notebook FILE` runs them against that notebook. A check runs as in a class run: in each
precision, with stand-ins and without.
"""

import secrets
from functools import cached_property
from pathlib import Path

import pytest

from autograder.authoring.edited import as_edited, assignment_of
from autograder.engine import (
    Assignment,
    GraderError,
    SandboxError,
    Submission,
    examiner,
    limits,
    notebooks,
    points_text,
    sandbox,
)

# A property of a report, which xdist's workers also send: the check's points and maximal points.
POINTS = "points"
SILENT = "The check failed, and says nothing."


def pytest_addoption(parser: pytest.Parser) -> None:
    group = parser.getgroup("graders")
    group.addoption(
        "--notebook",
        type=Path,
        metavar="FILE",
        help="grade this submission, and not the solution in source/",
    )
    group.addoption("--seed", type=int, metavar="N", help="of the graders' random inputs")


def pytest_configure(config: pytest.Config) -> None:
    notebook = config.getoption("--notebook", None)
    if notebook and not notebook.is_file():
        raise pytest.UsageError(f"there is no notebook `{notebook}`")
    if config.getoption("--seed", None) is None:
        # xdist passes it on, so that all workers have the same seed.
        config.option.seed = secrets.randbits(31)
    fixtures = examiner.Fixtures()
    config.pluginmanager.register(fixtures)
    config.pluginmanager.register(GraderSession(fixtures, notebook, config.option.seed))


class GraderSession:
    """The plugin object of a pytest session. It runs the checks of graders and no other tests."""

    def __init__(self, fixtures: examiner.Fixtures, notebook: Path | None, seed: int):
        """`notebook`: the submission to check, None for the solution in `source/`."""
        self.fixtures, self.notebook, self.seed = fixtures, notebook, seed
        self.examined: dict[Path, ExaminedNotebook | None] = {}  # by folder of graders

    def pytest_report_header(self) -> str:
        target = f"`{self.notebook}`" if self.notebook else "the solutions in source/"
        return f"graders: {target}, --seed {self.seed}"

    @pytest.hookimpl(tryfirst=True)
    def pytest_runtest_setup(self, item: pytest.Item) -> None:
        """Turn off pytest's set-up of fixtures for a check. Each attempt sets up its own."""
        if self._examined(item):
            item.setup = lambda: None  # type: ignore[method-assign]

    @pytest.hookimpl(tryfirst=True)
    def pytest_pyfunc_call(self, pyfuncitem: pytest.Function) -> object:
        """Run a check of a grader, and add its points to pytest's report.

        Return None for any other test, which pytest then runs. A failed check fails the test. If
        there is no sandbox, the whole session ends.
        """
        examined = self._examined(pyfuncitem)
        if not examined:
            return None
        try:
            run = examined.run(pyfuncitem)
        except SandboxError as error:
            pytest.exit(str(error), returncode=pytest.ExitCode.TESTS_FAILED)
        except GraderError as error:
            if isinstance(error.__cause__, Exception):
                raise error.__cause__ from None
            pytest.fail(str(error), pytrace=False)
        pyfuncitem.user_properties.append((POINTS, (run.points, run.max_points)))
        if not run.passed:
            pytest.fail(run.message or SILENT, pytrace=False)
        return True

    @pytest.hookimpl(tryfirst=True)
    def pytest_sessionfinish(self) -> None:
        for examined in filter(None, self.examined.values()):
            examined.end()

    def pytest_terminal_summary(self, terminalreporter) -> None:
        reports = [
            report for kind in ("passed", "failed") for report in terminalreporter.getreports(kind)
        ]
        properties = [pair for report in reports for pair in report.user_properties]
        if scores := [points for name, points in properties if name == POINTS]:
            earned, maximum = (points_text(sum(column)) for column in zip(*scores, strict=True))
            terminalreporter.write_line(f"{earned} of {maximum} points")

    def _examined(self, item: pytest.Item) -> "ExaminedNotebook | None":
        """Return the examination that runs this test, or None if it is not a check of a grader.

        There is one examination for each folder of graders.
        """
        folder = item.path.parent
        if folder not in self.examined:
            assignment = assignment_of(folder)
            self.examined[folder] = (
                ExaminedNotebook(assignment, self.notebook, self.seed, self.fixtures)
                if assignment
                else None
            )
        return self.examined[folder] if isinstance(item, pytest.Function) else None


class ExaminedNotebook:
    """A notebook that is checked in the sandbox, which starts at the first check."""

    def __init__(
        self, assignment: Assignment, notebook: Path | None, seed: int, fixtures: examiner.Fixtures
    ):
        """`notebook`: the submission, None for the solution in `source/`."""
        self.assignment = assignment if notebook else as_edited(assignment)
        self.notebook = notebook or assignment.source
        self.seed, self.fixtures = seed, fixtures

    def run(self, item: pytest.Function) -> examiner.CheckRun:
        """Run a check against the notebook and return its result.

        Raises `GraderError` if the check itself is at fault, `SandboxError` without a sandbox.
        """
        vars(item).pop("setup", None)
        item.session._setupstate.teardown_exact(item.parent)  # type: ignore[arg-type]
        exercise = item.path.stem.removeprefix("test_")
        check = examiner.CollectedCheck(item, exercise, self.fixtures).check()
        if self.submission.unreadable:
            check.message = self.submission.unreadable
        else:
            with examiner.undisturbed():
                runner = self.runner
                self.supervisor.begin_exercise(exercise)
                runner.run(check)
        return check

    def end(self) -> None:
        """End the candidate and its sandbox, if they were started."""
        if "supervisor" in vars(self):
            self.supervisor.end()
            self.supervisor.source.close()

    @cached_property
    def submission(self) -> Submission:
        return notebooks.read_submission(self.assignment, "", self.notebook)

    @cached_property
    def supervisor(self) -> examiner.Supervisor:
        walls = sandbox.choose_walls("require", (self.assignment.course.graders,))
        return examiner.Supervisor(walls, examiner.Clock(limits.Limits()), self.submission)

    @cached_property
    def runner(self) -> examiner.CheckRunner:
        assignment = self.assignment
        candidate = examiner.Candidate(self.supervisor, assignment.aliases, assignment.signature)
        return examiner.CheckRunner(candidate, self.seed, assignment.look_around)
