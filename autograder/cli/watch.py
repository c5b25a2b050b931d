"""`grade --watch`: what arrives is graded as it comes, until somebody stops it."""

from __future__ import annotations

import os
from collections import Counter
from collections.abc import Iterator

from rich.progress import Progress, SpinnerColumn, TextColumn

from autograder.classroom.pace import NowAndThen
from autograder.classroom.pool import open_pool, outcomes, processors
from autograder.classroom.run import ClassRun
from autograder.classroom.table import write_table
from autograder.classroom.watch import NotFinished, Watch
from autograder.cli.console_run import Options, practice_lines
from autograder.cli.exit_status import FAILED, NOT_GRADED, OK
from autograder.cli.interrupt import stop_requests
from autograder.engine.verdict import Summary, points_text
from autograder.gradebook.enter import GradebookSync
from autograder.people import RosterError, read_roster, roster_path
from autograder.report import terminal
from autograder.wording import name_some

KEEP_SECONDS = 10.0  # between two times at which gradebook and table are brought up to date
LINE_SECONDS = 30.0  # between two lines on who waits, where there is no terminal


class ConsoleWatch:
    """A class that is graded while it hands in, and what it shows to the person who started it."""

    def __init__(self, run: ClassRun, gradebook: GradebookSync, options: Options, why: str):
        self.run = run
        self.gradebook = gradebook
        self.options = options
        self.why = why  # there are no walls
        self.console = terminal.console()
        self.watch = Watch(run, options.place)
        self.keep = NowAndThen(self._keep, KEEP_SECONDS)
        self.line = NowAndThen(self._tell_line, LINE_SECONDS)
        self.told: set[str] = set()  # sentences
        self.last_line = ""
        self.count_told = 0  # of the verdicts of this run
        self.count_kept = -1  # of those, in grades.csv
        self.roster: tuple | None = None  # its state when it was last read
        self.states: dict[str, str] = {}  # by student

    def execute(self) -> int:
        """Grade what arrives until somebody stops it; return the exit status.

        Raises `NoScheduler`, `NoWorkers`, `NoWalls`, `OSError`.
        """
        options = self.options
        self._say(f"Watching {options.place}/ (Ctrl-C stops it).")
        jobs = options.jobs or processors()
        with stop_requests() as self.request, self._progress() as self.bar:
            self.task = self.bar.add_task("starting", total=None)
            try:
                with open_pool(self.run.settings, jobs, options.scheduler, self._say) as pool:
                    for call, outcome in outcomes(pool, self.watch.calls(), self._turn):
                        self.watch.keep(call, outcome)
            except NotFinished:
                pass
            finally:  # also after a second Ctrl-C: what is finished is entered
                self._tell_verdicts()
                self.run.close()
                self._keep()
        self._say(*self._summary())
        return self._status()

    def _progress(self) -> Progress:
        return Progress(
            SpinnerColumn("line"),
            TextColumn("{task.description}", markup=False),
            console=self.console,
            transient=True,
            disable=not self.console.is_terminal,
        )

    def _turn(self) -> None:
        """Show how it stands, keep what is new, and see whether it should stop."""
        self.request.wait_for_it()
        if self.request.asked and self.watch.stop_at is None:
            self.watch.stop()
            count = len(self.watch.grading)
            if count:
                self._say(f"Stopping: {count} being graded. Ctrl-C again leaves them.")
        self.bar.update(self.task, description=self.watch.words())
        self._tell_verdicts()
        self._say_once([*self.watch.refused, *filter(None, [self.watch.trouble])])
        while self.watch.gone:
            self._say(f"{self.watch.gone.pop(0)} is gone, and was not graded.")
        self.keep.do_if_due()
        if not self.console.is_terminal and self.watch.words() != self.last_line:
            self.line.do_if_due()
        self.watch.check_time()

    def _tell_verdicts(self) -> None:
        new = self.run.written[self.count_told :]
        self.count_told += len(new)
        for verdict in new:
            self._tell_verdict(verdict)

    def _tell_verdict(self, verdict: Summary) -> None:
        self.states[verdict.student] = verdict.state
        points = points_text(verdict.points)
        words = f"{len(self.states)} {verdict.student} {verdict.state} {points}"
        self._say(f"{words}: {verdict.reason}" if verdict.reason else words)

    def _tell_line(self) -> None:
        self.last_line = self.watch.words()
        self._say(self.last_line)

    def _keep(self) -> None:
        """Bring gradebook and grades.csv up to date. Raises `OSError`."""
        self._read_roster()
        arrivals = self.watch.arrivals.items()
        self.gradebook.folders = {student: one.notebook.parent for student, one in arrivals}
        is_new = len(self.run.written) != self.count_kept
        self.count_kept = len(self.run.written)
        if is_new or self.gradebook.waiting:
            self._say_once(self.gradebook.enter())
        if is_new:
            write_table(self.options.results, self.run.settings.assignment)

    def _read_roster(self) -> None:
        """Read the names of those who are new; where that fails, those that are known stay."""
        place, id = self.options.place, self.run.settings.assignment.id
        try:
            info = os.stat(roster_path(place, id))
            if self.roster != (info.st_ino, info.st_mtime_ns):
                self.gradebook.people = read_roster(place, id)
                self.roster = info.st_ino, info.st_mtime_ns
        except (OSError, RosterError):
            return

    def _summary(self) -> Iterator[str]:
        states = Counter(self.states.values())
        words = [f"{states['graded']} graded"]
        words += [f"{count} unreadable"] if (count := states["unreadable"]) else []
        as_they_were = {one.student for one in self.run.unchanged} - self.states.keys()
        words += [f"{len(as_they_were)} as they were"]
        words += [f"{count} not graded"] if (count := states["not_graded"]) else []
        left = len(self._left())
        rest = f"the next start goes on with {left} more" if left else "nothing waits"
        folder = self.options.results / self.run.settings.assignment.id
        yield f"Stopped: {', '.join(words)}; {rest}. Verdicts and table: {folder}/"
        if self.watch.grading:
            names = name_some(sorted(self.watch.grading))
            yield f"Left for the next start while they were graded: {names}."
        rules = self.gradebook.rules
        if rules and rules.policy.costs:
            yield "What being late costs is entered by `grade` without --watch."
        yield from practice_lines(self.run.settings, self.why)

    def _left(self) -> set[str]:
        """Those who have no verdict on what they have handed in, as far as it was seen."""
        not_graded = {who for who, state in self.states.items() if state == "not_graded"}
        return not_graded | self.run.failed.keys() | self.watch.grading | self.watch.waiting.keys()

    def _status(self) -> int:
        if self.gradebook.waiting or self.gradebook.refused:
            return FAILED
        return NOT_GRADED if self._left() or self.watch.refused else OK

    def _say_once(self, sentences) -> None:
        for sentence in sentences:
            if sentence not in self.told:
                self.told.add(sentence)
                self._say(sentence)

    def _say(self, *sentences: str) -> None:
        self.console.print_paragraphs(sentences)
