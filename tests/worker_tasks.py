"""Tasks that tests give to workers, which import this module and nothing else of the tests."""

import ctypes
import os
import signal
import time
from contextlib import suppress
from types import SimpleNamespace

from autograder.classroom.worker import Unchanged


def name(student: str) -> str:
    return student


def finds_unchanged(student: str) -> Unchanged:
    return Unchanged(student)


def computes(student: str) -> Unchanged:
    """Multiplies and trains a little: what hangs in a fork of a process that has computed before."""
    import torch

    layer = torch.nn.Linear(64, 64)
    layer(torch.randn(512, 64)).square().sum().backward()
    return Unchanged(student)


def kills_its_worker(student: str) -> Unchanged:
    """Ends the worker that has this one student."""
    if student == "poison":
        os.kill(os.getpid(), signal.SIGKILL)
    return Unchanged(student)


def kills_the_forkserver(student: str) -> Unchanged:
    """Ends the process that workers are forked from, once: where a file is there to say so."""
    with suppress(FileNotFoundError):
        os.remove(student)
        os.kill(os.getppid(), signal.SIGKILL)
    return Unchanged(student)


class SlowToRead:
    """Whoever unpickles it waits two seconds."""

    def __reduce__(self) -> tuple:
        return time.sleep, (2,)


def dies_unseen(student: str) -> object:
    """Ends the worker that has "s003", once, while the run still reads the answer before it."""
    if student == "s003":
        with suppress(FileNotFoundError):
            os.remove(student)
            os.kill(os.getpid(), signal.SIGKILL)
    return SlowToRead() if student == "s002" else Unchanged(student)


def hangs(student: str) -> object:
    """Reads for ever for this one student, as a worker that grades; its alarm is set to a second."""
    from autograder.classroom import worker

    worker.limits = SimpleNamespace(Limits=lambda: SimpleNamespace(alarm_seconds=1))
    hanging = SimpleNamespace(
        parse_submission=lambda *_: time.sleep(600 if student == "poison" else 0)
    )
    worker.notebooks = hanging
    settings = SimpleNamespace(assignment=None, stamp=lambda _: 1 / 0)
    with suppress(AttributeError):  # of None, which is no submission
        worker.grade(settings, worker.Task(student, "", b""))
    return Unchanged(student)


def never_ends(student: str) -> None:
    time.sleep(600)


def raises(student: str) -> Unchanged:
    if student == "poison":
        raise ZeroDivisionError("odd")
    return Unchanged(student)


def cannot_be_pickled(student: str) -> object:
    return (lambda: None) if student == "poison" else Unchanged(student)


def is_stuck(seconds: int) -> None:
    """Never ends, and lets no other thread run, until the alarm that is due then."""
    signal.alarm(seconds)
    ctypes.PyDLL(None).pause()


def ends_at_once(address: str) -> None:
    """Takes the place of `local_pool._begin`: the worker is gone before it takes a task."""
    os._exit(1)
