"""The code that Dask's workers run: the check whether a worker may grade, and the tasks."""

import pickle
import zlib
from collections.abc import Callable

from distributed import Status, Worker, WorkerPlugin, get_worker


class WorkerCheck(WorkerPlugin):
    """A Dask plugin that checks on each worker whether its graders and versions are those of the
    process that sends it tasks. A worker offers the resource for grading only if they are; in any
    case it sends an event with the reason why it may not grade ("" if it may).

    Dask sends the plugin's code along, since a worker may have another version of this package, or
    none.
    """

    def __init__(self, name: str, wanted: bytes):
        """`name`: of the Dask resource that a worker offers if it may grade, and of the topic of
        its events; `wanted`: the settings of the run and the sender's stamp, pickled for `why_not`.
        """
        self.name = name
        self.wanted = wanted

    def setup(self, worker: Worker) -> None:
        worker.loop.add_callback(self.check, worker)  # the scheduler waits for the end of `setup`

    async def check(self, worker: Worker) -> None:
        """Check whether this worker may grade: if so, offer the resource; in any case, send an event
        with the answer.
        """
        # in the thread that will grade: it claims a processor for itself
        why = await worker.loop.run_in_executor(worker.executor, why_not, self.wanted)
        if not why:
            await worker.set_resources(**{self.name: 1})
            if worker.status == Status.running:  # Dask hands tasks that wait to who begins to run
                worker.status = Status.paused
                worker.status = Status.running
        worker.log_event(self.name, {"address": worker.address, "why": why})


def why_not(wanted: bytes) -> str:
    """Return the reason why this process may not grade; "" if it may.

    `wanted`: three objects, pickled together: a function of this package, which is not used, the
    settings of the run, and the stamp of the sending process.
    """
    try:  # this module comes by value to a worker that may have none of these
        from autograder.classroom.worker import prepared_stamp
        from autograder.engine import AutograderError

        try:
            _, settings, stamp = pickle.loads(wanted)
            found = prepared_stamp(settings)
        except AutograderError as error:
            return str(error)
    except Exception as error:
        said = f"{type(error).__name__}: {error}"
        return f"it cannot begin ({said}); start it in a checkout like the one here."
    if found == stamp:
        return ""
    if found.grader != stamp.grader:
        return (
            f"its graders are another version ({found.grader} instead of {stamp.grader}); "
            "bring its checkout up to date and start it again."
        )
    return (
        "its Python or its packages are other versions than here; install what pyproject.toml "
        "names and start it again."
    )


class PickledCall:
    """An object that pickles as a call: unpickling it calls the function with its arguments, and
    gives the result.

    Dask's scheduler deserialises a task's arguments unless they are bytes, and would then need this
    package.
    """

    def __init__(self, function: Callable, *arguments: object):
        self.made_by = function, arguments

    def __reduce__(self) -> tuple:
        return self.made_by


def pack(function: Callable, *arguments: object) -> bytes:
    """Pickle a call of the function. On a worker, `pickle.loads` of the bytes makes the call, and
    returns what `run_task` returns.

    Raises whatever `pickle` does.
    """
    packed = zlib.compress(pickle.dumps((function, arguments)), zlib.Z_BEST_SPEED)
    return pickle.dumps(PickledCall(run_task, packed))


def run_task(packed: bytes) -> tuple[str, object]:
    """Run on a worker a call that `pack` has packed; return the worker's address and the function's
    result.
    """
    function, arguments = pickle.loads(zlib.decompress(packed))
    return get_worker().address, function(*arguments)
