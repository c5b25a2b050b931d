"""What one verdict on the solution costs behind all walls: CPU, wall, memory, and whether it lasts.

    python -m tests.benchmarks.verdict [--assignment ID] [--rounds 40] [--endurance 1000]

Each round measures, one after the other, our verdict and its parts, and the bare limit; so that a
machine that gets slower meanwhile gets slower for all of them. CPU is that of all processes involved.
"""

import argparse
import os
import resource
import statistics
import subprocess
import sys
import tempfile
import time
from collections import defaultdict
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

os.environ.setdefault("OMP_NUM_THREADS", "1")

import psutil
from rich.console import Console
from rich.progress import track
from rich.table import Table

from autograder import Assignment
from autograder.authoring.sample_class import SampleSubmission, solutions, write_submission
from autograder.authoring.without_walls import examine_without_walls
from autograder.classroom.worker import claim_a_processor
from autograder.engine.examiner import Clock, Supervisor
from autograder.engine.grading import Grader
from autograder.engine.limits import Limits
from autograder.engine.notebooks import read_submission
from autograder.engine.sandbox import choose_walls
from autograder.engine.sandbox.walls import Walls
from autograder.engine.sandbox.warm_parent import WarmParent
from autograder.mistakes.exercises import diagnose_exercises
from tests.benchmarks.arguments import add_assignment, chosen_assignment
from tests.benchmarks.checkout import CHECKOUT

FRESH_EVERY = 8  # rounds: it takes seconds
STOPS = 10  # in a long run; the first is where growth is counted from
MEGABYTE = 1 << 20


@dataclass
class Worker:
    """An examiner (this process) and its warm parent, with one solution to grade again and again."""

    assignment: Assignment
    folder: Path
    walls: Walls

    def __post_init__(self) -> None:
        solved = SampleSubmission(solutions(self.assignment), "the solution")
        self.notebook = write_submission(self.assignment, self.folder / "s001", solved)
        self.submission = read_submission(self.assignment, "s001", self.notebook)
        self.grader = Grader(self.assignment, self.walls, seed=1, explain=diagnose_exercises)
        self.grade()
        assert isinstance(self.walls.parent, WarmParent)
        self.parent = self.walls.parent
        bubblewrap = psutil.Process(self.parent.popen.pid)
        self.processes = [bubblewrap, *bubblewrap.children(recursive=True)]

    def grade(self) -> None:
        verdict = self.grader.grade("s001", self.notebook).verdict
        assert verdict.points == verdict.max_points, verdict

    def start(self) -> None:
        self.walls.start(Limits()).end()

    def run_cells(self) -> None:
        with Supervisor(self.walls, Clock(Limits()), self.submission) as supervisor:
            supervisor.run_cells()

    def cpu(self) -> float:
        """Seconds of this process, of the warm parent, and of the candidates that have ended."""
        schedule = Path(f"/proc/{self.processes[-1].pid}/schedstat").read_text()
        return time.process_time() + int(schedule.split()[0]) / 1e9 + self.parent.candidates_cpu

    def private_memory_of_a_candidate(self) -> float:
        """Megabytes that a candidate has for itself when every check has been asked."""
        end, seen = Supervisor.end, []

        def measured(supervisor: Supervisor) -> None:
            if supervisor._process:
                seen.append(self.processes[-1].children()[0].memory_full_info().uss)
            end(supervisor)

        Supervisor.end = measured  # type: ignore[method-assign, assignment]
        try:
            self.grade()
        finally:
            Supervisor.end = end  # type: ignore[method-assign, assignment]
        return max(seen) / MEGABYTE

    def memory(self) -> tuple[float, float]:
        """Megabytes of the examiner and of the warm parent's processes, shared pages in proportion."""
        return (
            psutil.Process().memory_full_info().pss / MEGABYTE,
            sum(process.memory_full_info().pss for process in self.processes) / MEGABYTE,
        )

    def descriptors_and_processes(self) -> tuple[int, int]:
        """Open descriptors of the examiner, processes below it."""
        here = psutil.Process()
        return here.num_fds(), len(here.children(recursive=True))


Sample = tuple[float, float]  # seconds of CPU, of wall


def measure(worker: Worker, act: Callable[[], object]) -> Sample:
    cpu, wall = worker.cpu(), time.perf_counter()
    act()
    elapsed = time.perf_counter() - wall
    return worker.cpu() - cpu, elapsed


def fresh_process(assignment: Assignment) -> Sample:
    """A Python of its own for one submission, without walls."""
    before, wall = resource.getrusage(resource.RUSAGE_CHILDREN), time.perf_counter()
    command = [sys.executable, "-m", "tests.benchmarks.bare", assignment.id]
    subprocess.run(command, cwd=CHECKOUT, check=True)
    after, elapsed = resource.getrusage(resource.RUSAGE_CHILDREN), time.perf_counter() - wall
    return after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime, elapsed


def run_rounds(worker: Worker, rounds: int) -> dict[str, list[Sample]]:
    cells = worker.assignment.solved_cells()
    kinds: dict[str, Callable[[], object]] = {
        "verdict": worker.grade,
        "start": worker.start,
        "cells": worker.run_cells,
        "bare": lambda: examine_without_walls(worker.assignment, cells, seed=1),
    }
    kinds["bare"]()
    samples = defaultdict(list)
    for number in track(range(rounds), "measuring", transient=True):
        for name, act in kinds.items():
            samples[name].append(measure(worker, act))
        if number % FRESH_EVERY == 0:
            samples["fresh"].append(fresh_process(worker.assignment))
    return samples


def show_cost(console: Console, assignment: Assignment, samples: dict[str, list[Sample]]) -> None:
    cpu = {name: statistics.median(s[0] for s in all) for name, all in samples.items()}
    wall = {name: statistics.median(s[1] for s in all) for name, all in samples.items()}
    table = Table(title=f"one verdict on the solution of {assignment.id}, ms", title_justify="left")
    table.add_column("what")
    for heading in ("CPU median", "CPU p95", "wall median", "wall p95", "CPU, bare limit = 1"):
        table.add_column(heading, justify="right")

    def add_row(name: str, kind: str) -> None:
        cpus, walls = (sorted(s[i] for s in samples[kind]) for i in (0, 1))
        late = [values[int(0.95 * (len(values) - 1))] for values in (cpus, walls)]
        shown = [cpu[kind], late[0], wall[kind], late[1]]
        table.add_row(name, *(f"{1e3 * x:.0f}" for x in shown), f"{cpu[kind] / cpu['bare']:.2f}")

    def add_difference(name: str, more: str, less: str) -> None:
        gaps = cpu[more] - cpu[less], wall[more] - wall[less]
        shown = [f"{1e3 * gaps[0]:.0f}", "", f"{1e3 * gaps[1]:.0f}", ""]
        table.add_row(name, *shown, f"{gaps[0] / cpu['bare']:.2f}")

    add_row("our verdict, warm, behind all walls", "verdict")
    add_row("  of that: fork, walls, end", "start")
    add_difference("  of that: cells", "cells", "start")
    add_difference("  of that: checks, and the rest", "verdict", "cells")
    add_row("(a) the bare limit", "bare")
    add_row("(b) a fresh process, no walls", "fresh")
    console.print(table)


def show_memory(console: Console, worker: Worker) -> None:
    examiner, parent = worker.memory()
    table = Table(title="memory, MB", title_justify="left")
    for heading in ("private to a candidate", "examiner", "warm parent", "worker"):
        table.add_column(heading, justify="right")
    sizes = worker.private_memory_of_a_candidate(), examiner, parent, examiner + parent
    table.add_row(*(f"{size:.0f}" for size in sizes))
    console.print(table)


def show_endurance(console: Console, worker: Worker, submissions: int) -> None:
    table = Table(title=f"{submissions} submissions through one worker", title_justify="left")
    for heading in ("after", "examiner MB", "warm parent MB", "descriptors", "processes"):
        table.add_column(heading, justify="right")
    stops = {submissions * stop // STOPS for stop in (1, STOPS // 2, STOPS)}
    for number in track(range(1, submissions + 1), "lasting", transient=True):
        worker.grade()
        if number in stops:
            sizes = (f"{size:.1f}" for size in worker.memory())
            table.add_row(str(number), *sizes, *map(str, worker.descriptors_and_processes()))
    console.print(table)


def main(arguments: list[str] | None = None) -> None:
    parser = argparse.ArgumentParser(prog="python -m tests.benchmarks.verdict", description=__doc__)
    add_assignment(parser)
    parser.add_argument("--rounds", type=int, default=40, help="measurements of each (40)")
    parser.add_argument("--endurance", type=int, default=1000, help="submissions in a row (1000)")
    options = parser.parse_args(arguments)
    if options.rounds < 1 or options.endurance < STOPS:
        parser.error(f"at least 1 round, and {STOPS} submissions in a row")
    assignment = chosen_assignment(parser, options.assignment)
    console = Console(width=None if sys.stdout.isatty() else 110)
    processors = os.sched_getaffinity(0)
    claim_a_processor()  # as the workers of a class run do
    try:
        with tempfile.TemporaryDirectory() as folder:
            walls = choose_walls("require", (assignment.course.graders,))
            worker = Worker(assignment, Path(folder), walls)
            show_cost(console, assignment, run_rounds(worker, options.rounds))
            show_memory(console, worker)
            show_endurance(console, worker, options.endurance)
            walls.close()
    finally:
        os.sched_setaffinity(0, processors)


if __name__ == "__main__":
    main()
