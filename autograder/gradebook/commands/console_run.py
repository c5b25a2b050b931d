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
    """The values of the options and arguments of `grade`."""

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
    feedback: bool = False
    repositories: Path | None = None


class ConsoleRun:
    """A class run of one assignment, with the output and the questions for the user who started it."""

    def __init__(
        self,
        run: ClassRun,
        gradebook: GradedClass | None,
        options: Options,
        why: str,
    ):
        """`gradebook`: whose verdicts are entered, None for no gradebook; `why`: why there is no sandbox, ""
        if there is one or the user wanted none.
        """
        self.run = run
        self.gradebook = gradebook
        self.options = options
        self.why = why  # there are no walls
        self.console = terminal.console(WIDTH)
        self.request = StopRequest()
        self.earlier = EarlierGrading(run, gradebook.may_count_earlier if gradebook else None)

    def execute(self, notebooks: dict[str, Path], refused: list[str]) -> int:
        """Grade these notebooks (paths by student), ask before points change, write the results and
        print them; return the exit status. After Ctrl-C, what is finished is still entered, and
        `KeyboardInterrupt` is raised.

        `refused`: sentences on folders that are no student's.
        """
        run = self.run
        try:
            self._grade(notebooks)
            declined = not self._accept_changes()
        finally:  # also after Ctrl-C: what is finished is entered
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
        """Print the table of the class and who is late, enter the late penalties and print what was
        entered; return a sentence for each failure of the gradebook. Enter no penalties if
        `--no-penalties` or `--changes show` was given, or if the user has `declined` the changes.
        """
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
        """Return the exit status: FAILED if there are `troubles` with the gradebook, else
        NOT_GRADED if a submission is not graded or a folder was refused, else OK.
        """
        missing = refused or any(one.state == "not_graded" for one in summaries)
        return worst([NOT_GRADED if missing else OK, FAILED if troubles else OK])

    def _grade(self, notebooks: dict[str, Path]) -> None:
        """Grade those of these notebooks whose verdict is not current, and show progress."""
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
        """Return a progress bar with these columns; it is not shown if there is no terminal."""
        is_shown = self.console.is_terminal
        return Progress(*columns, console=self.console, transient=True, disable=not is_shown)

    def _grade_items(
        self, items: Iterator[WorkItem | None], jobs: int, record: Callable[[Any, Outcome], None]
    ) -> None:
        """Run these items on a pool of workers, and `record` each outcome. A None in `items` means
        that nothing is to be done at the moment. `jobs`: how many workers on this machine.

        Raises `KeyboardInterrupt` if the user asked to stop, `SandboxError` if a worker has no
        sandbox, `NoWorkers` if there is no worker.
        """
        scheduler = self.options.scheduler
        with open_pool(self.run.settings, jobs, scheduler, self._tell) as pool:
            self.request.defer()  # until now, whatever Ctrl-C ends would be told as its fault
            for item, outcome in outcomes(pool, items, self._turn):
                record(item, outcome)

    def _record(self, item: WorkItem, outcome: Outcome) -> None:
        """Write the outcome of a work item as a verdict, or propose it; if there is no progress bar,
        print a line on it.
        """
        verdict = self.run.record(item, outcome)
        if verdict and not self.console.is_terminal:
            place = f"{self.run.count}/{self.bar.tasks[0].total:g}"
            points = points_text(verdict.points)
            self._tell(f"{place} {verdict.student} {verdict.state} {points}")

    def _turn(self) -> None:
        """Update the progress bar. Raises `KeyboardInterrupt` if the user asked to stop."""
        self.request.raise_if_asked()
        self.bar.update(self.task, completed=self.run.count)

    def _items(self, notebooks: dict[str, Path]) -> Iterator[WorkItem]:
        """Yield a work item for each of these notebooks whose verdict is not current, and update
        the progress bar.
        """
        for student, notebook in notebooks.items():
            yield from self.run.items({student: notebook})
            self._turn()

    def _tell(self, sentence: str) -> None:
        self.console.print_paragraphs([sentence])

    def _accept_changes(self) -> bool:
        """Print which points would change, and write the proposed verdicts. Return False, with
        nothing written, if the user declines or `--changes show` was given.
        """
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
        """Whether to write the proposed verdicts, of which `count` change points; the user is asked
        if the options do not say.
        """
        if self.options.changes == "show":
            return False
        if not count or self.options.changes == "write" or not terminal.is_there_to_answer():
            return True
        return terminal.ask(f"Write these {count} changes?")

    def _last_lines(self, table: Path, declined: bool) -> Iterator[str]:
        """Yield the sentences that end the output. `table`: the path of grades.csv; `declined`:
        whether the proposed verdicts are not to be written.
        """
        yield from last_lines(self.run, table, declined, self.why)
        if self.earlier.count:
            count = plural(self.earlier.count, "earlier submission")
            yield f"{count} graded as well, since another one than the newest may count."
        if self.earlier.failed:
            who = name_some(sorted(set(self.earlier.failed)))
            yield f"Of {who}, an earlier submission could not be graded: grade again."
