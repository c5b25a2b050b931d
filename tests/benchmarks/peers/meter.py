"""Run commands and say what they cost: wall time, CPU and memory of every process below them.

    python -m tests.benchmarks.peers.meter < JOB.json

This is a process of its own, and every orphan among its descendants becomes its child: so whatever
the commands left running is counted when it ends, and what measures is not.
"""

import contextlib
import json
import os
import resource
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import asdict
from pathlib import Path

import psutil

from tests.benchmarks.orphans import adopt_orphans
from tests.benchmarks.peers.job import SCHEDULER, Failed, Figures, Job

SAMPLE_SECONDS = 2.0  # counting a large process's pages takes milliseconds, also from the measured
LEAVE_SECONDS = 3.0  # for what still runs when the commands have ended


class MemorySampler(threading.Thread):
    """Samples the memory of all descendants of this process; `highest` is the highest sum."""

    def __init__(self) -> None:
        super().__init__(daemon=True)
        self.highest = 0
        self.over = threading.Event()

    def run(self) -> None:
        while not self.over.wait(SAMPLE_SECONDS):
            self.highest = max(self.highest, sum(map(_memory, _descendants())))


def _descendants() -> list[psutil.Process]:
    return psutil.Process().children(recursive=True)


def _memory(process: psutil.Process) -> int:
    try:
        return process.memory_full_info().pss
    except (psutil.Error, OSError):
        return 0  # it has just ended


def main() -> None:
    words = json.load(sys.stdin)
    job = Job(**(words | {"folder": Path(words["folder"])}))
    adopt_orphans()
    sampler = MemorySampler()
    sampler.start()
    wall, failed = 0.0, []
    try:
        with job.log.open("ab") as log, _scheduler(job) as address:
            begin = time.perf_counter()
            failed = _run_all(job, address, log.fileno())
            wall = time.perf_counter() - begin
    except Failed as error:
        failed = [str(error)]
    finally:
        left = _end_the_rest()
    sampler.over.set()
    sampler.join()
    usage = resource.getrusage(resource.RUSAGE_CHILDREN)
    cpu = usage.ru_utime + usage.ru_stime
    print(json.dumps(asdict(Figures(wall, cpu, sampler.highest, left, failed))))


def _run_all(job: Job, address: str, log: int) -> list[str]:
    """Run the commands; return a sentence for each that failed."""
    environment = os.environ | job.environment

    def run(command: list[str]) -> int:
        words = [word.replace(SCHEDULER, address) for word in command]
        done = subprocess.run(
            words, cwd=job.folder, env=environment, stdin=subprocess.DEVNULL, stdout=log, stderr=log
        )
        return done.returncode

    with ThreadPoolExecutor(job.at_once) as pool:
        statuses = list(pool.map(run, job.commands))
    return [
        f"`{' '.join(command)}` ended with status {status}"
        for command, status in zip(job.commands, statuses, strict=True)
        if status
    ]


@contextlib.contextmanager
def _scheduler(job: Job) -> Iterator[str]:
    """The address of a running Dask cluster, or nothing if the job wants none."""
    if not job.dask_workers:
        yield ""
        return
    from tests.benchmarks.cluster import ClusterError, running_cluster

    environment = os.environ | job.environment
    try:
        with running_cluster(job.dask_workers, job.folder / "dask", environment) as cluster:
            yield cluster.address
    except ClusterError as error:
        raise Failed(str(error)) from error


def _end_the_rest() -> int:
    """Wait for orphans, end those that stay and what they start meanwhile; return how many."""
    deadline = time.monotonic() + LEAVE_SECONDS
    ended = set()
    while left := _descendants():
        if time.monotonic() > deadline:
            for process in left:
                with contextlib.suppress(psutil.Error):
                    process.send_signal(signal.SIGKILL)
                ended.add(process.pid)
        _reap()
        time.sleep(0.05)
    return len(ended)


def _reap() -> None:
    """Reap what has ended."""
    with contextlib.suppress(ChildProcessError):
        while os.waitpid(-1, os.WNOHANG)[0]:
            pass


if __name__ == "__main__":
    main()
