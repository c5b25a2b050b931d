"""Kill a run, a worker, the scheduler or the walls at random moments; run again; is all as it should be?

    python -m tests.kills.kills [--assignment ID] [--course DIR] [--rounds 20] [--students 20] [--seed 1] [--into DIR]

Each round grades an invented class into folders of its own, kills one process without warning, and runs
the command again until it says that everything is graded. Then verdicts and gradebook must be those of an
undisturbed run, and nothing that was started may be left alive. Exit status 1 where it is not so.
"""

import argparse
import contextlib
import json
import os
import random
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path

os.environ.setdefault("OMP_NUM_THREADS", "1")

import psutil
from nbgrader.api import Gradebook
from rich.console import Console
from rich.table import Table

from autograder import Assignment
from autograder.authoring.sample_class import write_class
from autograder.engine.courses import make_course
from tests.benchmarks.arguments import add_assignment, chosen_assignment
from tests.benchmarks.checkout import CHECKOUT
from tests.benchmarks.cluster import DaskCluster, running_cluster
from tests.benchmarks.orphans import adopt_orphans

RUNS = 4  # of the command, at most, until everything is graded
LEAVE_SECONDS = 15.0  # for what was killed to be gone, with all that hung on it
ATTEMPTS = 3  # at killing before a run is over
LATEST = 0.9  # of an undisturbed run's time


@dataclass(frozen=True)
class Outcome:
    """What a finished run leaves: verdicts, and what the gradebook says, by student."""

    verdicts: dict[str, dict]
    gradebook: dict[str, list]


@dataclass(frozen=True)
class Kill:
    """One round, for the log."""

    victim: str
    second: float
    done: int  # verdicts that were there when it was killed
    status: int  # of that run; negative: it was the victim
    faults: list[str]


class Rounds:
    """One class, graded undisturbed, and then again and again with a kill."""

    def __init__(self, assignment: Assignment, folder: Path, students: int, seed: int):
        self.assignment = assignment
        self.folder = folder
        self.seed = seed
        write_class(assignment, folder / "submitted", students, seed)
        begin = time.monotonic()
        self.wanted = self._finish(self._course("undisturbed"), [])
        self.seconds = time.monotonic() - begin

    def kill(self, name: str, victim: str, moment: float) -> Kill:
        """Kill the victim after this part of an undisturbed run's time, or earlier if it was too late."""
        for attempt in range(ATTEMPTS):
            course = self._course(f"{name}-{attempt}")
            cluster = running_cluster(2, course / "dask") if victim.startswith("dask") else None
            with cluster or contextlib.nullcontext() as dask:
                where = ["--scheduler", dask.address] if dask else ["--jobs", "2"]
                begin = time.monotonic()
                run = self._start(course, where)
                time.sleep(moment * self.seconds * LATEST / (attempt + 1))
                killed = _kill(run, lambda: VICTIMS[victim](run, dask))  # noqa: B023  called at once
                second, done = time.monotonic() - begin, len(self._verdicts(course))
                run.wait()
            if killed:
                return Kill(victim, second, done, run.returncode, list(self._faults(course)))
        raise RuntimeError(f"{victim}: the run was always over before")

    def _faults(self, course: Path) -> Iterator[str]:
        """Finish what was killed; yield what is not as it was undisturbed."""
        outcome = self._finish(course, ["--jobs", "2"])
        for student in _differing(outcome.verdicts, self.wanted.verdicts):
            yield f"another verdict: {student}"
        for student in _differing(outcome.gradebook, self.wanted.gradebook):
            yield f"another gradebook: {student}"
        for words in left_alive():
            yield f"left alive: {words}"

    def _course(self, name: str) -> Path:
        return make_course(self.folder / name, self.assignment.course).root

    def _start(self, course: Path, where: list[str]) -> subprocess.Popen:
        command = [sys.executable, "-m", "autograder", "grade", str(self.folder / "submitted")]
        command += ["--assignment", self.assignment.id, "--results", str(course / "results")]
        command += ["--course", str(course), "--seed", str(self.seed), *where]
        with (course / "run.log").open("a") as log:
            return subprocess.Popen(command, cwd=CHECKOUT, stdout=log, stderr=subprocess.STDOUT)

    def _finish(self, course: Path, where: list[str]) -> Outcome:
        """Run until everything is graded; return what is there then."""
        for _ in range(RUNS):
            if self._start(course, where).wait() == 0:
                return Outcome(self._verdicts(course), self._gradebook(course))
        raise RuntimeError(f"not graded after {RUNS} runs: {(course / 'run.log').read_text()}")

    def _verdicts(self, course: Path) -> dict[str, dict]:
        """All verdicts, without the seconds that they took."""
        files = (course / "results" / self.assignment.id).glob("*.json")
        verdicts = {file.stem: json.loads(file.read_text()) for file in files}
        return {student: verdict | {"seconds": 0} for student, verdict in verdicts.items()}

    def _gradebook(self, course: Path) -> dict[str, list]:
        """Every row that the gradebook has about a student."""
        rows: dict[str, list] = {}
        with Gradebook(f"sqlite:///{course}/gradebook.db") as gradebook:
            for submission in gradebook.assignment_submissions(self.assignment.id):
                for notebook in submission.notebooks:
                    rows.setdefault(submission.student.id, []).append(
                        sorted((grade.name, grade.auto_score) for grade in notebook.grades)
                    )
        return rows


def _the_run(run: subprocess.Popen, dask: DaskCluster | None) -> Iterator[psutil.Process]:
    yield psutil.Process(run.pid)


def workers_below(pid: int) -> Iterator[psutil.Process]:
    """The worker processes below this one, Dask's or our own. Raises `NoSuchProcess`."""
    for one in forkservers_below(pid):
        yield from one.children()
    for one in psutil.Process(pid).children(recursive=True):
        if "spawn_main" in " ".join(one.cmdline()):
            yield one


def forkservers_below(pid: int) -> Iterator[psutil.Process]:
    """The process from which a run's own workers are forked, from its first moment on.

    Raises `NoSuchProcess`.
    """
    for one in psutil.Process(pid).children():
        if "forkserver import main" in " ".join(one.cmdline()):
            yield one


def _its_worker(run: subprocess.Popen, dask: DaskCluster | None) -> Iterator[psutil.Process]:
    yield from workers_below(run.pid)


def _its_forkserver(run: subprocess.Popen, dask: DaskCluster | None) -> Iterator[psutil.Process]:
    yield from forkservers_below(run.pid)


def _its_walls(run: subprocess.Popen, dask: DaskCluster | None) -> Iterator[psutil.Process]:
    below = psutil.Process(run.pid).children(recursive=True)
    for process in below:  # a warm parent, in bubblewrap or not
        if "engine.candidate.start import" in " ".join(process.cmdline()):
            yield process


def _dask_worker(run: subprocess.Popen, dask: DaskCluster | None) -> Iterator[psutil.Process]:
    assert dask
    yield from workers_below(dask.programs["worker-1"].pid)


def _dask_scheduler(run: subprocess.Popen, dask: DaskCluster | None) -> Iterator[psutil.Process]:
    assert dask
    yield psutil.Process(dask.programs["scheduler"].pid)


Victim = Callable[[subprocess.Popen, DaskCluster | None], Iterator[psutil.Process]]
VICTIMS: dict[str, Victim] = {
    "run": _the_run,
    "worker": _its_worker,
    "walls": _its_walls,
    "forkserver": _its_forkserver,
    "dask worker": _dask_worker,
    "dask scheduler": _dask_scheduler,
}


def _kill(run: subprocess.Popen, victims: Callable[[], Iterator[psutil.Process]]) -> bool:
    """Kill the first that there is, as soon as there is one, without warning; False: the run is over."""
    while run.poll() is None:
        with contextlib.suppress(psutil.NoSuchProcess):
            for victim in victims():
                victim.send_signal(signal.SIGKILL)
                return True
        time.sleep(0.05)
    return False


def _differing(one: dict, other: dict) -> list[str]:
    return sorted(name for name in one.keys() | other.keys() if one.get(name) != other.get(name))


def left_alive() -> list[str]:
    """What this process started, or its descendants did, and still runs after a while."""
    until = time.monotonic() + LEAVE_SECONDS
    while (left := list(_living())) and time.monotonic() < until:
        time.sleep(0.1)
    return left


def _living() -> Iterator[str]:
    for process in psutil.Process().children(recursive=True):
        with contextlib.suppress(psutil.NoSuchProcess, ChildProcessError):
            if process.status() != psutil.STATUS_ZOMBIE:
                yield " ".join(process.cmdline()[:4])
            elif process.ppid() == os.getpid():
                os.waitpid(process.pid, os.WNOHANG)


def show(console: Console, kills: list[Kill]) -> None:
    """The log, and how it ended."""
    table = Table(title="killed without warning, and run again", title_justify="left")
    for heading in ("round", "victim", "after s", "verdicts then", "its status", "in the end"):
        table.add_column(
            heading, justify="left" if heading in ("victim", "in the end") else "right"
        )
    for number, kill in enumerate(kills, start=1):
        end = "; ".join(kill.faults) or "as undisturbed"
        second = f"{kill.second:.1f}"
        table.add_row(str(number), kill.victim, second, str(kill.done), str(kill.status), end)
    console.print(table)


def main(arguments: list[str] | None = None) -> int:
    parser = argparse.ArgumentParser(prog="python -m tests.kills.kills", description=__doc__)
    add_assignment(parser)
    parser.add_argument("--course", type=Path, default=CHECKOUT, help="that has it (this project)")
    parser.add_argument("--rounds", type=int, default=20, help="kills (20)")
    parser.add_argument("--students", type=int, default=20, help="submissions of the class (20)")
    parser.add_argument("--seed", type=int, default=1, help="of the class and of the moments")
    parser.add_argument("--into", type=Path, help="also write the log there, as kills.txt")
    options = parser.parse_args(arguments)
    assignment = chosen_assignment(parser, options.assignment, options.course)
    adopt_orphans()
    chance = random.Random(options.seed)
    console = Console(width=None if sys.stdout.isatty() else 110)
    kills = []
    with tempfile.TemporaryDirectory() as folder:
        rounds = Rounds(assignment, Path(folder), options.students, options.seed)
        for number in range(options.rounds):
            victim = list(VICTIMS)[number % len(VICTIMS)]
            kills.append(rounds.kill(f"round-{number + 1}", victim, chance.random()))
            console.print(f"{number + 1}/{options.rounds} {victim}: {kills[-1].faults or 'well'}")
    show(console, kills)
    if options.into:
        options.into.mkdir(parents=True, exist_ok=True)
        with (options.into / "kills.txt").open("w") as file:
            show(Console(file=file, width=110), kills)
    return int(any(kill.faults for kill in kills))


if __name__ == "__main__":
    sys.exit(main())
