"""A Dask cluster as somebody would have it: `dask scheduler`, and `dask worker` processes."""

import contextlib
import json
import os
import subprocess
import sys
import time
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path

from distributed import Client

from tests.benchmarks.checkout import CHECKOUT

DASK = str(Path(sys.executable).parent / "dask")
SCHEDULER = "scheduler"
START_SECONDS = 60.0
LEAVE_SECONDS = 10.0


class ClusterError(Exception):
    """A program of the cluster did not come up; the message says which, and its last words."""


@dataclass
class DaskCluster:
    """The programs of a cluster, which run until `end`; their logs are in `folder`."""

    folder: Path
    environment: Mapping[str, str] = field(default_factory=lambda: dict(os.environ))
    programs: dict[str, subprocess.Popen] = field(default_factory=dict)
    address: str = ""

    def start(self, workers: int) -> None:
        """Start the scheduler and so many workers of one thread each. Raises `ClusterError`."""
        note = self.folder / "scheduler.json"
        self._start(SCHEDULER, "--host", "127.0.0.1", "--port", "0", "--scheduler-file", str(note))
        deadline = time.monotonic() + START_SECONDS
        while not self.address:
            if self.programs[SCHEDULER].poll() is not None or time.monotonic() > deadline:
                raise ClusterError(self._last_line(SCHEDULER))
            with contextlib.suppress(OSError, ValueError):  # not there yet, or half
                self.address = json.loads(note.read_text())["address"]
            time.sleep(0.05)
        for number in range(workers):
            self.start_worker(f"worker-{number + 1}")
        if workers:
            self.wait_for(workers)

    def start_worker(
        self, name: str, *more: str, checkout: Path = CHECKOUT, course: Path | None = None
    ) -> None:
        """Start a worker that has the package of this checkout, in the folder of its course."""
        words = ["--nthreads", "1", "--name", name, "--local-directory", str(self.folder / name)]
        self._start(name, self.address, *words, *more, checkout=checkout, folder=course)

    def wait_for(self, workers: int) -> None:
        """Wait until so many workers are there. Raises `ClusterError`."""
        try:
            with Client(self.address, timeout=START_SECONDS, set_as_default=False) as client:
                client.wait_for_workers(workers, timeout=START_SECONDS)
        except (OSError, TimeoutError) as error:
            raise ClusterError(self._last_line(list(self.programs)[-1])) from error

    def end(self) -> None:
        """End all of them, the scheduler last, and wait until they have."""
        for program in reversed(self.programs.values()):
            program.terminate()
        for program in self.programs.values():
            try:
                program.wait(LEAVE_SECONDS)
            except subprocess.TimeoutExpired:
                program.kill()
                program.wait()

    def _start(
        self, name: str, *words: str, checkout: Path = CHECKOUT, folder: Path | None = None
    ) -> None:
        kind = SCHEDULER if name == SCHEDULER else "worker"
        with (self.folder / f"{name}.log").open("wb") as said:
            self.programs[name] = subprocess.Popen(
                [DASK, kind, *words, "--no-dashboard"],
                cwd=folder or checkout,
                stdout=said,
                stderr=said,
                env={**self.environment, "PYTHONPATH": f"{checkout}:{CHECKOUT / 'tests'}"},
            )

    def _last_line(self, name: str) -> str:
        lines = (self.folder / f"{name}.log").read_text(errors="replace").splitlines()
        return f"`dask` ({name}) did not come up: {lines[-1] if lines else 'it said nothing'}"


@contextlib.contextmanager
def running_cluster(
    workers: int, folder: Path, environment: Mapping[str, str] | None = None
) -> Iterator[DaskCluster]:
    """Run a cluster while the block runs. Raises `ClusterError`."""
    folder.mkdir(parents=True, exist_ok=True)
    cluster = DaskCluster(folder, dict(environment or os.environ))
    try:
        cluster.start(workers)
        yield cluster
    finally:
        cluster.end()
