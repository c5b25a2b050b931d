"""A run of `grade`, as whoever started it sees it: progress, what changes, the table of the class."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from itertools import chain, islice
from pathlib import Path
from typing import TYPE_CHECKING

from rich.progress import (
    BarColumn,
    MofNCompleteColumn,
    Progress,
    ProgressColumn,
    TextColumn,
    TimeRemainingColumn,
)

from autograder.classroom.pool import Call, open_pool, outcomes, processors
from autograder.classroom.run import ClassRun
from autograder.classroom.table import write_table
from autograder.cli.exit_status import FAILED, NOT_GRADED, OK, worst
from autograder.cli.interrupt import StopRequest, stop_requests
from autograder.cli.penalties import ClassPenalties
from autograder.engine.limits.process import PRACTICE
from autograder.engine.verdict.verdict import Summary, Verdict, points_text, summary_of
from autograder.report import terminal
from autograder.report.class_table import (
    changes_table,
    class_table,
    note_lines,
    reason_lines,
    repair_lines,
)
from autograder.report.identical import identical_lines
from autograder.text.wording import plural

if TYPE_CHECKING:
    from autograder.gradebook.enter import GradebookSync

MOST_ROWS = 500  # of the table of a class; grades.csv has all
WIDTH = 130  # columns of the table of a class, where there is no terminal


@dataclass(frozen=True)
class Options:
    """What was asked for on the command line."""

    place: Path
    assignment: str | None  # None: those of which there are submissions
    results: Path
    jobs: int | None
    scheduler: str | None
    sandbox: str
    unprotected: bool
    course: Path | None
    gradebook: str | None
    no_gradebook: bool
    no_penalties: bool
    regrade: bool
    changes: str
    seed: int | None
    watch: bool = False


class ConsoleRun:
    """A class run, and what it shows to the person who started it."""

    def __init__(
        self,
        run: ClassRun,
        gradebook: GradebookSync | None,
        options: Options,
        why: str,
        entered: list[ClassPenalties],
    ):
        self.run = run
        self.gradebook = gradebook
        self.entered = entered  # of this and other assignments
        self.options = options
        self.why = why  # there are no walls
        self.console = terminal.console(WIDTH)
        self.request = StopRequest()

    def execute(self, notebooks: dict[str, Path], refused: list[str]) -> int:
        """Grade, ask, write, and show; return the exit status."""
        run = self.run
        try:
            self._grade(notebooks)
            declined = not self._accept_changes()
        finally:  # also after Ctrl-C: what is finished is entered
            run.close()
            troubles = self.gradebook.enter() if self.gradebook else []
            table = write_table(self.options.results, run.settings.assignment)
        summaries = self._summaries()
        late = ClassPenalties(self.gradebook, self.options.place)
        self._show_class(summaries, refused, late)
        troubles += self._enter_penalties(late, declined)
        self._say(troubles)
        self._say(self._summary(table, declined))
        return self._status(summaries, refused, troubles)

    def _summaries(self) -> list[Summary]:
        """The newest of each student."""
        run = self.run
        found = [*run.unchanged, *run.written, *map(summary_of, run.failed.values())]
        newest = {one.student: one for one in found}
        return sorted(newest.values(), key=lambda one: one.student)

    def _show_class(
        self, summaries: list[Summary], refused: list[str], late: ClassPenalties
    ) -> None:
        """Print the table of the class, and below it what is to be said of some."""
        assignment = self.run.settings.assignment
        verdicts = self._in_table(summaries)
        self.console.print(
            class_table(assignment, verdicts, self.console, late.lateness, late.unsaid)
        )
        if len(verdicts) < len(summaries):
            who = plural(len(summaries) - len(verdicts), "student is", "students are")
            self._say([f"{who} in grades.csv, and not in this table."])
        self._say(reason_lines(summaries))
        self._say(repair_lines(summaries))
        self._say(note_lines(summaries))
        self._say(identical_lines(summaries))
        self._say(refused)
        self._say(late.reasons())

    def _in_table(self, summaries: list[Summary]) -> list[Verdict]:
        """The verdicts to show: of a class that is too large for a table, some of the new ones."""
        run, students = self.run, [one.student for one in summaries]
        if len(students) > MOST_ROWS:
            old = {one.student for one in run.unchanged}
            students = [student for student in students if student not in old][:MOST_ROWS]
        found = (run.failed.get(student) or run.results.verdict(student) for student in students)
        return [verdict for verdict in found if verdict]

    def _enter_penalties(self, late: ClassPenalties, declined: bool) -> list[str]:
        """Enter the penalties if that is wanted; return a sentence on a failure."""
        wanted = not (self.options.no_penalties or declined or self.options.changes == "show")
        lines, troubles = late.enter(wanted)
        self._say(lines)
        if wanted:
            self.entered.append(late)
        return troubles

    def _status(self, summaries: list[Summary], refused: list[str], troubles: list[str]) -> int:
        missing = refused or any(one.state == "not_graded" for one in summaries)
        return worst([NOT_GRADED if missing else OK, FAILED if troubles else OK])

    def _grade(self, notebooks: dict[str, Path]) -> None:
        """Grade, and show how far it is."""
        columns = [TextColumn("grading"), BarColumn(), MofNCompleteColumn(), _Rate()]
        columns.append(TimeRemainingColumn())
        with stop_requests() as self.request, self._progress(*columns) as self.bar:
            self.task = self.bar.add_task("grading", total=len(notebooks))
            calls = self._calls(notebooks)
            if first := list(islice(calls, self.options.jobs or processors())):
                self._grade_calls(chain(first, calls), len(first))
            self._turn()

    def _progress(self, *columns: ProgressColumn) -> Progress:
        is_shown = self.console.is_terminal
        return Progress(*columns, console=self.console, transient=True, disable=not is_shown)

    def _grade_calls(self, calls: Iterator[Call | None], jobs: int) -> None:
        scheduler = self.options.scheduler
        with open_pool(self.run.settings, jobs, scheduler, self._tell) as pool:
            self.request.wait_for_it()  # until now, whatever Ctrl-C ends would be told as its fault
            for call, outcome in outcomes(pool, calls, self._turn):
                self._keep(call, outcome)

    def _keep(self, call: Call, outcome: object) -> None:
        """Keep what came of a call, and say it where no bar shows it."""
        verdict = self.run.keep(call, outcome)
        if verdict and not self.console.is_terminal:
            place = f"{self.run.count}/{self.bar.tasks[0].total:g}"
            points = points_text(verdict.points)
            self._tell(f"{place} {verdict.student} {verdict.state} {points}")

    def _turn(self) -> None:
        """Show how far it is, and see whether it should stop. Raises `KeyboardInterrupt`."""
        self.request.raise_if_asked()
        self.bar.update(self.task, completed=self.run.count)

    def _calls(self, notebooks: dict[str, Path]) -> Iterator[Call]:
        """Yield what has to be graded, and show how far it is with the rest."""
        for student, notebook in notebooks.items():
            yield from self.run.calls({student: notebook})
            self._turn()

    def _tell(self, sentence: str) -> None:
        self.console.print_paragraphs([sentence])

    def _say(self, sentences: Iterable[str]) -> None:
        """Print a group of sentences, on a terminal with a line free before it."""
        group = list(sentences)
        if group and self.console.is_terminal:
            self.console.print()
        self.console.print_paragraphs(group)

    def _accept_changes(self) -> bool:
        """Show what changes for whom, and write it; return False if somebody says no."""
        changes = self.run.changes
        if changes:
            self.console.print(changes_table(changes))
        if self.run.proposed and not self._may_write(len(changes)):
            return False
        self.run.accept()
        return True

    def _may_write(self, count: int) -> bool:
        """Whether the proposed verdicts may be written, of which `count` change points."""
        if self.options.changes == "show":
            return False
        if not count or self.options.changes == "write" or not terminal.is_there_to_answer():
            return True
        return terminal.ask(f"Write these {count} changes?")

    def _summary(self, table: Path, declined: bool) -> Iterator[str]:
        run = self.run
        if declined:
            count = len(run.proposed)
            yield f"{count} verdicts that were made again are not written: all is as it was."
        new = {one.student: one.state for one in run.written}
        new |= {student: one.state for student, one in run.failed.items()}
        states = Counter(new.values())
        unreadable, missing = states["unreadable"], states["not_graded"]
        words = [f"{states['graded']} graded"]
        words += [f"{unreadable} unreadable"] if unreadable else []
        words += [f"{len({one.student for one in run.unchanged} - new.keys())} as they were"]
        words += [f"{missing} not graded: run again for them"] if missing else []
        yield f"{', '.join(words)}. Verdicts and table: {table.parent}/"
        if run.failed:
            yield "Of those that were graded before, the verdicts stay."
        if run.settings.sandbox == PRACTICE:
            because = f" ({self.why})" if self.why else ""
            yield f"No walls{because}: these verdicts are practice, and no gradebook takes them."


class _Rate(TextColumn):
    """Submissions a minute."""

    def __init__(self) -> None:
        super().__init__("")

    def render(self, task):
        return f"{(task.speed or 0) * 60:.0f} a minute"
