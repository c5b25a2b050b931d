"""Run work on a submitted file in a forked process, with limits on its time and memory.

The kernel enforces the limits, because C code such as a parser or a decoder does not notice
Python's signals. The process is a fork, so the arguments need not be sent. The result comes back as
a pickle from the project's own code. This process may have other threads, so the work should not
import anything in the fork.
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
MAX_ANSWER = 512 << 20  # bytes of the pickled result
FILE_SIZE = 1 << 20  # bytes of a file that it may write
PATIENCE = 120.0  # seconds of the clock, on a machine with other things to do
ATTEMPTS = 3
PAUSE = 0.5  # seconds before the second attempt, and twice that before the third
ENDINGS = dict.fromkeys(("SIGSEGV", "SIGABRT", "SIGBUS", "SIGFPE", "SIGILL"), "ends who reads it")
ENDINGS["SIGXCPU"] = "takes more than {} s of the processor"

Result = TypeVar("Result")

_is_bounded = False  # whether this process has limits


class OutOfBounds(Exception):
    """The work exceeds a limit. The message is the end of a sentence that begins with the file or
    the code.
    """


class NoAnswer(AutograderError):
    """The machine ended the forked process, or gave it no time. Nothing is known about the file."""

    status = FAILED


def run_bounded(work: Callable[[], Result], seconds: float | None = None) -> Result:
    """Call `work` in a forked process with limits, and return its result or raise its exception.

    `seconds`: the limit on CPU time, rounded up to whole seconds (default: SECONDS). Nested calls
    share the limits of the outermost call. On Windows, which has no fork, nothing is limited. Raise
    `OutOfBounds` if a limit is exceeded, `NoAnswer` if ATTEMPTS attempts give no answer.
    """
    if _is_bounded or sys.platform == "win32":
        return work()
    reason = ""
    for attempt in range(ATTEMPTS):
        if attempt:  # sleeping for no time is an error where libfaketime sets the clock
            time.sleep(attempt * PAUSE)
        try:
            answer = _answer_of_fork(work, math.ceil(seconds or SECONDS))
        except OSError as error:  # the machine's fault, such as a lack of processes or memory
            reason = error.strerror or str(error)
            continue
        result, exception = pickle.loads(answer)
        if exception is not None:
            raise exception
        return result
    raise NoAnswer(
        f"this machine ended the process that read it, or gave it no time ({reason}): try it again"
    )


def _answer_of_fork(work: Callable[[], object], seconds: int) -> bytes:
    """Call `work` in a forked process, and return the pickle of (result, exception).

    If a limit ended the process, the exception is `OutOfBounds`. Raise `OSError` if the process
    gives no answer for another reason.
    """
    receiver, sender = Pipe(duplex=False)
    with warnings.catch_warnings(action="ignore", category=DeprecationWarning):  # of other threads
        number = os.fork()
    if number == 0:
        receiver.close()  # else sending would block for ever after the other process was killed
        _answer(work, seconds, sender)
    sender.close()
    answer = None
    with receiver, contextlib.suppress(EOFError):  # it has ended without an answer
        try:
            answer = receiver.recv_bytes() if receiver.poll(PATIENCE) else None
        finally:
            os.kill(number, signal.SIGKILL)  # unless it has ended by itself
            status = os.waitstatus_to_exitcode(os.waitpid(number, 0)[1])
    ending = signal.Signals(-status).name if status < 0 else f"exit status {status}"
    if answer is None and ending in ENDINGS:
        answer = pickle.dumps((None, OutOfBounds(ENDINGS[ending].format(seconds))))
    if answer is None:
        raise OSError(ending)
    return answer


def _answer(work: Callable[[], object], seconds: int, sender: Connection) -> NoReturn:
    """In the fork: set the limits, call `work`, send its pickled result or exception, and exit."""
    global _is_bounded
    _is_bounded = True
    try:
        gc.freeze()  # inherited objects belong to the other process, so do not finalize them here
        signal.signal(signal.SIGINT, signal.SIG_IGN)  # Ctrl-C is for the waiting process
        _limit(seconds)
        try:
            with limited_memory(MEMORY):
                answer = pickle.dumps((work(), None))
        except MemoryError:
            error = OutOfBounds(f"takes more than {MEMORY >> 20} MiB of memory")
            answer = pickle.dumps((None, error))
        except Exception as error:
            answer = pickle.dumps((None, error))
        if len(answer) > MAX_ANSWER:
            too_large = OutOfBounds(f"makes more than {MAX_ANSWER >> 20} MiB of it")
            answer = pickle.dumps((None, too_large))
        sender.send_bytes(answer)
    finally:
        os._exit(0)


def _limit(seconds: int) -> None:
    import resource  # missing on Windows

    for kind, size in (
        (resource.RLIMIT_CPU, seconds),  # the soft limit is enough: nothing handles its signal
        (resource.RLIMIT_FSIZE, FILE_SIZE),
        (resource.RLIMIT_CORE, 0),
    ):
        _, hard = resource.getrlimit(kind)
        soft = size if hard == resource.RLIM_INFINITY else min(size, hard)
        resource.setrlimit(kind, (soft, hard))
