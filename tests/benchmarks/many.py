"""What a class of many costs the process that runs it: workers are stand-ins that answer at once.

    python -m tests.benchmarks.many [--assignment ID] [--submissions 1000] [--no-gradebook] [--profile FILE]

Each submission differs in a comment. The class is graded, and then once more unchanged, each time by
the command `grade` in a process of its own, with a real store, real files and a real gradebook; but
nothing waits for the disk. All seconds are of that process's processor time.
"""

import argparse
import contextlib
import cProfile
import itertools
import json
import os
import pickle
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from concurrent.futures import Future
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import ClassVar
from unittest import mock

from rich.console import Console
from rich.table import Table

from autograder import (
    Assignment,
    CheckResult,
    ExerciseResult,
    NamedMistake,
    Verdict,
    find_assignment,
    find_course,
)
from autograder._commands.main import main as command
from autograder.authoring.sample_class import SampleSubmission, solutions, write_submission
from autograder.classroom.worker import Task
from autograder.engine import Graded, RunSettings, Submission
from autograder.engine.courses import make_course
from autograder.engine.notebooks import parse_submission
from tests.benchmarks.arguments import add_assignment, chosen_assignment, positive
from tests.benchmarks.checkout import CHECKOUT

MARKER = "# of nobody"  # in each submission, its own words stand here
STOPS = 10  # in a run, where time and memory are read
CHECKS = 8  # of each exercise
QUESTION = "Which of the axes should be the one over which softmax sums, and which one is it here? "
SHOWN = 3_000  # characters that a student's cells have shown


@dataclass
class Stop:
    """Where a run is: so many results are back."""

    count: int
    cpu: float  # seconds so far
    memory: float  # MB, at most until then


@dataclass
class CannedPool:
    """Takes the place of workers: hands out results at once, and reads the clock between them."""

    LOST: ClassVar = ()
    ATTEMPTS: ClassVar = 1

    total: int
    workers: int = 2
    count: int = 0
    stops: list[Stop] = field(default_factory=list)
    first: Submission | None = None  # all others are like it

    @contextlib.contextmanager
    def opened(self, *_: object) -> Iterator["CannedPool"]:
        """Takes the place of `open_pool`."""
        yield self
        self.stop(self.total)

    def submit(self, function: Callable, /, settings: RunSettings, task: Task) -> Future:
        """Return a result as if it came from a worker: both ways, everything is pickled."""
        if self.count % max(1, self.total // STOPS) == 0:
            self.stop(self.count)
        self.count += 1
        _, settings, task = pickle.loads(pickle.dumps((function, settings, task)))
        graded = canned(settings, self._submission(settings, task))
        future: Future = Future()
        future.set_result(pickle.loads(pickle.dumps(graded)))
        return future

    def _submission(self, settings: RunSettings, task: Task) -> Submission:
        if self.first is None:
            self.first = parse_submission(settings.assignment, task.student, task.name, task.data)
        first, student = self.first.student, task.student
        cells = [replace(c, source=c.source.replace(first, student)) for c in self.first.cells]
        return replace(self.first, cells=cells, student=student)

    def stop(self, count: int) -> None:
        self.stops.append(Stop(count, time.process_time(), most_memory()))


def most_memory() -> float:
    """Return how much memory this process had at most until now, in MB."""
    lines = Path("/proc/self/status").read_text().splitlines()
    (most,) = (line.split()[1] for line in lines if line.startswith("VmHWM:"))
    return int(most) / 1024


def canned(settings: RunSettings, submission: Submission) -> Graded:
    """Return a verdict of the usual size: one check of each exercise is failed."""
    exercises = []
    for exercise in settings.assignment.exercises:
        worth = exercise.points / CHECKS
        checks = [
            CheckResult(f"test_law_{number}", worth * bool(number), worth, bool(number), None)
            for number in range(CHECKS)
        ]
        checks[0] = CheckResult(checks[0].id, 0.0, worth, False, QUESTION)
        mistakes = [NamedMistake("another_axis", QUESTION)]
        points = exercise.points - worth
        exercises.append(
            ExerciseResult(exercise.id, "answered", points, exercise.points, checks, mistakes)
        )
    whole = sum(exercise.points for exercise in settings.assignment.exercises)
    verdict = Verdict(
        student=submission.student,
        assignment=settings.assignment.id,
        state="graded",
        points=sum(one.points for one in exercises),
        max_points=whole,
        exercises=exercises,
        repairs=[],
        seconds=0.1,
        stamp=settings.stamp(submission.hash),
    )
    first = settings.assignment.exercises[0].id
    shown = {"output_type": "stream", "name": "stdout", "text": "0.5 " * (SHOWN // 4)}
    return Graded(verdict, {first: [shown]}, submission=submission)


def make_class(folder: Path, assignment: Assignment, submissions: int) -> None:
    """Make a course of its own, and so many submissions that differ."""
    make_course(folder, assignment.course)
    cells = solutions(assignment)
    first = next(iter(cells))
    marked = SampleSubmission(cells | {first: f"{cells[first]}\n{MARKER}"}, "")
    made = write_submission(assignment, folder / "pattern", marked).read_text(encoding="utf-8")
    assert made.count(MARKER) == 1
    for number in range(submissions):
        student = f"s{number:05}"
        place = folder / "submitted" / student / assignment.id
        place.mkdir(parents=True)
        text = made.replace(MARKER, f"# of {student}")
        (place / f"{assignment.id}.ipynb").write_text(text, encoding="utf-8")
        (place / "timestamp.txt").write_text("2026-11-20 12:00:00 UTC")


def _wait_for_nothing(_: int) -> None:
    """Takes the place of `os.fsync`; a mock would remember each call."""


def measured_run(folder: Path, assignment: Assignment, words: list[str]) -> list[Stop]:
    """Grade the class in this process; return its stops: the start, some between, the end."""
    total = len(os.listdir(folder / "submitted"))
    pool = CannedPool(total)
    pool.stop(0)
    arguments = ["grade", str(folder / "submitted"), "--assignment", assignment.id]
    arguments += ["--results", str(folder / "results"), "--course", str(folder), *words]
    with (
        mock.patch("autograder.gradebook.commands.console_run.open_pool", pool.opened),
        mock.patch("os.fsync", new=_wait_for_nothing),
    ):
        status = command(arguments)
    if status != 0:
        raise RuntimeError(f"`grade` has ended with status {status}")
    pool.stop(total)
    return pool.stops


def in_a_process(folder: Path, assignment: Assignment, words: list[str]) -> list[Stop]:
    """The same in another process, which prints what `grade` prints into a file."""
    said, report = folder / "said.txt", folder / "stops.json"
    program = [sys.executable, "-m", "tests.benchmarks.many", "--assignment", assignment.id]
    with said.open("a") as file:
        done = subprocess.run(
            [*program, "--run", str(folder), *words], cwd=CHECKOUT, stdout=file, stderr=file
        )
    if done.returncode:
        raise RuntimeError("\n".join(said.read_text().splitlines()[-20:]))
    return [Stop(**one) for one in json.loads(report.read_text())]


def show(console: Console, first: list[Stop], second: list[Stop]) -> None:
    """Print what the first run cost between its stops, and what the second cost in all."""
    start, *between, end = first
    total = between[-1].count
    table = Table(title=f"the first run over {total} submissions", title_justify="left")
    for heading in ("results", "ms each", "memory, MB"):
        table.add_column(heading, justify="right")
    table.add_row("0", "", f"{between[0].memory:.0f}")
    for before, after in itertools.pairwise(between):
        each = 1e3 * (after.cpu - before.cpu) / (after.count - before.count)
        table.add_row(str(after.count), f"{each:.2f}", f"{after.memory:.0f}")
    console.print(table)
    console.print(
        f"Before the first result: {between[0].cpu - start.cpu:.1f} s. After the last: "
        f"{end.cpu - between[-1].cpu:.1f} s. In all: {end.cpu:.1f} s, {end.memory:.0f} MB."
    )
    console.print(f"The second run, unchanged: {second[-1].cpu:.1f} s, {second[-1].memory:.0f} MB.")


def main(arguments: list[str] | None = None) -> None:
    parser = argparse.ArgumentParser(prog="python -m tests.benchmarks.many", description=__doc__)
    add_assignment(parser)
    parser.add_argument("--submissions", type=positive, default=1_000, help="how many (1000)")
    parser.add_argument("--no-gradebook", action="store_true", help="verdicts only")
    parser.add_argument("--profile", type=Path, metavar="FILE", help="profiles: FILE.1, FILE.2")
    parser.add_argument(
        "--keep", type=Path, metavar="DIR", help="where the class is made and stays"
    )
    parser.add_argument("--run", type=Path, metavar="DIR", help=argparse.SUPPRESS)
    options = parser.parse_args(arguments)
    words = ["--no-gradebook"] * options.no_gradebook
    if options.run:
        assignment = find_assignment(options.assignment, find_course(options.run))
        with cProfile.Profile() if options.profile else mock.MagicMock() as profile:
            stops = measured_run(options.run, assignment, words)
        if options.profile:
            profile.dump_stats(options.profile)
        (options.run / "stops.json").write_text(json.dumps([vars(one) for one in stops]))
        return
    assignment = chosen_assignment(parser, options.assignment)
    console = Console(width=None if sys.stdout.isatty() else 110)
    with tempfile.TemporaryDirectory() as temporary:
        folder = (options.keep or Path(temporary) / "class").absolute()
        folder.mkdir(parents=True)
        make_class(folder, assignment, options.submissions)
        runs = []
        for number in (1, 2):
            where = (
                ["--profile", f"{options.profile.absolute()}.{number}"] if options.profile else []
            )
            runs.append(in_a_process(folder, assignment, words + where))
        show(console, *runs)


if __name__ == "__main__":
    main()
