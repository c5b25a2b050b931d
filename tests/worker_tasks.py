"""Tasks that tests give to workers, which import this module and nothing else of the tests."""

import os
import signal
import time
from contextlib import suppress

from autograder.engine.fingerprint import RunSettings
from autograder.engine.graded import Graded, empty
from autograder.engine.submission import Submission


def kills_its_worker(settings: RunSettings, submission: Submission) -> Graded:
    """Ends the worker that grades this one student."""
    if submission.student == "poison":
        os.kill(os.getpid(), signal.SIGKILL)
    return Graded(empty(settings, submission, "graded"))


def kills_examiners(settings: RunSettings, submission: Submission) -> Graded:
    """Ends the process that this worker was forked from, once: where a file is there to say so."""
    with suppress(FileNotFoundError):
        os.remove(submission.student)
        os.kill(os.getppid(), signal.SIGKILL)
        time.sleep(60)  # the kernel ends this one, too
    return Graded(empty(settings, submission, "graded"))


def never_ends(settings: RunSettings, submission: Submission) -> Graded:
    """Takes for ever for this one student."""
    if submission.student == "poison":
        time.sleep(600)
    return Graded(empty(settings, submission, "graded"))


def raises(settings: RunSettings, submission: Submission) -> Graded:
    raise ZeroDivisionError("odd")


def computes(settings: RunSettings, submission: Submission) -> Graded:
    """Multiplies and trains a little: what hangs in a fork of a process that has computed before."""
    import torch

    layer = torch.nn.Linear(64, 64)
    layer(torch.randn(512, 64)).square().sum().backward()
    return Graded(empty(settings, submission, "graded"))


def echoes(settings: RunSettings, submission: Submission) -> Graded:
    """Returns what the cells say."""
    says = {cell.id: [{"text": cell.source}] for cell in submission.cells}
    return Graded(empty(settings, submission, "graded"), says)
