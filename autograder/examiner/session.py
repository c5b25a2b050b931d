"""The pytest session that puts a grader's checks to one candidate.

A check is tried until it passes: in float64, in float32 if the student's code does not take
float64, and, where stand-ins took the place of the student's own parts, with those parts as they
are. So nobody loses points for a dtype, or for two parts that fit each other and nothing else.
"""

import contextlib
import gc
import zlib
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from functools import cache
from itertools import product
from typing import NamedTuple

import pytest
import torch

from autograder.assignment import Exercise
from autograder.channel import ChannelError
from autograder.examiner.asking import Asking
from autograder.examiner.compare import GraderError
from autograder.examiner.faults import UNWRITTEN, CandidateFault, Gone
from autograder.examiner.proxy import Candidate
from autograder.examiner.transcript import Scene
from autograder.mistake import Mistake
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


@dataclass(eq=False)
class Check:
    """The result of one check. `kind` says how it failed, for the state of its exercise."""

    id: str
    exercise: str
    max_points: float
    function: Callable[..., None]
    passed: bool = False
    message: str | None = None
    kind: str = "not_asked"  # passed, wrong, a fault's kind, or a state in which nobody answers
    scenes: list[Scene] = field(default_factory=list)  # of the try that tells most
    strains: list[float] = field(default_factory=list)  # of that try's comparisons, see `asking.py`
    mistakes: list[Mistake] = field(default_factory=list)  # that explain why it failed

    @property
    def points(self) -> float:
        return self.max_points if self.passed else 0.0

    def trace(self) -> "Trace":
        named = [mistake.id for mistake in self.mistakes]
        return Trace(self.exercise, self.id, self.passed, named, max(self.strains, default=0.0))


class Trace(NamedTuple):
    """What a check showed, for those who look at the graders: no part of a verdict."""

    exercise: str
    check: str
    passed: bool
    named: list[str]  # mistakes that explain its failure
    strain: float  # of its worst comparison, where 1 is the limit


def run_checks(
    exercises: Sequence[Exercise],
    candidate: Candidate,
    seed: int,
    look_around: Callable[[Candidate], object] | None = None,
    double: bool = True,
    threads: int = 1,
) -> list[Check]:
    """Put every check of these exercises to the candidate. Raises `GraderError`, `SandboxError`.

    What `look_around` returns, before the first check, is the fixture `surroundings`; None where the
    candidate has no answer. Without `double`, nothing is asked in float64.
    """
    session = _collect(tuple(exercises))
    _spare_what_stays()
    with undisturbed(threads):
        try:
            session.precisions = (True, False) if double else (False,)
            return session.put_to(candidate, seed, look_around)
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
        self.precisions: tuple[bool, ...] = (True, False)  # in float64?

    def put_to(self, candidate: Candidate, seed: int, look_around: Callable | None) -> list[Check]:
        """Run the collected checks against one candidate."""
        self.asked, self.seed = candidate, seed
        self.surroundings_found = self._look(look_around) if look_around else None
        self.checks = {item.nodeid: self._check(item) for item in self.items}
        self.gone: dict[str, Gone] = {}
        self.asked_enough: set[str] = set()  # exercises in which asking again ended the candidate
        self.broken = None
        for item, following in zip(self.items, [*self.items[1:], None], strict=True):
            item.config.hook.pytest_runtest_protocol(item=item, nextitem=following)
            if self.broken:
                raise self.broken
        return list(self.checks.values())

    def _look(self, look_around: Callable[[Candidate], object]) -> object:
        torch.default_generator.manual_seed(self.seed)
        for double in self.precisions:
            asking = Asking(self.asked, double, own_parts=False)
            try:
                return asking.look(look_around)
            except (AssertionError, CandidateFault):
                continue
            except (ChannelError, Gone):  # a check will ask again, and tell
                self.asked.sitting.dismiss()
                return None
        return None

    def _check(self, item: pytest.Function) -> Check:
        points = next(item.iter_markers("points"))
        exercise = self.names[item.path.name]
        return Check(item.name, exercise, float(points.args[0]), item.obj)

    # What these fixtures hand out is another thing for each try: see `asking.py`.

    @pytest.fixture
    def candidate(self) -> None:
        """The student's code, at arm's length."""

    @pytest.fixture
    def agrees(self) -> None:
        """agrees(answer, expected): same shape, dtype, values; nothing agrees with zeros."""

    @pytest.fixture
    def differs(self) -> None:
        """differs(answer, other): another answer, by more than the tolerance."""

    @pytest.fixture
    def disappears(self) -> None:
        """disappears(answer): all numbers, and practically zero."""

    @pytest.fixture
    def close(self) -> None:
        """close(measured, expected, within): for a number that chance has a part in."""

    @pytest.fixture
    def noted(self) -> None:
        """noted(seen): what a check looks at that is no answer; mistakes are told apart by it."""

    @pytest.fixture
    def surroundings(self) -> None:
        """What the assignment's `look_around` returned; None where there was no answer."""

    @pytest.fixture
    def attempt(self) -> None:
        """attempt(question): the answer, or None where the student's code has none."""

    @pytest.fixture
    def one_of(self) -> None:
        """one_of(claim, *cases): the claim holds in one of these cases."""

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
        try:
            if check.exercise in self.gone:
                raise self.gone[check.exercise]
            self._try(check)
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

    def _try(self, check: Check) -> None:
        """Ask once, and again where the student deserves it; raise what was wrong the first time."""
        errors: list[Exception] = []
        stand_ins_used = wrong = False
        for own_parts, double in product((False, True), self.precisions):
            enough = errors and check.exercise in self.asked_enough
            if enough or (own_parts and not stand_ins_used):
                break
            asking = Asking(self.asked, double, own_parts, self.surroundings_found)
            try:
                self._ask(asking, check)
                _keep(asking, check)
                return
            except (AssertionError, CandidateFault) as error:
                tells = isinstance(error, AssertionError) and not wrong
                if tells or not errors:  # the first answer that is wrong, else the first fault
                    _keep(asking, check)
                wrong |= tells
                errors.append(error.with_traceback(None))  # whose frames hold the answers
                if isinstance(error, CandidateFault) and error.fault.kind in UNWRITTEN:
                    break  # whatever it is asked in, and with
            except Gone as gone:
                self.asked_enough.add(check.exercise)
                errors.append(gone)
                break
            stand_ins_used |= self.asked.stand_ins_used
        raise errors[0]

    def _ask(self, asking: Asking, check: Check) -> None:
        salt = zlib.crc32(check.id.encode())
        torch.default_generator.manual_seed(self.seed ^ salt)  # not `torch.manual_seed`: for GPUs
        try:
            asking.ask(check.function)
        except ChannelError as error:  # an answer that is none
            self.asked.sitting.dismiss()
            raise Gone("crashed") from error


def _keep(asking: Asking, check: Check) -> None:
    check.scenes, check.strains = asking.scenes, asking.strains


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
def undisturbed(wanted: int = 1) -> Iterator[None]:
    """One thread, for tensors this small; and torch's state as it was before."""
    dtype, threads = torch.get_default_dtype(), torch.get_num_threads()
    torch.set_num_threads(wanted)
    with torch.random.fork_rng(devices=[]):
        try:
            yield
        finally:
            torch.set_default_dtype(dtype)
            torch.set_num_threads(threads)
