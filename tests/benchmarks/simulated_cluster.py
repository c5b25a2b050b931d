"""How many workers one scheduler and one main process can keep busy.

    python -m tests.benchmarks.simulated_cluster [--workers 10 40 100 300 1000] [--submissions 20000]
                                                 [--seconds 1.0]

The main process (the loop of a class and `dask_cluster.py`, with all that they send) and Dask's scheduler are
the real ones. The workers are Dask's, many in a process, and sleep as long as a verdict takes. All of
them share the processors of this machine, so that the submissions a second that are seen here say
little. What is told is the processor time of each process for a submission, while all workers are busy.
The main process and the scheduler are Python, one thread of which runs at a time: a second of each,
without what it uses while nothing is graded, divided by that time, is the limit. The processes of the
workers would be on other machines.
"""

import argparse
import os
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, field
from pathlib import Path

import psutil
from distributed import Client
from rich.console import Console
from rich.table import Table

from autograder import Assignment
from autograder.authoring.sample_class import SampleSubmission, solutions, write_submission
from autograder.classroom.dask_cluster import dask_executor
from autograder.classroom.pool import WorkItem, outcomes
from autograder.classroom.worker import Task
from autograder.engine import Graded, RunSettings
from tests.benchmarks.arguments import add_assignment, chosen_assignment, positive
from tests.benchmarks.checkout import CHECKOUT
from tests.benchmarks.cluster import SCHEDULER, running_cluster
from tests.benchmarks.simulated_verdicts import Sleeping

IN_ONE_PROCESS = 250  # workers
JOIN_SECONDS = 600.0
ROUNDS = 5  # submissions for each worker, where it is not said how many
LEAST = 200  # submissions then
PARTS = 10  # of a run, at whose ends is measured
STEADY = (
    1,
    6,
)  # from the end of which part to that of which all workers are busy, and have a next one
LEAST_SECONDS = 1e-5  # of a processor for a submission: a short run measures none at times
IDLE_SECONDS = 3.0  # in which nothing is graded, before a run
SWEEP = [10, 40, 100, 300, 1000]
QUIET = {"DASK_LOGGING__DISTRIBUTED": "critical", "OMP_NUM_THREADS": "1"}
SHORT_LOG = {
    "DASK_DISTRIBUTED__ADMIN__LOW_LEVEL_LOG_LENGTH": "20"
}  # as the page for administrators says
MEGABYTE = 1 << 20


@dataclass(frozen=True)
class Moment:
    """What was used by then: seconds of a processor, megabytes."""

    submissions: int
    wall: float
    main: float
    scheduler: float
    hosts: float
    main_memory: float
    scheduler_memory: float


@dataclass
class Run:
    """One run with so many workers, as it was when each part of its submissions was done."""

    workers: int
    moments: list[Moment] = field(default_factory=list)  # the first two before any is graded

    def milliseconds(self, process: str, first: int, last: int) -> float:
        """Processor milliseconds of a process for a submission, from the end of one part to another's."""
        before, after = self.moments[first + 1], self.moments[last + 1]
        used = getattr(after, process) - getattr(before, process)
        return 1e3 * used / (after.submissions - before.submissions)

    @property
    def rate(self) -> float:
        """Submissions a second, on this machine, with all processes on it."""
        first, last = (self.moments[part + 1] for part in STEADY)
        return (last.submissions - first.submissions) / (last.wall - first.wall)

    def idle(self, process: str) -> float:
        """The share of a processor that a process uses while nothing is graded."""
        before, after = self.moments[:2]
        used = getattr(after, process) - getattr(before, process)
        return used / (after.wall - before.wall)

    def limits(self) -> dict[str, float]:
        """Submissions a second that main process and scheduler can manage, each for itself."""
        limits = {}
        for name in ("main", "scheduler"):
            of_one = self.milliseconds(name, *STEADY) / 1e3 - self.idle(name) / self.rate
            limits[name] = (1 - self.idle(name)) / max(of_one, LEAST_SECONDS)
        return limits


class Meter:
    """Reads what main process, scheduler and the hosts of workers have used so far."""

    def __init__(self, scheduler: int, hosts: list[int]):
        self.main = psutil.Process()
        self.scheduler = psutil.Process(scheduler)
        self.hosts = [psutil.Process(host) for host in hosts]

    def read(self, submissions: int) -> Moment:
        return Moment(
            submissions,
            time.monotonic(),
            _cpu(self.main),
            _cpu(self.scheduler),
            sum(map(_cpu, self.hosts)),
            self.main.memory_info().rss / MEGABYTE,
            self.scheduler.memory_info().rss / MEGABYTE,
        )


def _cpu(process: psutil.Process) -> float:
    times = process.cpu_times()
    return times.user + times.system


@contextmanager
def hosts_of_workers(address: str, workers: int, folder: Path) -> Iterator[list[int]]:
    """Run so many workers that sleep; yield the ids of their processes when all have joined."""
    processes = -(-workers // IN_ONE_PROCESS)
    shares = [len(range(number, workers, processes)) for number in range(processes)]
    command = [sys.executable, "-m", "tests.benchmarks.sleeping_workers", address]
    environment = os.environ | QUIET | {"PYTHONPATH": str(CHECKOUT)}
    started = []
    try:
        for share in shares:
            words = [*command, str(share), str(folder)]
            started.append(subprocess.Popen(words, cwd=CHECKOUT, env=environment))
        with Client(address, set_as_default=False) as client:
            client.wait_for_workers(workers, timeout=JOIN_SECONDS)
        yield [process.pid for process in started]
    finally:
        for process in started:
            process.kill()
        for process in started:
            process.wait()


def simulated_class(settings: RunSettings, students: int, seconds: float) -> Iterator[WorkItem]:
    """Yield items for the solution, handed in by so many students, made one by one."""
    solved = SampleSubmission(solutions(settings.assignment), "the solution")
    with tempfile.TemporaryDirectory() as folder:
        notebook = write_submission(settings.assignment, Path(folder) / "s0", solved)
        name, data = notebook.name, notebook.read_bytes()
    for number in range(students):
        task = Task(f"s{number}", name, data)
        yield WorkItem(task.student, Sleeping(seconds), (settings, task))


def simulate(
    assignment: Assignment,
    workers: int,
    submissions: int,
    seconds: float,
) -> Run:
    """Have so many submissions graded by workers that sleep so many seconds on average."""
    run, settings = Run(workers), RunSettings(assignment, seed=1)
    with ExitStack() as running:
        folder = Path(running.enter_context(tempfile.TemporaryDirectory()))
        dask = running.enter_context(running_cluster(0, folder / "dask", os.environ | SHORT_LOG))
        hosts = hosts_of_workers(dask.address, workers, folder / "workers")
        meter = Meter(dask.programs[SCHEDULER].pid, running.enter_context(hosts))
        executor = running.enter_context(dask_executor(dask.address, settings, bool))
        while executor.workers < workers:
            time.sleep(1.0)
        stops = {submissions * part // PARTS for part in range(1, PARTS + 1)}
        run.moments.append(meter.read(0))
        time.sleep(IDLE_SECONDS)
        run.moments.append(meter.read(0))
        items = simulated_class(settings, submissions, seconds)
        for number, (_, outcome) in enumerate(outcomes(executor, items), start=1):
            if not isinstance(outcome, Graded):
                raise RuntimeError(f"a simulated worker failed: {outcome}")
            if number in stops:
                run.moments.append(meter.read(number))
    return run


def show(console: Console, runs: list[Run]) -> None:
    """Print what a submission cost each process, and how many a second main and scheduler can manage."""
    table = Table(title="processor milliseconds for one submission", title_justify="left")
    costs = "main", "scheduler", "workers' machines"
    limits = "main: at most a second", "scheduler: at most", "scheduler idle"
    for heading in ("workers", "submissions", "a second here", *costs, *limits):
        table.add_column(heading, justify="right")
    for run in runs:
        used = [f"{run.milliseconds(name, *STEADY):.2f}" for name in ("main", "scheduler", "hosts")]
        most = [f"{limit:.0f}" for limit in run.limits().values()]
        counts = [str(run.workers), str(run.moments[-1].submissions), f"{run.rate:.0f}"]
        table.add_row(*counts, *used, *most, f"{run.idle('scheduler'):.0%}")
    console.print(table)


def show_growth(console: Console, run: Run) -> None:
    """Print how one run went on, part by part."""
    table = Table(title=f"{run.workers} workers, part by part", title_justify="left")
    for heading in ("after", "main ms", "scheduler ms", "main MB", "scheduler MB"):
        table.add_column(heading, justify="right")
    for number, moment in enumerate(run.moments[2:], start=1):
        costs = [run.milliseconds(name, number - 1, number) for name in ("main", "scheduler")]
        sizes = [moment.main_memory, moment.scheduler_memory]
        shown = [*(f"{cost:.2f}" for cost in costs), *(f"{size:.0f}" for size in sizes)]
        table.add_row(str(moment.submissions), *shown)
    console.print(table)


def main(arguments: list[str] | None = None) -> None:
    parser = argparse.ArgumentParser(
        prog="python -m tests.benchmarks.simulated_cluster", description=__doc__
    )
    add_assignment(parser)
    parser.add_argument(
        "--workers", type=positive, nargs="+", default=SWEEP, help="one run for each"
    )
    parser.add_argument("--submissions", type=positive, help=f"of a run ({ROUNDS} a worker)")
    parser.add_argument("--seconds", type=float, default=1.0, help="of a verdict, on average (1.0)")
    options = parser.parse_args(arguments)
    assignment = chosen_assignment(parser, options.assignment)
    console = Console(width=None if sys.stdout.isatty() else 130)
    runs: list[Run] = []
    for workers in options.workers:
        submissions = options.submissions or max(LEAST, ROUNDS * workers)
        runs.append(simulate(assignment, workers, submissions, options.seconds))
        show(console, runs[-1:])
    show(console, runs)
    show_growth(console, runs[-1])


if __name__ == "__main__":
    main()
