"""Run the checks of graders on a candidate.

A check is attempted until it passes, from the top of this table on, each time in float64 and then
in float32 (for code that does not take float64):

| parts                         | attempted                      | to forgive                    |
|-------------------------------|--------------------------------|-------------------------------|
| stand-ins                     | always                         | a mistake in an earlier part  |
| stand-ins that return a tuple | if an own part returns several | unpacking an answer           |
| own parts                     | if a stand-in was offered      | two parts that fit each other |

A failed check has the message and the recording of a single attempt. A wrong answer to stand-ins in
the form of the student's own parts comes first, then the first wrong answer, then the first fault.
"""

import contextlib
import gc
import zlib
from collections.abc import Callable, Iterator, Sequence
from functools import cache
from itertools import product

import torch

from autograder.engine.candidate.frames import ChannelError
from autograder.engine.courses.assignment import Exercise
from autograder.engine.courses.cells import GraderError
from autograder.engine.examiner.attempt import Attempt, LookAround
from autograder.engine.examiner.checks import CheckRun
from autograder.engine.examiner.collecting import collect_checks
from autograder.engine.examiner.faults import UNWRITTEN, CandidateFault, CandidateLost
from autograder.engine.examiner.proxy import Candidate
from autograder.engine.examiner.recording import PYTESTS_OWN
from autograder.engine.limits.memory import raise_if_out_of_memory
from autograder.engine.limits.process import SandboxError

PRECISIONS = (True, False)  # in float64, then in float32
PLAIN, AS_SEVERAL, OWN = "stand-ins", "stand-ins that answer as own parts", "own parts"
NO_WORDS = "This check failed. What does its name say?"  # if the author gives no message
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
    begin_exercise: Callable[[str], object] | None = None,
    holds: Callable[[CheckRun], bool] | None = None,
) -> list[CheckRun]:
    """Run every check of these exercises on the candidate and return the results.

    `seed`: for the random numbers of graders. `look_around`: called before the first check, for
    the fixture `surroundings`. `precisions`: True for float64, False for float32, in the
    order of attempts. `begin_exercise`: called before each exercise, with its id. `holds`: whether
    a check that breaks on an answer can be run on the solution. If so, the check has failed because
    of an odd answer. If not, or without `holds`, the exception is raised.

    Raise `GraderError` if a grader is at fault, `SandboxError` if the sandbox is, `MemoryError` if
    the examiner runs out of memory.
    """
    collected_checks = collect_checks(tuple(exercises))
    _freeze_what_is_imported()
    with undisturbed():
        runner = CheckRunner(candidate, seed, look_around, precisions, holds)
        runs, started = [], set[str]()
        for collected in collected_checks:
            if begin_exercise and collected.exercise not in started:
                begin_exercise(collected.exercise)
                started.add(collected.exercise)
            runs.append(runner.run(collected.check()))
        return runs


class CheckRunner:
    """Runs the checks of a submission, and remembers the exercises in which its candidate was
    lost.

    The arguments are those of `run_checks`.
    """

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
        self.lost_on_retry: set[str] = set()  # exercises with a candidate lost on a retry
        self.surroundings = self._look(look_around) if look_around else None

    def run(self, check: CheckRun) -> CheckRun:
        """Attempt `check` in each precision, with stand-ins and with own parts, until it passes.

        Set its result, and return it. Raise as `run_checks` does.
        """
        if broke := self._run(check):
            is_our_fault = isinstance(broke, MemoryError) or not (self.holds and self.holds(check))
            # a limit of ours is missing, or the check breaks on correct code as well
            if is_our_fault:
                raise broke
            check.kind, check.message, check.broke = "wrong", ODD_ANSWER, str(broke)
        return check

    def _run(self, check: CheckRun) -> Exception | None:
        """Run a check and set its result. Return the exception that broke it, if any.

        Failures and faults of the candidate do not break it. Raise `SandboxError`, and a
        `GraderError` that the check itself raises.
        """
        try:
            if check.exercise in self.lost:
                raise self.lost[check.exercise]
            self._try(check)
            check.passed, check.kind = True, "passed"
        except AssertionError as error:
            message = str(error)
            # an assertion without a message
            if not message or message.startswith(PYTESTS_OWN.strip()):
                message = check.question or message
            first_line, _, further_lines = message.partition(PYTESTS_OWN)[0].partition("\n")
            check.kind, check.message = "wrong", first_line or NO_WORDS
            if (
                further_lines and not message.startswith(PYTESTS_OWN.strip()) and self.holds is None
            ):  # for authors
                return GraderError(
                    f"{check.id} says more than one line, and students read one: {first_line}"
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
            if self.holds is None:  # for authors; else the frames' objects can be freed
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
            except (ChannelError, CandidateLost):  # the first check starts it again
                self.candidate.backend.end()
                return None
            except (GraderError, SandboxError):
                raise
            except Exception:  # an odd answer
                continue
        return None

    def _try(self, check: CheckRun) -> None:
        """Attempt a check until it passes.

        If it never does, raise the most informative error, see the module's docstring.
        """
        reported: Exception | None = None  # error of the recorded attempt
        parts_offered = {PLAIN}
        for parts, double in product((PLAIN, AS_SEVERAL, OWN), self.precisions):
            if reported and check.exercise in self.lost_on_retry:
                break
            if parts not in parts_offered:
                continue
            attempt = Attempt(
                self.candidate, double, parts == OWN, self.surroundings, parts == AS_SEVERAL
            )
            try:
                self._ask(attempt, check)
                _note_attempt(attempt, check)
                return
            except (AssertionError, CandidateFault) as error:
                is_wrong = isinstance(error, AssertionError)
                in_their_form = is_wrong and parts == AS_SEVERAL  # the most informative answer
                # otherwise: the first wrong answer, else the first fault
                is_first_wrong = is_wrong and not isinstance(reported, AssertionError)
                if in_their_form or is_first_wrong or reported is None:
                    _note_attempt(attempt, check)
                    reported = error.with_traceback(None)
                if isinstance(error, CandidateFault) and error.fault.kind in UNWRITTEN:
                    break  # as in every further attempt
            except CandidateLost as lost:
                self.lost_on_retry.add(check.exercise)
                reported = reported or lost
                break
            parts_offered |= _parts_offered(attempt.candidate)
        assert reported is not None
        raise reported

    def _ask(self, attempt: Attempt, check: CheckRun) -> None:
        salt = zlib.crc32(check.id.encode())
        torch.default_generator.manual_seed(self.seed ^ salt)  # not `torch.manual_seed`: for GPUs
        try:
            attempt.run(lambda: check.call(attempt))
        except ChannelError as error:  # an invalid answer
            self.candidate.backend.end()
            raise CandidateLost("crashed") from error


def _parts_offered(candidate: Candidate) -> set[str]:
    offered = {AS_SEVERAL} if candidate.offers_several else set()
    return offered | ({OWN} if candidate.stand_ins_offered else set())


def _note_attempt(attempt: Attempt, check: CheckRun) -> None:
    check.recording, check.normalised_errors = attempt.recording, attempt.normalised_errors
    check.library = attempt.candidate.library


@cache
def _freeze_what_is_imported() -> None:
    # garbage collection of the imported objects takes a fifth of the time
    gc.collect()
    gc.freeze()


@contextlib.contextmanager
def undisturbed() -> Iterator[None]:
    """Within this block, use a single thread, which is enough for small tensors.

    Afterwards restore torch's threads, default dtype and random state.
    """
    dtype, threads = torch.get_default_dtype(), torch.get_num_threads()
    torch.set_num_threads(1)
    with torch.random.fork_rng(devices=[]):
        try:
            yield
        finally:
            torch.set_default_dtype(dtype)
            torch.set_num_threads(threads)
