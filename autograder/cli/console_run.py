"""A run of `grade`, as whoever started it sees it: progress, what changes, the table of the class."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path

from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeRemainingColumn

from autograder.classroom.dispatch import grade_all, processors
from autograder.classroom.find import trusted_folder
from autograder.classroom.run import ClassRun
from autograder.classroom.table import write_table
from autograder.cli.exit_status import FAILED, NOT_GRADED, OK, worst
from autograder.cli.interrupt import remember_ctrl_c
from autograder.cli.penalties import ClassPenalties
from autograder.engine.graded import Graded
from autograder.engine.process import PRACTICE
from autograder.engine.submission import Submission
from autograder.engine.verdict import Verdict, points_text
from autograder.report import terminal
from autograder.report.class_table import changes_table, class_table, note_lines, repair_lines
from autograder.report.identical import identical_lines

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


class ConsoleRun:
    """A class run, and what it shows to the person who started it."""

    def __init__(self, run: ClassRun, options: Options, why: str, entered: list[ClassPenalties]):
        self.run = run
        self.entered = entered  # of this and other assignments
        self.options = options
        self.why = why  # there are no walls
        self.console = terminal.console(WIDTH)

    def execute(self, notebooks: dict[str, Path], refused: list[str]) -> int:
        """Grade, ask, write, and show; return the exit status."""
        run = self.run
        top = trusted_folder(self.options.place, run.settings.assignment)
        try:
            self._grade(run.settle_known(notebooks, self.options.regrade, top))
            declined = not self._write_changes()
        finally:  # also after Ctrl-C: what is finished is entered
            troubles = run.writer.finish()
            table = write_table(self.options.results, run.settings.assignment)
        verdicts = [*run.unchanged, *run.written, *run.failed]
        verdicts.sort(key=lambda verdict: verdict.student)
        late = ClassPenalties(run.writer, self.options.place)
        self._show_class(verdicts, refused, late)
        troubles += self._enter_penalties(late, declined)
        self._say(troubles)
        self._say(self._summary(table, declined))
        return self._status(verdicts, refused, troubles)

    def _show_class(
        self, verdicts: list[Verdict], refused: list[str], late: ClassPenalties
    ) -> None:
        """Print the table of the class, and below it what is to be said of some."""
        assignment = self.run.settings.assignment
        self.console.print(
            class_table(assignment, verdicts, self.console, late.lateness, late.unsaid)
        )
        self._say(f"{one.student}: {one.reason}" for one in verdicts if one.reason)
        self._say(repair_lines(verdicts))
        self._say(note_lines(verdicts))
        self._say(identical_lines(verdicts))
        self._say(refused)
        self._say(late.reasons())

    def _enter_penalties(self, late: ClassPenalties, declined: bool) -> list[str]:
        """Enter the penalties if that is wanted; return a sentence on a failure."""
        wanted = not (self.options.no_penalties or declined or self.options.changes == "show")
        lines, troubles = late.enter(wanted)
        self._say(lines)
        if wanted:
            self.entered.append(late)
        return troubles

    def _status(self, verdicts: list[Verdict], refused: list[str], troubles: list[str]) -> int:
        missing = refused or any(verdict.state == "not_graded" for verdict in verdicts)
        return worst([NOT_GRADED if missing else OK, FAILED if troubles else OK])

    def _grade(self, submissions: list[Submission]) -> None:
        """Grade, and show how far it is."""
        total = sum(map(len, self.run.to_grade.values()))
        in_terminal = self.console.is_terminal
        columns = [TextColumn("grading"), BarColumn(), MofNCompleteColumn(), _Rate()]
        columns.append(TimeRemainingColumn())
        with (
            remember_ctrl_c() as raise_if_pressed,
            Progress(
                *columns, console=self.console, transient=True, disable=not in_terminal
            ) as bar,
        ):
            task = bar.add_task("grading", total=total)
            for count, verdict in enumerate(self.run.grade(self._results(submissions)), start=1):
                raise_if_pressed()
                bar.advance(task)
                if not in_terminal:
                    points = points_text(verdict.points)
                    self._tell(f"{count}/{total} {verdict.student} {verdict.state} {points}")

    def _results(self, submissions: list[Submission]) -> Iterable[Graded]:
        if not submissions:
            return ()
        options, jobs = self.options, self.options.jobs or processors()
        tell = self._tell
        return grade_all(submissions, self.run.settings, jobs, options.scheduler, tell=tell)

    def _tell(self, sentence: str) -> None:
        self.console.print_paragraphs([sentence])

    def _say(self, sentences: Iterable[str]) -> None:
        """Print a group of sentences, on a terminal with a line free before it."""
        group = list(sentences)
        if group and self.console.is_terminal:
            self.console.print()
        self.console.print_paragraphs(group)

    def _write_changes(self) -> bool:
        """Show what changes for whom, and write it; return False if somebody says no."""
        changes = self.run.changes()
        if changes:
            self.console.print(changes_table(change.row() for change in changes))
        if self.run.proposed and not self._may_write(len(changes)):
            return False
        self.run.write_proposed()
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
        new = [*run.written, *run.failed]
        states = Counter(verdict.state for verdict in new)
        unreadable, missing = states["unreadable"], states["not_graded"]
        words = [f"{states['graded']} graded"]
        words += [f"{unreadable} unreadable"] if unreadable else []
        words += [f"{len(run.unchanged)} as they were"]
        words += [f"{missing} not graded: run again for them"] if missing else []
        yield f"{', '.join(words)}. Verdicts and table: {table.parent}/"
        if run.failed:
            yield "Of those that were graded before, the verdicts stay."
        if run.settings.sandbox == PRACTICE:
            why = f" ({self.why})" if self.why else ""
            yield f"No walls{why}: these verdicts are practice, and no gradebook takes them."


class _Rate(TextColumn):
    """Submissions a minute."""

    def __init__(self) -> None:
        super().__init__("")

    def render(self, task):
        return f"{(task.speed or 0) * 60:.0f} a minute"
