"""What a worker of this machine does first, for Dask's `distributed.worker.preload`.

Ctrl-C reaches every process in the foreground; only the one that runs the class answers to it.
"""

import signal

from autograder.text import guard_streams


def dask_setup(worker: object) -> None:
    guard_streams()
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    signal.pthread_sigmask(signal.SIG_UNBLOCK, {signal.SIGINT})  # it was blocked until here
