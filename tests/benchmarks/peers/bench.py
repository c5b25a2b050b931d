"""Measure one contender after the other on the same class, and show how far it is."""

import shutil
import statistics
from collections.abc import Callable, Iterable
from dataclasses import dataclass, replace
from pathlib import Path

from rich.console import Console
from rich.progress import BarColumn, Progress, TextColumn, TimeElapsedColumn, TimeRemainingColumn

from autograder import Assignment
from tests.benchmarks.peers.contender import Full, Prepared
from tests.benchmarks.peers.job import Failed, measure
from tests.benchmarks.peers.students import Student, solution_and_release

Prepare = Callable[[Assignment, list[Student], Path, Path, int], Prepared]
SPEED_OVER = 600  # seconds that the time left is estimated from


@dataclass(frozen=True)
class Contender:
    """One way to grade the class. The seconds are guesses, from which the time left is told."""

    name: str
    prepare: Prepare
    jobs: int
    start_seconds: float
    each_seconds: float

    def expected(self, submissions: int) -> float:
        return self.start_seconds + self.each_seconds * submissions


@dataclass(frozen=True)
class Row:
    """What a class of one size cost with one contender."""

    who: str
    submissions: int
    wall: float  # seconds
    cpu: float
    memory: int  # bytes
    jobs: int


class Bench:
    """The class, a folder to work in, and the progress that is shown meanwhile."""

    def __init__(
        self, assignment: Assignment, students: list[Student], top: Path, console: Console
    ):
        self.assignment = assignment
        self.students = students
        self.top = top
        self.console = console
        self.count = 0
        self.progress = Progress(
            TextColumn("{task.description}"),
            BarColumn(),
            TimeElapsedColumn(),
            TextColumn("left:"),
            TimeRemainingColumn(),
            console=console,
            transient=True,
            disable=not console.is_terminal,
            speed_estimate_period=SPEED_OVER,
        )
        self.task = self.progress.add_task("", total=0)

    def expect(self, seconds: float) -> None:
        """Say that so much more is to come."""
        whole = self.progress.tasks[0].total or 0
        self.progress.update(self.task, total=whole + seconds)

    def check_marks(self, contender: Contender) -> None:
        """Raise `Failed` unless the solution gets full marks for each exercise, and the release none."""
        full = self._measured(contender, solution_and_release(self.assignment), "checked")[1]
        for exercise in self.assignment.exercises:
            marks = [full.get((student, exercise.id)) for student in ("solution", "release")]
            if marks != [True, False]:
                raise Failed(
                    f"{contender.name} is of no use here: in `{exercise.id}`, full marks for the "
                    f"solution and the release are {marks}, and should be [True, False]."
                )

    def run(
        self, contender: Contender, submissions: int, twice: bool = False
    ) -> tuple[list[Row], Full]:
        """Measure a contender on the first so many of the class, and perhaps once more with nothing
        changed. Raises `Failed`.
        """
        return self._measured(contender, self.students[:submissions], "", twice)

    def _measured(
        self, contender: Contender, students: list[Student], why: str, twice: bool = False
    ) -> tuple[list[Row], Full]:
        prepared, folder = self._prepared(contender, students)
        rows = [self._row(contender, prepared, len(students), why)]
        if twice:
            again = replace(contender, name=f"{contender.name}, again", each_seconds=0)
            rows.append(self._row(again, prepared, len(students), "nothing changed"))
        full = prepared.full()
        shutil.rmtree(folder)
        return rows, full

    def _prepared(self, contender: Contender, students: list[Student]) -> tuple[Prepared, Path]:
        self.count += 1
        folder = self.top / f"run-{self.count}"
        folder.mkdir()
        self._describe(contender, len(students), "made ready")
        return contender.prepare(
            self.assignment, students, self.top, folder, contender.jobs
        ), folder

    def _row(self, contender: Contender, prepared: Prepared, submissions: int, why: str) -> Row:
        self._describe(contender, submissions, why)
        begin = self.progress.tasks[0].completed
        whole = contender.expected(submissions)

        def tick() -> None:
            share = min(prepared.done() / submissions, 1.0)
            self.progress.update(self.task, completed=begin + share * whole)

        figures = measure(prepared.job, tick)
        self.progress.update(self.task, completed=begin + whole)
        if figures.left:
            self.console.print(f"{contender.name} left {figures.left} processes running.")
        if prepared.done() != submissions:
            raise Failed(f"{contender.name} graded {prepared.done()} of {submissions} submissions.")
        spent = figures.wall, figures.cpu, figures.memory
        row = Row(contender.name, submissions, *spent, contender.jobs)
        if not self.console.is_terminal:
            note = f" ({why})" if why else ""
            said = f"{row.who}, {submissions}{note}: {row.wall:.1f} s, CPU {row.cpu:.1f} s"
            self.console.print(said, highlight=False)
        return row

    def _describe(self, contender: Contender, submissions: int, why: str) -> None:
        words = f"{contender.name}, {submissions} submissions{f' ({why})' if why else ''}"
        self.progress.update(self.task, description=words)


def medians(rows: Iterable[Row]) -> list[Row]:
    """One row for all rounds of the same thing: medians of the times, the most memory."""
    groups: dict[tuple, list[Row]] = {}
    for row in rows:
        groups.setdefault((row.who, row.submissions, row.jobs), []).append(row)
    return [
        replace(
            group[0],
            wall=statistics.median(row.wall for row in group),
            cpu=statistics.median(row.cpu for row in group),
            memory=max(row.memory for row in group),
        )
        for group in groups.values()
    ]
