"""Start the server that forks the worker processes of this machine."""

import multiprocessing
import os
import signal
import sys
from multiprocessing import resource_tracker
from multiprocessing.forkserver import ensure_running

from autograder.engine import limits

ENVIRONMENT = {
    "OMP_NUM_THREADS": "1",
    "OPENBLAS_NUM_THREADS": "1",  # otherwise NumPy starts more threads
    "PYTHONMALLOC": "malloc",  # uses large pages, too
    "PYTHONSAFEPATH": "1",  # the current folder may be another checkout
    **limits.LARGE_PAGES,
}


def start_forkserver(preloaded: str) -> None:
    """Start the forkserver, once in this process. It imports the module `preloaded` with this
    process's `sys.path`, which Python 3.11's own forkserver ignores. The import may continue after
    the return, see `wait_for_forkserver`.
    """
    multiprocessing.set_forkserver_preload(["autograder._quick_start", preloaded])
    path = os.pathsep.join(os.path.abspath(folder) for folder in sys.path)  # "" is this folder
    environment = ENVIRONMENT | {"PYTHONPATH": path}
    previous = {name: os.environ.get(name) for name in environment}
    os.environ.update(environment)
    resource_tracker.ensure_running()  # its start unblocks Ctrl-C, so it must come before the mask
    # the forkserver must ignore Ctrl-C
    mask = signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGINT})
    try:
        ensure_running()
    finally:
        signal.pthread_sigmask(signal.SIG_SETMASK, mask)
        for name, value in previous.items():
            if value is None:
                del os.environ[name]
            else:
                os.environ[name] = value


def wait_for_forkserver() -> None:
    """Wait until the forkserver has imported its module and forks at once.

    A process that is requested earlier starts even if this process has ended by then. It complains
    on the terminal that the pool's semaphores are gone. The process requested here does not need
    them.
    """
    process = multiprocessing.get_context("forkserver").Process(target=os._exit, args=(0,))
    process.start()
    process.join()
