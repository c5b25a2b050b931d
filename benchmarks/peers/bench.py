"""Measure one contender after the other on the same class, and show how far it is."""

import shutil
import statistics
from collections.abc import Callable, Iterable
from dataclasses import dataclass, replace
from pathlib import Path

from rich.console import Console
from rich.progress import BarColumn, Progress, TextColumn, TimeElapsedColumn, TimeRemainingColumn

from autograder.engine.assignment import Assignment
from benchmarks.peers.contender import Full, Prepared
from benchmarks.peers.job import Failed, measure
from benchmarks.peers.students import Student, solution_and_release

Prepare = Callable[[Assignment, list[Student], Path, Path, int], Prepared]
SPEED_OVER = 600  # seconds that the time left is estimated from


@dataclass(frozen=True)
class Entrant:
    """One way to grade the class, and how long it may take: only the time left is made of that."""

    name: str
    prepare: Prepare
    jobs: int
    start_seconds: float
    each_seconds: float

    def expected(self, submissions: int) -> float:
        return self.start_seconds + self.each_seconds * submissions


@dataclass(frozen=True)
class Row:
    """What a class of a size cost with somebody."""

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
        columns = (
            *(TextColumn("{task.description}"), BarColumn(), TimeElapsedColumn()),
            *(TextColumn("left:"), TimeRemainingColumn()),
        )
        self.progress = Progress(
            *columns,
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

    def rehearse(self, entrant: Entrant) -> None:
        """Hold a contender to the solution's full marks and the release's none. Raises `Failed`."""
        full = self._measured(entrant, solution_and_release(self.assignment), "in_process")[1]
        for exercise in self.assignment.exercises:
            marks = [full.get((student, exercise.id)) for student in ("solution", "release")]
            if marks != [True, False]:
                raise Failed(
                    f"{entrant.name} is of no use here: in `{exercise.id}`, full marks for the "
                    f"solution and the release are {marks}, and should be [True, False]."
                )

    def run(
        self, entrant: Entrant, submissions: int, twice: bool = False
    ) -> tuple[list[Row], Full]:
        """Measure a contender on the first so many of the class, and perhaps once more with nothing
        changed. Raises `Failed`.
        """
        return self._measured(entrant, self.students[:submissions], "", twice)

    def _measured(
        self, entrant: Entrant, students: list[Student], why: str, twice: bool = False
    ) -> tuple[list[Row], Full]:
        prepared, folder = self._prepared(entrant, students)
        rows = [self._row(entrant, prepared, len(students), why)]
        if twice:
            again = replace(entrant, name=f"{entrant.name}, again", each_seconds=0)
            rows.append(self._row(again, prepared, len(students), "nothing changed"))
        full = prepared.full()
        shutil.rmtree(folder)
        return rows, full

    def _prepared(self, entrant: Entrant, students: list[Student]) -> tuple[Prepared, Path]:
        self.count += 1
        folder = self.top / f"run-{self.count}"
        folder.mkdir()
        self._describe(entrant, len(students), "made ready")
        return entrant.prepare(self.assignment, students, self.top, folder, entrant.jobs), folder

    def _row(self, entrant: Entrant, prepared: Prepared, submissions: int, why: str) -> Row:
        self._describe(entrant, submissions, why)
        begin = self.progress.tasks[0].completed
        whole = entrant.expected(submissions)

        def tick() -> None:
            share = min(prepared.done() / submissions, 1.0)
            self.progress.update(self.task, completed=begin + share * whole)

        figures = measure(prepared.job, tick)
        self.progress.update(self.task, completed=begin + whole)
        if figures.left:
            self.console.print(f"{entrant.name} left {figures.left} processes running.")
        if prepared.done() != submissions:
            raise Failed(f"{entrant.name} graded {prepared.done()} of {submissions} submissions.")
        spent = figures.wall, figures.cpu, figures.memory
        row = Row(entrant.name, submissions, *spent, entrant.jobs)
        if not self.console.is_terminal:
            note = f" ({why})" if why else ""
            said = f"{row.who}, {submissions}{note}: {row.wall:.1f} s, CPU {row.cpu:.1f} s"
            self.console.print(said, highlight=False)
        return row

    def _describe(self, entrant: Entrant, submissions: int, why: str) -> None:
        words = f"{entrant.name}, {submissions} submissions{f' ({why})' if why else ''}"
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
