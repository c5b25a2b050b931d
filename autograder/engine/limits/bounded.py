"""Run work on a submitted file in a forked process, with limits on its time and memory.

The kernel enforces the limits, because C code such as a parser or a decoder does not notice
Python's signals. The process is a fork, so the arguments need not be sent; the result comes back as
a pickle that the project's own code has made. As this process may have other threads, the work
should import nothing in the fork.
"""

import contextlib
import gc
import math
import os
import pickle
import signal
import sys
import time
import warnings
from collections.abc import Callable
from multiprocessing import Pipe
from multiprocessing.connection import Connection
from typing import NoReturn, TypeVar

from autograder.engine.limits.memory import limited_memory
from autograder.engine.texts.errors import FAILED, AutograderError

SECONDS = 5.0  # of the processor; honest work takes hundredths
MEMORY = 1 << 30  # bytes beyond what this process has
MOST_SAID = 512 << 20  # bytes of what it returns
FILE_SIZE = 1 << 20  # bytes of a file that it may write
PATIENCE = 120.0  # seconds of the clock, on a machine with other things to do
ATTEMPTS = 3
PAUSE = 0.5  # seconds before the second, and twice that before the third
ENDINGS = dict.fromkeys(("SIGSEGV", "SIGABRT", "SIGBUS", "SIGFPE", "SIGILL"), "ends who reads it")
ENDINGS["SIGXCPU"] = "takes more than {} s of the processor"

Result = TypeVar("Result")

_is_bounded = False  # whether this process is one with limits


class OutOfBounds(Exception):
    """The work exceeds a limit. The message says which, as the end of a sentence that begins with
    the file or the code.
    """


class NoAnswer(AutograderError):
    """The machine ended the forked process, or gave it no time; so nothing is known about the file."""

    status = FAILED


def run_bounded(work: Callable[[], Result], seconds: float | None = None) -> Result:
    """Call `work` in a forked process with limits; return what it returns, or raise what it raises.

    `seconds`: the limit on CPU time, rounded up to whole seconds; by default SECONDS. Nested calls
    share the limits of the outermost one. On Windows, which has no fork, nothing is limited. Raise
    `OutOfBounds` if a limit is exceeded, `NoAnswer` if the process cannot be started or gives no
    answer in ATTEMPTS attempts.
    """
    if _is_bounded or sys.platform == "win32":
        return work()
    reason = ""
    for attempt in range(ATTEMPTS):
        if attempt:  # sleeping for no time is an error where libfaketime sets the clock
            time.sleep(attempt * PAUSE)
        try:
            said = _said_by_fork(work, math.ceil(seconds or SECONDS))
        except OSError as error:  # the machine's fault, as where no process, pipe or memory is left
            reason = error.strerror or str(error)
            continue
        result, raised = pickle.loads(said)
        if raised is not None:
            raise raised
        return result
    raise NoAnswer(
        f"this machine ended the process that read it, or gave it no time ({reason}): try it again"
    )


def _said_by_fork(work: Callable[[], object], seconds: int) -> bytes:
    """Call `work` in a forked process. Return the pickle of (result, exception), one of which is
    None; the exception is `OutOfBounds` if a limit ended the process. Raise `OSError` if it gives
    no answer for another reason.
    """
    ours, theirs = Pipe(duplex=False)
    with warnings.catch_warnings(action="ignore", category=DeprecationWarning):  # of other threads
        number = os.fork()
    if number == 0:
        ours.close()  # or it would wait for itself to read, where the other process was killed
        _answer(work, seconds, theirs)
    theirs.close()
    said = None
    with ours, contextlib.suppress(EOFError):  # it has ended without an answer
        try:
            said = ours.recv_bytes() if ours.poll(PATIENCE) else None
        finally:
            os.kill(number, signal.SIGKILL)  # unless it has ended by itself
            status = os.waitstatus_to_exitcode(os.waitpid(number, 0)[1])
    ending = signal.Signals(-status).name if status < 0 else f"exit status {status}"
    if said is None and ending in ENDINGS:
        said = pickle.dumps((None, OutOfBounds(ENDINGS[ending].format(seconds))))
    if said is None:
        raise OSError(ending)
    return said


def _answer(work: Callable[[], object], seconds: int, answers: Connection) -> NoReturn:
    """In the fork: set the limits, call `work`, send its pickled result or exception, and exit."""
    global _is_bounded
    _is_bounded = True
    try:
        gc.freeze()  # what this process inherited is the other's: it finalizes none of it
        signal.signal(signal.SIGINT, signal.SIG_IGN)  # Ctrl-C is for the process that waits
        _limit(seconds)
        try:
            with limited_memory(MEMORY):
                said = pickle.dumps((work(), None))
        except MemoryError:
            error = OutOfBounds(f"takes more than {MEMORY >> 20} MiB of memory")
            said = pickle.dumps((None, error))
        except Exception as error:
            said = pickle.dumps((None, error))
        if len(said) > MOST_SAID:
            said = pickle.dumps((None, OutOfBounds(f"makes more than {MOST_SAID >> 20} MiB of it")))
        answers.send_bytes(said)
    finally:
        os._exit(0)


def _limit(seconds: int) -> None:
    import resource  # which Windows does not have

    for kind, wanted in (
        (resource.RLIMIT_CPU, seconds),  # the soft one ends who has no handler of its signal
        (resource.RLIMIT_FSIZE, FILE_SIZE),
        (resource.RLIMIT_CORE, 0),
    ):
        _, hard = resource.getrlimit(kind)
        most = wanted if hard == resource.RLIM_INFINITY else min(wanted, hard)
        resource.setrlimit(kind, (most, hard))
