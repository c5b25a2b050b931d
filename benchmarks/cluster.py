"""A Dask cluster as somebody would start it by hand: a scheduler and its workers, as programs."""

import json
import os
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path

from autograder.assignment import ROOT

START_SECONDS = 60.0
END_SECONDS = 10.0


@dataclass
class DaskCluster:
    """Programs that run until `end`; what they say is in `folder`."""

    folder: Path
    workers: int = 2
    programs: dict[str, subprocess.Popen] = field(default_factory=dict)
    address: str = ""

    def start(self) -> None:
        """Start the scheduler and the workers. Raises `TimeoutError`."""
        file = self.folder / "scheduler.json"
        file.unlink(missing_ok=True)
        self._start("scheduler", "scheduler", "--port", "0", "--scheduler-file", str(file))
        until = time.monotonic() + START_SECONDS
        while not file.exists() or not file.read_text().strip():
            if time.monotonic() > until:
                raise TimeoutError((self.folder / "scheduler.log").read_text())
            time.sleep(0.05)
        self.address = json.loads(file.read_text())["address"]
        for number in range(self.workers):
            self.start_worker(f"worker-{number + 1}")

    def start_worker(self, name: str, checkout: Path = ROOT) -> None:
        """Start a worker with the package of this checkout."""
        folder = ["--local-directory", str(self.folder / name)]
        self._start(name, "worker", self.address, "--nthreads", "1", *folder, checkout=checkout)

    def end(self) -> None:
        """End all of them, and wait until they have."""
        for program in self.programs.values():
            program.terminate()
        for program in self.programs.values():
            try:
                program.wait(END_SECONDS)
            except subprocess.TimeoutExpired:
                program.kill()
                program.wait()
        self.programs.clear()

    def _start(self, name: str, command: str, *words: str, checkout: Path = ROOT) -> None:
        program = Path(sys.executable).parent / "dask"
        with (self.folder / f"{name}.log").open("w") as log:
            self.programs[name] = subprocess.Popen(
                [program, command, *words, "--no-dashboard"],
                cwd=checkout,
                stdout=log,
                stderr=subprocess.STDOUT,
                env=os.environ | {"PYTHONPATH": str(checkout)},
            )


@contextmanager
def dask_cluster(folder: Path, workers: int = 2) -> Iterator[DaskCluster]:
    """A cluster that runs while the block does."""
    folder.mkdir(parents=True, exist_ok=True)
    cluster = DaskCluster(folder, workers)
    try:
        cluster.start()
        yield cluster
    finally:
        cluster.end()
