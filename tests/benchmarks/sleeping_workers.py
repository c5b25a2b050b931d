"""Many Dask workers in one process: for tasks that sleep, where a process each would need a machine.

    python -m tests.benchmarks.sleeping_workers SCHEDULER WORKERS FOLDER

They join the scheduler, say nothing, and go when this process ends. What a worker measures of itself
(its memory, its profile, the delay of its loop) is left out: a hundred times in one process, it would be
all that the process does.
"""

import asyncio
import sys
from contextlib import AsyncExitStack

import dask
from distributed import Worker

from autograder.classroom import worker

AT_ONCE = 50  # workers that join at the same time
SETTINGS = {
    "distributed.worker.profile.enabled": False,
    "distributed.worker.memory.monitor-interval": "1h",
    "distributed.worker.http.routes": [],
    "distributed.admin.tick.interval": "1h",
    "distributed.admin.tick.cycle": "1h",
    "distributed.admin.tick.limit": "1h",
    "distributed.admin.system-monitor.interval": "1h",
    "distributed.admin.system-monitor.disk": False,
    "distributed.admin.system-monitor.gil.enabled": False,
    "distributed.comm.timeouts.connect": "300s",
    "distributed.comm.timeouts.tcp": "300s",
}


async def serve(scheduler: str, workers: int, folder: str) -> None:
    """Run so many workers until this process ends."""
    async with AsyncExitStack() as running:
        for first in range(0, workers, AT_ONCE):
            batch = range(first, min(first + AT_ONCE, workers))
            made = [_worker(scheduler, folder) for _ in batch]
            await asyncio.gather(*(running.enter_async_context(worker) for worker in made))
        await asyncio.Event().wait()


def _worker(scheduler: str, folder: str) -> Worker:
    return Worker(
        scheduler,
        nthreads=1,
        memory_limit=0,
        local_directory=folder,
        dashboard=False,
        host="127.0.0.1",
    )


if __name__ == "__main__":
    worker.prepare_worker = lambda settings: None  # type: ignore  # a real one tries walls
    worker.claim_a_processor = lambda: None
    with dask.config.set(SETTINGS):
        asyncio.run(serve(sys.argv[1], int(sys.argv[2]), sys.argv[3]))
