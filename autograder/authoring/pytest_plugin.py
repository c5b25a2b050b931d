"""Run graders from the shell: a pytest plugin, loaded by the `conftest.py` of a graders' folder.

`pytest GRADERS/ASSIGNMENT` runs every check against the solution in `source/`, in the sandbox;
`--notebook FILE` against that notebook. A check runs as in a class run: in each precision, with
stand-ins and without.
"""

import contextlib
import secrets
import warnings
from functools import cached_property
from pathlib import Path

import pytest

from autograder.authoring.edited import as_edited, assignment_of
from autograder.engine.course.assignment import Assignment, GraderError
from autograder.engine.diagnosis.search import diagnose
from autograder.engine.examiner.checks import CheckRun
from autograder.engine.examiner.clock import Clock
from autograder.engine.examiner.collecting import CollectedCheck
from autograder.engine.examiner.fixtures import Fixtures
from autograder.engine.examiner.proxy import Candidate
from autograder.engine.examiner.session import CheckRunner, undisturbed
from autograder.engine.examiner.supervisor import Supervisor
from autograder.engine.limits.process import Limits, SandboxError
from autograder.engine.notebook.submission import Submission, read_submission
from autograder.engine.sandbox.choose import choose_walls
from autograder.engine.verdict.verdict import points_text

# properties of a report, which xdist's workers send, too
POINTS = "points"  # what the check earned, and could earn
KNOWN = "known mistake"  # a sentence
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
        config.option.seed = secrets.randbits(31)  # xdist hands it on: all workers have the same
    fixtures = Fixtures()
    config.pluginmanager.register(fixtures)
    config.pluginmanager.register(GraderSession(fixtures, notebook, config.option.seed))


class GraderSession:
    """The plugin object of one pytest session. It runs the checks of graders; other tests are left
    to pytest.
    """

    def __init__(self, fixtures: Fixtures, notebook: Path | None, seed: int):
        """`notebook`: the submission to check, None for the solution in `source/`; `seed`: of the
        graders' random inputs.
        """
        self.fixtures, self.notebook, self.seed = fixtures, notebook, seed
        self.examined: dict[Path, ExaminedNotebook | None] = {}  # by folder of graders

    def pytest_report_header(self) -> str:
        what = f"`{self.notebook}`" if self.notebook else "the solutions in source/"
        return f"graders: {what}, --seed {self.seed}"

    @pytest.hookimpl(tryfirst=True)
    def pytest_runtest_setup(self, item: pytest.Item) -> None:
        """Turn off pytest's set-up of fixtures for a check, as each attempt of the check sets up
        its own.
        """
        if self._examined(item):
            item.setup = lambda: None  # type: ignore[method-assign]

    @pytest.hookimpl(tryfirst=True)
    def pytest_pyfunc_call(self, pyfuncitem: pytest.Function) -> object:
        """Run a check of a grader, and add its points to pytest's report; if it fails, also the
        known mistakes in its exercise. Return None for any other test, which pytest then runs.

        A failed check fails the test. If there is no sandbox, the whole session ends.
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
            for sentence in examined.mistakes(run.exercise, pyfuncitem.session.items):
                pyfuncitem.user_properties.append((KNOWN, f"{run.exercise}: {sentence}"))
            pytest.fail(run.message or SILENT, pytrace=False)
        return True

    @pytest.hookimpl(tryfirst=True)
    def pytest_sessionfinish(self) -> None:
        for examined in filter(None, self.examined.values()):
            examined.end()

    def pytest_terminal_summary(self, terminalreporter) -> None:
        reports = [
            one for kind in ("passed", "failed") for one in terminalreporter.getreports(kind)
        ]
        said = [one for report in reports for one in report.user_properties]
        if mistakes := dict.fromkeys(value for name, value in said if name == KNOWN):
            terminalreporter.section("known mistakes")
            terminalreporter.write_line("\n".join(mistakes))
        if given := [value for name, value in said if name == POINTS]:
            earned, most = (points_text(sum(column)) for column in zip(*given, strict=True))
            terminalreporter.write_line(f"{earned} of {most} points")

    def _examined(self, item: pytest.Item) -> "ExaminedNotebook | None":
        """Return the examination that runs this test, made once for each folder of graders; None if
        the test is no check of a grader.
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
    """One notebook that is checked in the sandbox; the sandbox is started at the first check."""

    def __init__(
        self, assignment: Assignment, notebook: Path | None, seed: int, fixtures: Fixtures
    ):
        """`notebook`: the submission, None for the solution in `source/`; `seed`: of the graders'
        random inputs.
        """
        self.assignment = assignment if notebook else as_edited(assignment)
        self.notebook = notebook or assignment.source
        self.seed, self.fixtures = seed, fixtures
        self.runs: dict[pytest.Function, CheckRun] = {}
        self.named: dict[str, list[str]] = {}  # by exercise

    def run(self, item: pytest.Function) -> CheckRun:
        """Run a check against the notebook and return its result; a check is run once only.

        Raises `GraderError` if the check itself is at fault, `SandboxError` if there is no sandbox.
        """
        if item not in self.runs:
            vars(item).pop("setup", None)
            item.session._setupstate.teardown_exact(item.parent)  # type: ignore[arg-type]
            check = CollectedCheck(item, _exercise(item), self.fixtures).check()
            if self.submission.unreadable:
                check.message = self.submission.unreadable
            else:
                with undisturbed():
                    self.runner.run(check)
            self.runs[item] = check
        return self.runs[item]

    def mistakes(self, exercise: str, items: list[pytest.Item]) -> list[str]:
        """Return a sentence for each known mistake that diagnosis finds in an exercise, after
        running those of its checks (among `items`) that have not run. Raises `SandboxError`.
        """
        if exercise not in self.named:
            own = [one for one in items if isinstance(one, pytest.Function)]
            for item in own:
                if _exercise(item) == exercise and item.path.parent == self.assignment.graders:
                    with contextlib.suppress(GraderError):  # which its own report says
                        self.run(item)
            runs = [run for run in self.runs.values() if run.exercise == exercise]
            with warnings.catch_warnings(action="ignore"):  # of the solution's own cells
                found = diagnose(self.assignment, runs)
            self.named[exercise] = [mistake.sentence for mistake in found]
        return self.named[exercise]

    def end(self) -> None:
        """End the candidate and its sandbox, if they were started."""
        if "supervisor" in vars(self):
            self.supervisor.end()
            self.supervisor.source.close()

    @cached_property
    def submission(self) -> Submission:
        return read_submission(self.assignment, "", self.notebook)

    @cached_property
    def supervisor(self) -> Supervisor:
        walls = choose_walls("require", (self.assignment.course.graders,))
        return Supervisor(walls, Clock(Limits()), self.submission)

    @cached_property
    def runner(self) -> CheckRunner:
        assignment = self.assignment
        candidate = Candidate(self.supervisor, assignment.aliases, assignment.signature)
        return CheckRunner(candidate, self.seed, assignment.look_around)


def _exercise(item: pytest.Item) -> str:
    """Return the id of the exercise that a check belongs to."""
    return item.path.stem.removeprefix("test_")
