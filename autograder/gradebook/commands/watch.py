"""`grade --watch`: grade submissions as they arrive, until the user stops it."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator
from contextlib import suppress
from dataclasses import replace
from importlib.metadata import entry_points
from pathlib import Path
from types import ModuleType
from typing import TYPE_CHECKING, Protocol

import click
from rich.progress import SpinnerColumn, TextColumn

from autograder._commands.exit_status import NOT_GRADED, OK, worst
from autograder._commands.interrupt import stop_requests
from autograder.classroom.groups import CourseGroups
from autograder.classroom.pool import WorkItem, processors
from autograder.classroom.roster import read_roster
from autograder.classroom.watch import NowAndThen, Watch
from autograder.classroom.worker import Outcome
from autograder.engine import AutograderError, files, name_some, plural, points_text, verdicts
from autograder.gradebook.commands.console_run import ConsoleRun, Options
from autograder.gradebook.table import write_table

if TYPE_CHECKING:
    from autograder.gradebook.sync.choices import GradedClass

PLUGINS = "autograder.feedback_on_arrival"  # entry points: a module with `check` and `begin`
KEEP_SECONDS = 10.0  # between two updates of gradebook and table
LINE_SECONDS = 30.0  # between two lines on the queue, without a terminal


def check_feedback(options: Options) -> None:
    """Raise `UsageError` or `AutograderError` for unsuitable options, or without repositories."""
    if (options.feedback and not options.watch) or (options.repositories and not options.feedback):
        raise click.UsageError(
            "--feedback is for --watch, and --repositories for --feedback: add it"
        )
    if options.feedback and (options.no_gradebook or options.sandbox == "off"):
        raise click.UsageError("--feedback needs walls, and the gradebook, which has due dates")
    if options.feedback:
        _feedback_on_arrival().check(options.repositories)


def giving_back(command: Callable) -> Callable:
    """Add `--feedback` and `--repositories` to a command. This is a decorator."""
    repositories = click.option(
        "--repositories",
        type=click.Path(path_type=Path, exists=True, file_okay=False),
        metavar="DIR",
        help="with --feedback: the folder whose tables name repositories, as for `collect --fetch`",
    )
    feedback = click.option(
        "--feedback",
        is_flag=True,
        help="with --watch: give back what checks say, and nothing that a person marked, through "
        "nbgrader's exchange or git, to each student at most four times an hour",
    )
    return feedback(repositories(command))


def _feedback_on_arrival() -> ModuleType:
    """Load the feedback plugin. Raises `AutograderError` if none is installed."""
    for point in entry_points(group=PLUGINS):
        with suppress(ModuleNotFoundError):  # its folder was deleted
            return point.load()
    raise AutograderError("--feedback needs autograder.desk, which is not here: watch without it.")


class Feedback(Protocol):
    """Sender of feedback to students while a class submits."""

    def send(self) -> None: ...


class ConsoleWatch(ConsoleRun):
    """A run of `grade` that grades submissions as they arrive, until the user stops it."""

    def _grade(self, notebooks: dict[str, Path]) -> None:
        self.watch = Watch(self.run, self.options.place, self._tell_once)
        self.returns = self._open_returns()
        self.enter_now = NowAndThen(self._enter, KEEP_SECONDS)
        self.line = NowAndThen(self._tell_line, LINE_SECONDS)
        self.told: set[str] = set()  # sentences
        self.last_line = ""
        self.count_told = 0  # of the verdicts of this run
        self.count_entered = -1
        self.is_waiting = False  # a verdict, for the gradebook
        self._tell(f"Watching {self.options.place}/ (Ctrl-C stops it).")
        words = TextColumn("{task.description}", markup=False)
        with (
            stop_requests() as self.request,
            self._progress(SpinnerColumn("line"), words) as self.bar,
        ):
            self.task = self.bar.add_task("starting", total=None)
            try:
                jobs = self.options.jobs or processors()
                self._grade_items(self.watch.items(), jobs, self._record_arrival)
            finally:  # also after a second Ctrl-C
                self._tell_verdicts()
                if self.gradebook:
                    self.gradebook = self._with_arrivals(self.gradebook)

    def _record_arrival(self, item: WorkItem, outcome: Outcome) -> None:
        if self.watch.record(item, outcome):
            self.bar.advance(self.task)

    def _turn(self) -> None:
        """Print new verdicts and the queue, and update the gradebook when it is due."""
        if self.request.asked and not self.watch.stopped:
            self.watch.stopped = True
            if count := len(self.watch.grading):
                self._tell(f"Stopping: {count} being graded. Ctrl-C again leaves them.")
        self._tell_verdicts()
        unfinished = len(self.watch.waiting) + len(self.watch.grading)
        self.bar.update(self.task, total=self.bar.tasks[0].completed + unfinished)
        self.bar.update(self.task, description=self._words())
        self.enter_now.do_if_due()
        if not self.console.is_terminal and self._words() != self.last_line:
            self.line.do_if_due()

    def _words(self) -> str:
        """Describe the queue: its length, and the estimated time."""
        waiting, grading = len(self.watch.waiting), len(self.watch.grading)
        if not waiting:
            return f"{grading} being graded, nobody waits" if grading else "nobody waits"
        seconds = self.bar.tasks[0].time_remaining
        about = "no estimate yet"
        if seconds is not None:
            about = f"about {plural(math.ceil(seconds / 60), 'minute')}"
        return f"{plural(waiting, 'submission waits', 'submissions wait')}: {about}"

    def _tell_verdicts(self) -> None:
        """Print a line for each verdict written since the last call."""
        summaries = self.run.written[self.count_told :]
        self.count_told += len(summaries)
        for summary in summaries:
            words = f"{summary.student} {summary.state} {points_text(summary.points)}"
            self._tell(f"{words}: {summary.reason}" if summary.reason else words)

    def _tell_line(self) -> None:
        self.last_line = self._words()
        self._tell(self.last_line)

    def _tell_once(self, sentence: str) -> None:
        if sentence not in self.told:
            self.told.add(sentence)
            self._tell(sentence)

    def _enter(self) -> None:
        """Enter new and waiting verdicts, write grades.csv, and send feedback."""
        is_new = len(self.run.written) != self.count_entered
        self.count_entered = len(self.run.written)
        if self.gradebook and (is_new or self.is_waiting):
            self.gradebook = self._with_arrivals(self.gradebook)
            entered = self._enter_verdicts(self.gradebook)
            self.is_waiting = bool(entered.waiting)
            for trouble in entered.troubles:
                self._tell_once(trouble)
        if is_new:
            write_table(self.options.results, self.run.settings.assignment)
        if self.returns:
            self.returns.send()

    def _open_returns(self) -> Feedback | None:
        """Return the sender of feedback, None without `--feedback`."""
        if not self.options.feedback:
            return None
        if not self.gradebook:
            raise AutograderError(
                "--feedback needs walls: what is graded without them is practice."
            )
        on_arrival = _feedback_on_arrival()
        return on_arrival.begin(self.watch, self.gradebook.course, self.options.repositories)

    def _with_arrivals(self, graded: GradedClass) -> GradedClass:
        """Return `graded` with the current roster and groups, and the folders of new submissions."""
        people = graded.people
        with suppress(files.TableError):  # keep the names of the last readable roster
            people = read_roster(self.options.place, graded.assignment.id)
            groups = CourseGroups(graded.course.root, self.options.place)
            groups.of(graded.assignment.id)
            graded.rules.groups = groups
        arrivals = self.watch.arrivals.items()
        folders = {student: arrival.notebook.parent for student, arrival in arrivals}
        return replace(graded, people=people, folders=folders)

    def _last_lines(self, table: Path, declined: bool) -> Iterator[str]:
        yield from super()._last_lines(table, declined)
        if students := self._left():
            yield f"The next start goes on with {len(students)} more: {name_some(sorted(students))}."

    def _left(self) -> set[str]:
        """Return students with a waiting submission, or one in progress."""
        return self.watch.grading | self.watch.waiting.keys()

    def _status(
        self, summaries: list[verdicts.Summary], refused: list[str], troubles: list[str]
    ) -> int:
        status = super()._status(summaries, [*refused, *self.watch.refused], troubles)
        return worst([status, NOT_GRADED if self._left() else OK])
