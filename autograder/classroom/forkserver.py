"""Start the server from which the worker processes of this machine are forked."""

import multiprocessing
import os
import signal
import sys
from multiprocessing import resource_tracker
from multiprocessing.forkserver import ensure_running

from autograder.engine import limits

ENVIRONMENT = {
    "OMP_NUM_THREADS": "1",
    "OPENBLAS_NUM_THREADS": "1",  # else NumPy starts others
    "PYTHONMALLOC": "malloc",  # whose pages are large, too
    "PYTHONSAFEPATH": "1",  # the folder that it is started in may be another checkout
    **limits.LARGE_PAGES,
}


def start_forkserver(preloaded: str) -> None:
    """Start the forkserver, once in this process. It imports the module `preloaded` from where this
    process would: Python 3.11's own forkserver does so without this process's `sys.path`. It may
    still be importing when this returns; see `wait_for_forkserver`.
    """
    multiprocessing.set_forkserver_preload(["autograder._quick_start", preloaded])
    path = os.pathsep.join(os.path.abspath(folder) for folder in sys.path)  # "" is this folder
    wanted = ENVIRONMENT | {"PYTHONPATH": path}
    before = {name: os.environ.get(name) for name in wanted}
    os.environ.update(wanted)
    resource_tracker.ensure_running()  # it lets Ctrl-C through again once it has started
    mask = signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGINT})  # Ctrl-C is not for it
    try:
        ensure_running()
    finally:
        signal.pthread_sigmask(signal.SIG_SETMASK, mask)
        for name, value in before.items():
            if value is None:
                del os.environ[name]
            else:
                os.environ[name] = value


def wait_for_forkserver() -> None:
    """Wait until the forkserver has imported its module and forks at once.

    A process that is asked for earlier starts even if this one has ended by then, and complains on
    the terminal, below what was said last, that the pool's semaphores are gone. The process that is
    asked for here needs none.
    """
    process = multiprocessing.get_context("forkserver").Process(target=os._exit, args=(0,))
    process.start()
    process.join()
