"""A Dask cluster as somebody would have it: `dask scheduler`, and `dask worker` processes."""

import contextlib
import json
import subprocess
import sys
import time
from collections.abc import Iterator, Mapping
from pathlib import Path

from distributed import Client

from benchmarks.peers.job import Failed

DASK = str(Path(sys.executable).parent / "dask")
START_SECONDS = 60.0
LEAVE_SECONDS = 10.0


@contextlib.contextmanager
def running_cluster(workers: int, folder: Path, environment: Mapping[str, str]) -> Iterator[str]:
    """Start a scheduler and workers of one thread each; yield the address, and end them all.

    Raises `Failed`.
    """
    note, log = folder / "scheduler.json", folder / "dask.log"
    started: list[subprocess.Popen] = []

    def start(*words: str) -> None:
        with log.open("ab") as said:
            command = [DASK, *words, "--no-dashboard"]
            process = subprocess.Popen(
                command, stdout=said, stderr=said, cwd=folder, env=environment
            )
        started.append(process)

    try:
        start("scheduler", "--host", "127.0.0.1", "--port", "0", "--scheduler-file", str(note))
        address = _address(note, started[0], log)
        for number in range(workers):
            place = ("--local-directory", str(folder / f"worker-{number}"))
            start("worker", address, "--nthreads", "1", "--name", str(number), *place)
        _wait_for_workers(address, workers, log)
        yield address
    finally:
        for process in reversed(started):  # the scheduler last
            process.terminate()
        for process in started:
            try:
                process.wait(LEAVE_SECONDS)
            except subprocess.TimeoutExpired:
                process.kill()
                process.wait()


def _address(note: Path, scheduler: subprocess.Popen, log: Path) -> str:
    """Where the scheduler listens, from the file that it writes."""
    deadline = time.monotonic() + START_SECONDS
    while scheduler.poll() is None and time.monotonic() < deadline:
        with contextlib.suppress(OSError, ValueError):  # not there yet, or half
            return json.loads(note.read_text())["address"]
        time.sleep(0.1)
    raise Failed(f"`dask scheduler` did not come up: {_last_line(log)}")


def _wait_for_workers(address: str, workers: int, log: Path) -> None:
    try:
        with Client(address, timeout=START_SECONDS, set_as_default=False) as client:
            client.wait_for_workers(workers, timeout=START_SECONDS)
    except (OSError, TimeoutError) as error:
        raise Failed(f"`dask worker` did not come up: {_last_line(log)}") from error


def _last_line(log: Path) -> str:
    lines = log.read_text(errors="replace").splitlines() if log.is_file() else []
    return lines[-1] if lines else "it said nothing"
