"""Commands to be measured, and the figures that come out of it."""

import json
import subprocess
import sys
import time
from collections.abc import Callable
from dataclasses import asdict, dataclass, field
from pathlib import Path

from tests.benchmarks.checkout import CHECKOUT

POLL_SECONDS = 0.2
SCHEDULER = "{scheduler}"  # in a command: the address of the Dask cluster


class Failed(Exception):
    """A measured command failed, so that its figures mean nothing; the message says which."""


@dataclass(frozen=True)
class Job:
    """Commands to be measured together."""

    commands: list[list[str]]
    folder: Path
    environment: dict[str, str]  # on top of the own
    at_once: int = 1
    dask_workers: int = 0  # of a cluster that is there before the clock starts

    @property
    def log(self) -> Path:
        return self.folder / "commands.log"


@dataclass(frozen=True)
class Figures:
    """What a job cost."""

    wall: float  # seconds, without the cluster's start and end
    cpu: float  # seconds of all processes, with them
    memory: int  # bytes at the highest sample, shared pages in proportion
    left: int = 0  # processes that had to be ended
    failed: list[str] = field(default_factory=list)


def measure(job: Job, tick: Callable[[], object] = lambda: None) -> Figures:
    """Have a job done by a meter, and call `tick` now and then meanwhile. Raises `Failed`."""
    words = asdict(job) | {"folder": str(job.folder)}
    with subprocess.Popen(
        [sys.executable, "-m", "tests.benchmarks.peers.meter"],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
        cwd=CHECKOUT,
    ) as meter:
        assert meter.stdin and meter.stdout
        meter.stdin.write(json.dumps(words))
        meter.stdin.close()
        while meter.poll() is None:
            tick()
            time.sleep(POLL_SECONDS)
        said = meter.stdout.read()
    tick()
    if meter.returncode:
        raise Failed(f"The meter ended with status {meter.returncode}. {_last_lines(job.log)}")
    figures = Figures(**json.loads(said))
    if figures.failed:
        raise Failed(f"{'; '.join(figures.failed[:3])}. {_last_lines(job.log)}")
    return figures


def _last_lines(log: Path) -> str:
    lines = log.read_text(errors="replace").splitlines() if log.is_file() else []
    return "It said last:\n" + "\n".join(lines[-12:])
