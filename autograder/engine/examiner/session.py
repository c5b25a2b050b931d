"""The pytest session that puts a grader's checks to one candidate.

A check is tried until it passes, from the top of this table on, each time in float64 and then in
float32 (for code that does not take float64):

| parts                              | tried where                          | so that nobody loses points for |
|------------------------------------|--------------------------------------|---------------------------------|
| stand-ins                          | always                               | a mistake in an earlier part    |
| stand-ins that answer with a tuple | an own part's answer came with more  | taking an answer apart          |
| own parts                          | a stand-in was offered               | two parts that fit each other   |

What a failed check says is what the first try said that got an answer: a wrong answer before a fault,
and before all others one to stand-ins in the form of the student's own parts.
"""

import contextlib
import gc
import os
import sys
import zlib
from collections.abc import Callable, Iterator, Sequence
from functools import cache
from itertools import product
from pathlib import Path

import pytest
import torch

from autograder.engine.candidate.channel import ChannelError
from autograder.engine.course.assignment import Exercise, GraderError, import_package
from autograder.engine.examiner.attempt import Attempt, LookAround
from autograder.engine.examiner.checks import CheckRun, caller_of
from autograder.engine.examiner.faults import UNWRITTEN, CandidateFault, CandidateLost
from autograder.engine.examiner.fixtures import Fixtures
from autograder.engine.examiner.proxy import Candidate
from autograder.engine.limits.memory import raise_if_out_of_memory
from autograder.engine.limits.process import SandboxError

PRECISIONS = (True, False)  # in float64, then in float32
UNUSED = """
    cacheprovider terminal logging faulthandler junitxml doctest warnings unraisableexception
    threadexception debugging unittest skipping legacypath tmpdir recwarn pastebin setuponly
    setupplan stepwise subtests capture
""".split()  # plugins that take their time at every start, and that a grader has no use for
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
PLAIN, AS_SEVERAL, OWN = "stand-ins", "stand-ins that answer as own parts", "own parts"
PYTESTS_OWN = "\nassert "  # what it adds to an author's words
NO_WORDS = "This check failed. What does its name say?"  # where the author says nothing
ODD_ANSWER = (
    "This check cannot work with what your code answers. Which form, dtype and shape does the "
    "statement ask for?"
)


def run_checks(
    exercises: Sequence[Exercise],
    candidate: Candidate,
    seed: int,
    look_around: LookAround | None = None,
    precisions: Sequence[bool] = PRECISIONS,
    begin_exercise: Callable[[], object] | None = None,
    holds: Callable[[CheckRun], bool] | None = None,
) -> list[CheckRun]:
    """Put every check of these exercises to the candidate. Raises `GraderError`, `SandboxError`,
    `MemoryError`.

    Where a check breaks, `holds` says whether it can be put to the solution: then it is the answer
    that is odd, and the check has failed. Without `holds` the fault is the grader's.

    What `look_around` returns, before the first check, is the fixture `surroundings`; None where the
    candidate has no answer. `begin_exercise` is called before each exercise.
    """
    items = collect_checks(tuple(exercises))
    _freeze_what_is_imported()
    with undisturbed():
        runner = CheckRunner(candidate, seed, look_around, precisions, holds)
        runs, begun = [], set[str]()
        for item in items:
            if begin_exercise and item.exercise not in begun:
                begin_exercise()
                begun.add(item.exercise)
            runs.append(runner.run(item.check()))
        return runs


class CollectedCheck:
    """A check as pytest collected it, to be run for any number of candidates."""

    def __init__(self, item: pytest.Function, exercise: str, fixtures: Fixtures):
        points = item.get_closest_marker("points")
        if points is None:
            raise GraderError(f"{item.nodeid} has no points")
        self.id, self.exercise, self.points = item.name, exercise, float(points.args[0])
        self.question = " ".join((item.obj.__doc__ or "").split())
        self.call = caller_of(item, fixtures)

    def check(self) -> CheckRun:
        return CheckRun(self.id, self.exercise, self.points, question=self.question, call=self.call)


@cache
def collect_checks(exercises: tuple[Exercise, ...]) -> list[CollectedCheck]:
    """Have pytest collect the checks, once a process: that takes it as long as to run them.

    Raises `GraderError`.
    """
    for exercise in exercises:
        if not exercise.grader.is_file():
            raise GraderError(f"the exercise `{exercise.id}` has no grader `{exercise.grader}`")
    if not exercises:  # all of them are marked by hand
        return []
    fixtures = Fixtures()
    collected = collect([exercise.grader for exercise in exercises], fixtures)
    for reason in collected.broken.values():
        raise GraderError(f"a grader cannot be imported: {reason}")
    names = {exercise.grader.name: exercise.id for exercise in exercises}
    return [CollectedCheck(item, names[item.path.name], fixtures) for item in collected.items]


def collect(graders: Sequence[Path], fixtures: Fixtures) -> "Collected":
    """Have pytest collect the checks of these files, which are in one folder."""
    collected, folder = Collected(), graders[0].parent
    import_package(folder)  # else pytest takes another course's of this name
    place = [f"--rootdir={folder}", f"--confcutdir={folder}"]
    with _without_options_of_the_environment():
        code = pytest.main([*OPTIONS, *place, *map(str, graders)], [fixtures, collected])
    if code != pytest.ExitCode.OK and not collected.broken:
        collected.broken[folder.name] = f"pytest ended with {code!r}"
    if collected.broken:
        _forget(graders)
    return collected


def _forget(graders: Sequence[Path]) -> None:
    """Have graders imported again the next time: pytest takes one that broke halfway for whole."""
    files = {str(grader) for grader in graders}
    for name, module in list(sys.modules.items()):
        if getattr(module, "__file__", None) in files:
            del sys.modules[name]


@contextlib.contextmanager
def _without_options_of_the_environment() -> Iterator[None]:
    """Options and plugins for the user's own pytest have no part in grading, and may break it."""
    names = ("PYTEST_ADDOPTS", "PYTEST_PLUGINS")
    options = {name: os.environ.pop(name) for name in names if name in os.environ}
    try:
        yield
    finally:
        os.environ.update(options)


class Collected:
    """What pytest has collected, and its reports of what it could not; a pytest plugin."""

    def __init__(self) -> None:
        self.items: list[pytest.Function] = []
        self.broken: dict[str, str] = {}  # by file

    def pytest_collection_modifyitems(self, items: list[pytest.Function]) -> None:
        self.items = items

    def pytest_collectreport(self, report: pytest.CollectReport) -> None:
        if report.failed:
            self.broken[report.nodeid] = report.longreprtext


class CheckRunner:
    """Runs the checks of one submission, and keeps what the next check has to know."""

    def __init__(
        self,
        candidate: Candidate,
        seed: int,
        look_around: LookAround | None,
        precisions: Sequence[bool] = PRECISIONS,
        holds: Callable[[CheckRun], bool] | None = None,
    ):
        self.candidate, self.seed, self.precisions = candidate, seed, precisions
        self.holds = holds
        self.lost: dict[str, CandidateLost] = {}  # by exercise
        self.lost_on_retry: set[str] = set()  # exercises in which asking again ended the candidate
        self.surroundings = self._look(look_around) if look_around else None

    def run(self, check: CheckRun) -> CheckRun:
        """Run one check, in each precision and with stand-ins or own parts, until it passes.

        Raises `GraderError`, `SandboxError`, `MemoryError`.
        """
        if broke := self._run(check):
            ours = isinstance(broke, MemoryError) or not (self.holds and self.holds(check))
            if ours:  # a bound of ours is missing, or the check breaks on right code as well
                raise broke
            check.kind, check.message, check.broke = "wrong", ODD_ANSWER, str(broke)
        return check

    def _run(self, check: CheckRun) -> Exception | None:
        """Run one check; return what broke it, if it was neither an answer nor the sandbox."""
        try:
            if check.exercise in self.lost:
                raise self.lost[check.exercise]
            self._try(check)
            check.passed, check.kind = True, "passed"
        except AssertionError as error:
            said = str(error)
            if not said or said.startswith(PYTESTS_OWN.strip()):  # an assert without words
                said = check.question or said
            first, _, more = said.partition(PYTESTS_OWN)[0].partition("\n")
            check.kind, check.message = "wrong", first or NO_WORDS
            if (
                more and not said.startswith(PYTESTS_OWN.strip()) and self.holds is None
            ):  # for authors
                return GraderError(
                    f"{check.id} says more than one line, and students read one: {first}"
                )
        except CandidateFault as error:
            check.kind, check.message = error.fault.kind, str(error)
        except CandidateLost as lost:
            check.kind, check.message = lost.state, str(lost)
            self.lost[check.exercise] = lost
        except (GraderError, SandboxError):
            raise
        except Exception as error:
            try:
                raise_if_out_of_memory(error)
            except MemoryError as short:
                return MemoryError(str(short))
            broke = GraderError(f"{check.id} broke: {type(error).__name__}: {error}")
            if self.holds is None:  # for authors; else nothing keeps what its frames hold
                broke.__cause__ = error
            return broke
        return None

    def _look(self, look_around: LookAround) -> object:
        torch.default_generator.manual_seed(self.seed)
        for double in self.precisions:
            try:
                return Attempt(self.candidate, double, own_parts=False).look(look_around)
            except (AssertionError, CandidateFault):
                continue
            except (ChannelError, CandidateLost):  # the first check will ask again
                self.candidate.backend.end()
                return None
            except (GraderError, SandboxError):
                raise
            except Exception:  # an odd answer: nothing is known
                continue
        return None

    def _try(self, check: CheckRun) -> None:
        """Try until the check passes; otherwise raise the first error."""
        errors: list[Exception] = []
        parts_offered, wrong = {PLAIN}, False
        for parts, double in product((PLAIN, AS_SEVERAL, OWN), self.precisions):
            if errors and check.exercise in self.lost_on_retry:
                break
            if parts not in parts_offered:
                continue
            attempt = Attempt(
                self.candidate, double, parts == OWN, self.surroundings, parts == AS_SEVERAL
            )
            try:
                self._ask(attempt, check)
                _keep(attempt, check)
                return
            except (AssertionError, CandidateFault) as error:
                is_wrong = isinstance(error, AssertionError)
                in_their_form = is_wrong and parts == AS_SEVERAL  # which tells more than any other
                # of these: the first wrong answer, else the first fault
                if in_their_form or (is_wrong and not wrong) or not errors:
                    _keep(attempt, check)
                wrong |= is_wrong
                errors.insert(0 if in_their_form else len(errors), error.with_traceback(None))
                if isinstance(error, CandidateFault) and error.fault.kind in UNWRITTEN:
                    break  # in each precision, with stand-ins or without
            except CandidateLost as lost:
                self.lost_on_retry.add(check.exercise)
                errors.append(lost)
                break
            parts_offered |= _parts_offered(attempt.candidate)
        raise errors[0]

    def _ask(self, attempt: Attempt, check: CheckRun) -> None:
        salt = zlib.crc32(check.id.encode())
        torch.default_generator.manual_seed(self.seed ^ salt)  # not `torch.manual_seed`: for GPUs
        try:
            attempt.run(lambda: check.call(attempt))
        except ChannelError as error:  # an answer that is none
            self.candidate.backend.end()
            raise CandidateLost("crashed") from error


def _parts_offered(candidate: Candidate) -> set[str]:
    """With which parts a check can be tried, beside plain stand-ins."""
    several = {AS_SEVERAL} if candidate.offers_several else set()
    return several | ({OWN} if candidate.stand_ins_offered else set())


def _keep(attempt: Attempt, check: CheckRun) -> None:
    check.recording, check.normalised_errors = attempt.recording, attempt.normalised_errors
    check.library = attempt.candidate.library


@cache
def _freeze_what_is_imported() -> None:
    """Keep the garbage collector from what was imported, once: its rounds take a fifth of the time."""
    gc.collect()
    gc.freeze()


@contextlib.contextmanager
def undisturbed() -> Iterator[None]:
    """One thread, for tensors this small; and torch's state as it was before."""
    dtype, before = torch.get_default_dtype(), torch.get_num_threads()
    torch.set_num_threads(1)
    with torch.random.fork_rng(devices=[]):
        try:
            yield
        finally:
            torch.set_default_dtype(dtype)
            torch.set_num_threads(before)
