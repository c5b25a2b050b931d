"""Graders from the shell: a pytest plugin that the `conftest.py` of a graders' folder loads.

`pytest GRADERS/ASSIGNMENT` puts every check to the solution in `source/`, behind the walls;
with `--notebook FILE`, to that notebook. A check is examined as in a class run: in each precision,
with stand-ins and without.
"""

import secrets
import warnings
from collections import defaultdict
from collections.abc import Iterator
from functools import cached_property
from pathlib import Path

import pytest

from autograder.authoring.edited import as_edited, assignment_of
from autograder.engine.course.assignment import Assignment, GraderError
from autograder.engine.diagnosis.search import diagnose
from autograder.engine.examiner.checks import CheckRun
from autograder.engine.examiner.clock import Clock
from autograder.engine.examiner.fixtures import Fixtures
from autograder.engine.examiner.proxy import Candidate
from autograder.engine.examiner.session import CheckRunner, CollectedCheck, undisturbed
from autograder.engine.examiner.supervisor import Supervisor
from autograder.engine.limits.process import Limits, SandboxError
from autograder.engine.notebook.submission import Submission, read_submission
from autograder.engine.sandbox.choose import choose_walls
from autograder.engine.verdict.verdict import points_text

POINTS = "points"  # the property of a report that says what the check earned, and could earn
KNOWN = "known_mistakes"  # what xdist's workers send to the process that prints


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
    """The plugin object of one pytest session: runs the checks of graders, and no other tests."""

    def __init__(self, fixtures: Fixtures, notebook: Path | None, seed: int):
        self.fixtures, self.notebook, self.seed = fixtures, notebook, seed
        self.examined: dict[Path, Examined | None] = {}  # by folder of graders
        self.mistakes: list[str] = []

    def pytest_report_header(self) -> str:
        what = f"`{self.notebook}`" if self.notebook else "the solutions in source/"
        return f"graders: {what}, --seed {self.seed}"

    @pytest.hookimpl(tryfirst=True)
    def pytest_runtest_setup(self, item: pytest.Item) -> None:
        """Leave the fixtures of a check to its attempts: each has its own."""
        if self._examined(item):
            item.setup = _nothing  # type: ignore[method-assign]

    @pytest.hookimpl(tryfirst=True)
    def pytest_pyfunc_call(self, pyfuncitem: pytest.Function) -> object:
        """Examine a check; pytest makes a report of what this raises."""
        examined = self._examined(pyfuncitem)
        if not examined:
            return None
        run, reason = self._run(examined, pyfuncitem)
        earned = (run.points, run.max_points) if run else (0.0, 0.0)
        pyfuncitem.user_properties.append((POINTS, earned))
        if isinstance(reason, str):
            pytest.fail(reason, pytrace=False)
        if reason:
            raise reason
        return True

    @pytest.hookimpl(tryfirst=True)
    def pytest_sessionfinish(self, session: pytest.Session) -> None:
        try:
            for examined in filter(None, self.examined.values()):
                self.mistakes += self._known_mistakes(examined, session)
        finally:
            for examined in filter(None, self.examined.values()):
                examined.end()
        if hasattr(session.config, "workeroutput"):
            session.config.workeroutput[KNOWN] = self.mistakes

    @pytest.hookimpl(optionalhook=True)
    def pytest_testnodedown(self, node) -> None:
        """Take over what one of xdist's workers has found."""
        self.mistakes += getattr(node, "workeroutput", {}).get(KNOWN, ())

    def pytest_terminal_summary(self, terminalreporter) -> None:
        mistakes = dict.fromkeys(self.mistakes)
        if mistakes:
            terminalreporter.section("known mistakes")
            terminalreporter.write_line("\n".join(mistakes))
        reports = [
            one for kind in ("passed", "failed") for one in terminalreporter.getreports(kind)
        ]
        given = [value for one in reports for name, value in one.user_properties if name == POINTS]
        if given:
            earned, most = (points_text(sum(column)) for column in zip(*given, strict=True))
            terminalreporter.write_line(f"{earned} of {most} points")

    def _examined(self, item: pytest.Item) -> "Examined | None":
        """What a check is put to; None for a test that is no check of a grader."""
        folder = item.path.parent
        if folder not in self.examined:
            assignment = assignment_of(folder)
            self.examined[folder] = (
                Examined(assignment, self.notebook, self.seed) if assignment else None
            )
        return self.examined[folder] if isinstance(item, pytest.Function) else None

    def _run(
        self, examined: "Examined", item: pytest.Function
    ) -> tuple[CheckRun | None, str | Exception | None]:
        """Run a check. Return it, and why it failed: a sentence, or the grader's own exception."""
        vars(item).pop("setup", None)
        item.session._setupstate.teardown_exact(item.parent)  # type: ignore[arg-type]
        try:
            run = examined.run(CollectedCheck(item, _exercise(item), self.fixtures).check())
        except SandboxError as error:
            return None, str(error)
        except GraderError as error:
            cause = error.__cause__
            return None, cause if isinstance(cause, Exception) else str(error)
        return run, None if run.passed else run.message or "The check failed, and says nothing."

    def _known_mistakes(self, examined: "Examined", session: pytest.Session) -> Iterator[str]:
        """Name the mistakes of the exercises that failed.

        That takes all checks of an exercise: those that did not run in this process run now.
        """
        for exercise, runs in examined.runs.items():
            if all(run.passed for run in runs):
                continue
            done = {run.id for run in runs}
            for item in session.items:
                others = item.name not in done and self._examined(item) is examined
                if others and isinstance(item, pytest.Function) and _exercise(item) == exercise:
                    self._run(examined, item)
            for mistake in examined.diagnose(exercise):
                yield f"{exercise}: {mistake}"


class Examined:
    """One notebook of an assignment behind the walls, which are built for the first check."""

    def __init__(self, assignment: Assignment, notebook: Path | None, seed: int):
        self.assignment = assignment if notebook else as_edited(assignment)
        self.notebook = notebook or assignment.source
        self.seed = seed
        self.runs: defaultdict[str, list[CheckRun]] = defaultdict(list)  # by exercise
        self._broken: SandboxError | None = None

    def run(self, check: CheckRun) -> CheckRun:
        """Put the check to the notebook. Raises `GraderError`, `SandboxError`."""
        if self.submission.unreadable:
            check.message = self.submission.unreadable
            return check
        if self._broken:
            raise self._broken
        try:
            with undisturbed():
                self.examination.run(check)
        except SandboxError as error:
            self._broken = error
            raise
        self.runs[check.exercise].append(check)
        return check

    def diagnose(self, exercise: str) -> list[str]:
        """Return the sentences on the known mistakes in what was examined of an exercise."""
        with warnings.catch_warnings(action="ignore"):  # of the solution's own cells
            return [mistake.sentence for mistake in diagnose(self.assignment, self.runs[exercise])]

    def end(self) -> None:
        """End the candidate, and the walls around it."""
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
    def examination(self) -> CheckRunner:
        assignment = self.assignment
        candidate = Candidate(self.supervisor, assignment.aliases, assignment.signature)
        return CheckRunner(candidate, self.seed, assignment.look_around)


def _exercise(item: pytest.Function) -> str:
    return item.path.stem.removeprefix("test_")


def _nothing() -> None:
    """The set-up of an item that sets itself up later."""
