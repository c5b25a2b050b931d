"""A run of `grade` on the console: show progress, ask before points change, print the results."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from itertools import chain, islice
from pathlib import Path
from typing import TYPE_CHECKING, Any

from rich.progress import Progress, ProgressColumn

from autograder._commands import terminal
from autograder._commands.exit_status import FAILED, NOT_GRADED, OK, worst
from autograder._commands.interrupt import StopRequest, stop_requests
from autograder._commands.progress import columns_of_a_class
from autograder.classroom.earlier import EarlierGrading
from autograder.classroom.pool import WorkItem, open_pool, outcomes, processors
from autograder.classroom.run import ClassRun
from autograder.classroom.worker import Outcome
from autograder.engine import name_some, plural, points_text, verdicts
from autograder.gradebook.commands.class_table import changes_table
from autograder.gradebook.commands.penalties import (
    LateStudents,
    enter_class_penalties,
    late_students,
)
from autograder.gradebook.commands.run_summary import (
    WIDTH,
    last_lines,
    newest_summaries,
    say_group,
    show_class,
)
from autograder.gradebook.table import write_table

if TYPE_CHECKING:
    from autograder.gradebook.sync.choices import GradedClass
    from autograder.gradebook.sync.enter import Entered


@dataclass(frozen=True)
class Options:
    """Values of the options and arguments of `grade`."""

    place: Path
    assignment: str | None  # None: every assignment with submissions
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
    feedback: bool = False
    repositories: Path | None = None


class ConsoleRun:
    """A grading run of an assignment, with its output and its questions to the user."""

    def __init__(
        self,
        run: ClassRun,
        gradebook: GradedClass | None,
        options: Options,
        reason: str,
    ):
        """`gradebook`: class to enter verdicts for, None for no gradebook. `reason`: the reason
        for the missing sandbox, "" if there is a sandbox or the user switched it off.
        """
        self.run = run
        self.gradebook = gradebook
        self.options = options
        self.why = reason
        self.console = terminal.console(WIDTH)
        self.request = StopRequest()
        self.earlier = EarlierGrading(run, gradebook.may_count_earlier if gradebook else None)

    def execute(self, notebooks: dict[str, Path], refused: list[str]) -> int:
        """Grade these notebooks (paths by student) and return the exit status.

        Ask before points change, write the results and print them. After Ctrl-C, finished verdicts
        are still entered, and `KeyboardInterrupt` is raised. `refused`: sentences on folders that
        belong to no student.
        """
        run = self.run
        try:
            self._grade(notebooks)
            declined = not self._accept_changes()
        finally:  # also after Ctrl-C, so that finished verdicts are entered
            run.close()
            entered = self._enter_verdicts(self.gradebook) if self.gradebook else None
            table = write_table(self.options.results, run.settings.assignment)
        summaries = newest_summaries(run)
        troubles = self._show_results(summaries, refused, entered, declined)
        say_group(self.console, troubles)
        say_group(self.console, self._last_lines(table, declined))
        return self._status(summaries, refused, troubles)

    def _enter_verdicts(self, graded: GradedClass) -> Entered:
        from autograder.gradebook.sync.enter import enter_verdicts

        return enter_verdicts(graded, with_penalties=not self.options.no_penalties)

    def _show_results(
        self,
        summaries: list[verdicts.Summary],
        refused: list[str],
        entered: Entered | None,
        declined: bool,
    ) -> list[str]:
        """Print the table of the class, enter and print the penalties, and return failures."""
        if not self.gradebook or not entered:
            show_class(self.console, self.run, summaries, LateStudents())
            say_group(self.console, refused)
            return []
        from autograder.gradebook.sync.class_penalties import read_penalties

        penalties = read_penalties(self.gradebook, entered)
        late = late_students(self.gradebook, entered, penalties, self.options.place)
        show_class(self.console, self.run, summaries, late)
        say_group(self.console, refused)
        say_group(self.console, late.lines)
        is_wanted = not (self.options.no_penalties or declined or self.options.changes == "show")
        lines, failures = enter_class_penalties(self.gradebook, penalties, is_wanted)
        say_group(self.console, lines)
        return entered.troubles + failures

    def _status(
        self, summaries: list[verdicts.Summary], refused: list[str], troubles: list[str]
    ) -> int:
        missing = refused or any(summary.state == "not_graded" for summary in summaries)
        return worst([NOT_GRADED if missing else OK, FAILED if troubles else OK])

    def _grade(self, notebooks: dict[str, Path]) -> None:
        """Grade the notebooks without a current verdict, and show progress."""
        columns = columns_of_a_class("grading")
        with stop_requests() as self.request, self._progress(*columns) as self.bar:
            self.task = self.bar.add_task("grading", total=len(notebooks))
            items = self._items(notebooks)
            if first := list(islice(items, self.options.jobs or processors())):
                self._grade_items(chain(first, items), len(first), self._record)
            self._turn()
            items = self.earlier.items()
            if first := list(islice(items, self.options.jobs or processors())):
                self._grade_items(chain(first, items), len(first), self.earlier.record)

    def _progress(self, *columns: ProgressColumn) -> Progress:
        """Return a progress bar with these columns, disabled without a terminal."""
        is_shown = self.console.is_terminal
        return Progress(*columns, console=self.console, transient=True, disable=not is_shown)

    def _grade_items(
        self, items: Iterator[WorkItem | None], jobs: int, record: Callable[[Any, Outcome], None]
    ) -> None:
        """Run these items on a pool of workers, and `record` each outcome."""
        scheduler = self.options.scheduler
        with open_pool(self.run.settings, jobs, scheduler, self._tell) as pool:
            self.request.defer()  # before, a worker killed by Ctrl-C would be reported as broken
            for item, outcome in outcomes(pool, items, self._turn):
                record(item, outcome)

    def _record(self, item: WorkItem, outcome: Outcome) -> None:
        """Write or propose the outcome as a verdict, and print a line without a progress bar."""
        verdict = self.run.record(item, outcome)
        if verdict and not self.console.is_terminal:
            position = f"{self.run.count}/{self.bar.tasks[0].total:g}"
            points = points_text(verdict.points)
            self._tell(f"{position} {verdict.student} {verdict.state} {points}")

    def _turn(self) -> None:
        self.request.raise_if_asked()
        self.bar.update(self.task, completed=self.run.count)

    def _items(self, notebooks: dict[str, Path]) -> Iterator[WorkItem]:
        for student, notebook in notebooks.items():
            yield from self.run.items({student: notebook})
            self._turn()

    def _tell(self, sentence: str) -> None:
        self.console.print_paragraphs([sentence])

    def _accept_changes(self) -> bool:
        """Print the changed points and write the proposed verdicts, unless the user declines."""
        changes = [*self.run.changes, *self.earlier.changes]
        if changes:
            self.console.print(changes_table(changes))
        proposed = self.run.proposed or self.earlier.proposed
        if proposed and not self._may_write(len(changes)):
            return False
        self.run.accept()
        self.earlier.accept()
        return True

    def _may_write(self, count: int) -> bool:
        """Whether to write proposed verdicts that change `count` results. May ask the user."""
        if self.options.changes == "show":
            return False
        if not count or self.options.changes == "write" or not terminal.is_there_to_answer():
            return True
        return terminal.ask(f"Write these {count} changes?")

    def _last_lines(self, table: Path, declined: bool) -> Iterator[str]:
        """Yield the sentences that end the output. `table`: path of grades.csv."""
        yield from last_lines(self.run, table, declined, self.why)
        if self.earlier.count:
            count = plural(self.earlier.count, "earlier submission")
            yield f"{count} graded as well, since another one than the newest may count."
        if self.earlier.failed:
            students = name_some(sorted(set(self.earlier.failed)))
            yield f"Of {students}, an earlier submission could not be graded: grade again."
