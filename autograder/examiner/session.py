"""The pytest session that puts a grader's checks to one candidate.

A check is tried until it passes: in float64, in float32 if the student's code does not take
float64, and, where stand-ins took the place of the student's own parts, with those parts as they
are. So nobody loses points for a dtype, or for two parts that fit each other and nothing else.
"""

import contextlib
import gc
import zlib
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import cache
from itertools import product

import pytest
import torch

from autograder.assignment import Exercise
from autograder.channel import ChannelError
from autograder.examiner.compare import GraderError, agrees, disappears
from autograder.examiner.faults import CandidateFault, Gone
from autograder.examiner.proxy import Candidate
from autograder.sandbox import SandboxError

UNUSED = (  # parts of pytest that a grader has no use for, and that take their time at every start
    *("cacheprovider", "terminal", "logging", "faulthandler", "junitxml", "doctest", "warnings"),
    *("unraisableexception", "threadexception", "debugging", "unittest", "skipping", "legacypath"),
    *("tmpdir", "monkeypatch", "recwarn", "pastebin", "setuponly", "setupplan", "stepwise"),
    *("subtests", "capture"),
)
OPTIONS = (
    *("--noconftest", "-c", "/dev/null", "--import-mode=importlib", "--assert=plain"),
    *("--disable-plugin-autoload", "--strict-markers", "-o", "markers=points(n): worth of a check"),
    *(f"-pno:{name}" for name in UNUSED),
)


@dataclass
class Check:
    """The result of one check. `kind` says how it failed, for the state of its exercise."""

    id: str
    exercise: str
    max_points: float
    passed: bool = False
    message: str | None = None
    kind: str = "not_asked"  # passed, wrong, a fault's kind, or a state in which nobody answers

    @property
    def points(self) -> float:
        return self.max_points if self.passed else 0.0


def run_checks(exercises: Sequence[Exercise], candidate: Candidate, seed: int) -> list[Check]:
    """Put every check of these exercises to the candidate. Raises `GraderError`, `SandboxError`."""
    session = _collect(tuple(exercises))
    _spare_what_stays()
    with _undisturbed():
        try:
            return session.put_to(candidate, seed)
        except BaseException:
            _collect.cache_clear()  # what was left in the middle cannot be begun again
            raise


@cache
def _collect(exercises: tuple[Exercise, ...]) -> "_Session":
    """Have pytest collect the checks, once a process: that takes it as long as to run them."""
    session = _Session(exercises)
    files = [str(exercise.grader) for exercise in exercises]
    rootdir = f"--rootdir={exercises[0].grader.parent}"
    code = pytest.main([*OPTIONS, "--collect-only", rootdir, *files], [session])
    if session.broken:
        raise session.broken
    if code != pytest.ExitCode.OK:
        raise GraderError(f"the graders could not be collected: pytest ended with {code!r}")
    return session


class _Session:
    """The pytest plugin: fixtures, tries, results."""

    def __init__(self, exercises: Sequence[Exercise]):
        self.names = {exercise.grader.name: exercise.id for exercise in exercises}
        self.items: list[pytest.Function] = []
        self.broken: Exception | None = None

    def put_to(self, candidate: Candidate, seed: int) -> list[Check]:
        """Run the collected checks against one candidate."""
        self.asked, self.seed = candidate, seed
        self.checks = {item.nodeid: self._check(item) for item in self.items}
        self.gone: dict[str, Gone] = {}
        self.asked_enough: set[str] = set()  # exercises in which asking again ended the candidate
        self.broken = None
        for item, following in zip(self.items, [*self.items[1:], None], strict=True):
            item.config.hook.pytest_runtest_protocol(item=item, nextitem=following)
            if self.broken:
                raise self.broken
        return list(self.checks.values())

    def _check(self, item: pytest.Function) -> Check:
        points = next(item.iter_markers("points"))
        return Check(item.name, self.names[item.path.name], float(points.args[0]))

    @pytest.fixture
    def candidate(self) -> Candidate:
        return self.asked

    @pytest.fixture
    def agrees(self) -> Callable[[torch.Tensor, torch.Tensor], bool]:
        return agrees

    @pytest.fixture
    def disappears(self) -> Callable[[torch.Tensor], bool]:
        return disappears

    @pytest.fixture
    def attempt(self) -> Callable[[Callable[[], object]], object]:
        return _attempt

    @pytest.fixture
    def one_of(self) -> Callable[..., None]:
        return _one_of

    def pytest_collection_modifyitems(self, items: list[pytest.Function]) -> None:
        self.items = items
        for item in items:
            if item.get_closest_marker("points") is None:
                self.broken = GraderError(f"{item.nodeid} has no points")

    def pytest_collectreport(self, report: pytest.CollectReport) -> None:
        if report.failed:
            self.broken = GraderError(f"a grader cannot be imported: {report.longreprtext}")

    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        if report.failed and report.when != "call":
            self.broken = GraderError(f"{report.nodeid} broke: {report.longreprtext}")

    def pytest_pyfunc_call(self, pyfuncitem: pytest.Function) -> bool:
        check = self.checks[pyfuncitem.nodeid]
        names = pyfuncitem._fixtureinfo.argnames  # as pytest's own implementation of this hook does
        arguments = {name: pyfuncitem.funcargs[name] for name in names}
        try:
            if check.exercise in self.gone:
                raise self.gone[check.exercise]
            self._try(check, lambda: pyfuncitem.obj(**arguments))
            check.passed, check.kind = True, "passed"
        except AssertionError as error:
            check.kind, check.message = "wrong", str(error).partition("\n")[0]  # the author's line
        except CandidateFault as error:
            check.kind, check.message = error.fault.kind, str(error)
        except Gone as gone:
            check.kind, check.message = gone.state, str(gone)
            self.gone[check.exercise] = gone
        except Exception as error:
            self.broken = self.broken or _ours(error, check.id)
        return True

    def _try(self, check: Check, ask: Callable[[], None]) -> None:
        """Ask once, and again where the student deserves it; raise what was wrong the first time."""
        errors: list[Exception] = []
        stand_ins_used = False
        salt = zlib.crc32(check.id.encode())
        for own_parts, double in product((False, True), (True, False)):
            enough = errors and check.exercise in self.asked_enough
            if enough or (own_parts and not stand_ins_used):
                break
            try:
                return self._ask(ask, double, own_parts, salt)
            except (AssertionError, CandidateFault) as error:
                errors.append(error.with_traceback(None))  # whose frames hold the answers
            except Gone as gone:
                self.asked_enough.add(check.exercise)
                errors.append(gone)
                break
            stand_ins_used |= self.asked.stand_ins_used
        raise errors[0]

    def _ask(self, ask: Callable[[], None], double: bool, own_parts: bool, salt: int) -> None:
        torch.default_generator.manual_seed(self.seed ^ salt)  # not `torch.manual_seed`: for GPUs
        torch.set_default_dtype(torch.float64 if double else torch.float32)
        try:
            self.asked.begin(double, own_parts)
            ask()
        except ChannelError as error:  # an answer that is none
            self.asked.sitting.dismiss()
            raise Gone("crashed") from error


def _one_of(claim: Callable[[object], None], *cases: object) -> None:
    """Assert that a claim holds in one of several cases; raise what was wrong in the first."""
    first: Exception | None = None
    for case in cases:
        try:
            return claim(case)
        except (AssertionError, CandidateFault) as error:
            first = first or error.with_traceback(None)
    raise first or GraderError("a claim without a case")


def _attempt(question: Callable[[], object]) -> object:
    """Return the answer, or None where the student's code has none: another check asks for it."""
    try:
        return question()
    except (AssertionError, CandidateFault):
        return None


def _ours(error: Exception, check: str) -> Exception:
    if isinstance(error, GraderError | SandboxError):
        return error
    broken = GraderError(f"{check} broke: {type(error).__name__}: {error}")
    broken.__cause__ = error
    return broken


@cache
def _spare_what_stays() -> None:
    """Take what is imported out of the garbage collector's rounds, once: they cost a fifth of an exam."""
    gc.collect()
    gc.freeze()


@contextlib.contextmanager
def _undisturbed() -> Iterator[None]:
    """One thread, for tensors this small; and torch's state as it was before."""
    dtype, threads = torch.get_default_dtype(), torch.get_num_threads()
    torch.set_num_threads(1)
    with torch.random.fork_rng(devices=[]):
        try:
            yield
        finally:
            torch.set_default_dtype(dtype)
            torch.set_num_threads(threads)
