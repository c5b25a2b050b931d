"""Code for Dask's workers: the check whether a worker may grade, and the tasks."""

import pickle
import zlib
from collections.abc import Callable

from distributed import Status, Worker, WorkerPlugin, get_worker


class WorkerCheck(WorkerPlugin):
    """A Dask plugin that compares each worker's graders and versions with those of the process
    that sends tasks. If they are equal, the worker offers the resource for grading. In any case it
    sends an event with the reason why it may not grade ("" if it may).

    Dask sends the plugin's code along, because a worker may have another version of this package,
    or none.
    """

    def __init__(self, name: str, expected: bytes):
        """`name`: of Dask's resource and topic. `expected`: settings and stamp for `why_not`."""
        self.name = name
        self.wanted = expected

    def setup(self, worker: Worker) -> None:
        worker.loop.add_callback(self.check, worker)  # the scheduler waits for the end of `setup`

    async def check(self, worker: Worker) -> None:
        """Offer the resource if this worker may grade, and send an event with the answer."""
        # in the thread that will grade, because it claims a processor for itself
        reason = await worker.loop.run_in_executor(worker.executor, why_not, self.wanted)
        if not reason:
            await worker.set_resources(**{self.name: 1})
            # Dask gives waiting tasks to a worker when it starts running
            if worker.status == Status.running:
                worker.status = Status.paused
                worker.status = Status.running
        worker.log_event(self.name, {"address": worker.address, "why": reason})


def why_not(expected: bytes) -> str:
    """Return the reason why this process may not grade, "" if it may.

    `expected`: a pickled tuple of a function of this package (unused), the settings of the run,
    and the stamp of the sending process.
    """
    try:  # a worker gets this module by value, and may lack this package
        from autograder.classroom.worker import prepared_stamp
        from autograder.engine import AutograderError

        try:
            _, settings, stamp = pickle.loads(expected)
            own_stamp = prepared_stamp(settings)
        except AutograderError as error:
            return str(error)
    except Exception as error:
        message = f"{type(error).__name__}: {error}"
        return f"it cannot begin ({message}); start it in a checkout like the one here."
    if own_stamp == stamp:
        return ""
    if own_stamp.grader != stamp.grader:
        return (
            f"its graders are another version ({own_stamp.grader} instead of {stamp.grader}); "
            "bring its checkout up to date and start it again."
        )
    return (
        "its Python or its packages are other versions than here; install what pyproject.toml "
        "names and start it again."
    )


class PickledCall:
    """An object that pickles as a call. Unpickling it calls the function with its arguments, and
    gives the result.

    Dask's scheduler deserialises a task's arguments unless they are bytes, and would then need
    this package.
    """

    def __init__(self, function: Callable, *arguments: object):
        self.made_by = function, arguments

    def __reduce__(self) -> tuple:
        return self.made_by


def pack(function: Callable, *arguments: object) -> bytes:
    """Pickle a call of the function. On a worker, `pickle.loads` of the bytes makes the call, with
    the result of `run_task`.

    Raises any exception of `pickle`.
    """
    packed = zlib.compress(pickle.dumps((function, arguments)), zlib.Z_BEST_SPEED)
    return pickle.dumps(PickledCall(run_task, packed))


def run_task(packed: bytes) -> tuple[str, object]:
    """Run a call from `pack` on a worker. Return the worker's address and the function's result."""
    function, arguments = pickle.loads(zlib.decompress(packed))
    return get_worker().address, function(*arguments)
