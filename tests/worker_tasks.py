"""Tasks that tests give to workers, which import this module and nothing else of the tests."""

import os
import signal
import time

from autograder.classroom.worker import WorkerVersions, own_versions
from autograder.engine.fingerprint import RunSettings
from autograder.engine.graded import Graded, empty
from autograder.engine.submission import Submission


def kills_its_worker(settings: RunSettings, submission: Submission) -> Graded:
    """Ends the worker that grades this one student."""
    if submission.student == "poison":
        os.kill(os.getpid(), signal.SIGKILL)
    return Graded(empty(settings, submission, "graded"))


def answers_at_once(settings: RunSettings) -> WorkerVersions:
    """The handshake of a worker that has nothing to prepare."""
    return own_versions(settings)


def never_answers(settings: RunSettings) -> None:
    """The handshake of a worker that does not answer."""
    time.sleep(60)
