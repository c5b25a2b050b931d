"""`grade --watch`: what arrives is graded as it comes, until somebody stops it."""

from __future__ import annotations

import os
from collections import Counter
from collections.abc import Iterator
from pathlib import Path

from rich.progress import Progress, SpinnerColumn, TextColumn

from autograder.classroom.arrivals import Arrivals
from autograder.classroom.arriving_run import ArrivingRun
from autograder.classroom.dispatch import grade_arriving, processors
from autograder.classroom.find import refuse_invalid_ids
from autograder.classroom.pace import NowAndThen
from autograder.classroom.table import verdict_path, write_table
from autograder.classroom.watch import NotFinished, Watch
from autograder.cli.console_run import Options, practice_lines
from autograder.cli.exit_status import FAILED, NOT_GRADED, OK
from autograder.cli.interrupt import stop_requests
from autograder.engine.verdict import Summary, points_text, verdict_files
from autograder.people import RosterError, read_roster, roster_path
from autograder.report import terminal
from autograder.wording import name_some

KEEP_SECONDS = 10.0  # between two times at which gradebook and table are brought up to date
LINE_SECONDS = 30.0  # between two lines on who waits, where there is no terminal


class ConsoleWatch:
    """A class that is graded while it hands in, and what it shows to the person who started it."""

    def __init__(self, run: ArrivingRun, options: Options, why: str):
        self.run = run
        self.options = options
        self.why = why  # there are no walls
        self.console = terminal.console()
        assignment, results = run.settings.assignment, options.results
        folder = verdict_path(results, assignment, "").parent
        judged = {file.stem for file in verdict_files(folder)}
        self.arrivals = Arrivals(options.place, assignment, judged)
        self.watch = Watch(run, self.arrivals, self._tell_verdict, self._turn)
        self.keep = NowAndThen(self._keep, KEEP_SECONDS)
        self.line = NowAndThen(self._tell_line, LINE_SECONDS)
        self.told: set[str] = set()  # sentences
        self.last_line = ""
        self.verdicts_in_table = -1
        self.roster: tuple | None = None  # its state when it was last read
        self.states: dict[str, str] = {}  # by student

    def execute(self) -> int:
        """Grade what arrives until somebody stops it; return the exit status.

        Raises `NoScheduler`, `NoWorkers`, `NoWalls`, `OSError`.
        """
        run, options = self.run, self.options
        self._say(f"Watching {options.place}/ (Ctrl-C stops it).")
        jobs = options.jobs or processors()
        with stop_requests() as self.request, self._progress() as self.bar:
            self.task = self.bar.add_task("starting", total=None)
            self.watch.scan.do_if_due()  # what is there may settle while workers start
            try:
                for graded in grade_arriving(
                    self.watch, run.settings, jobs, options.scheduler, tell=self._say
                ):
                    self.watch.keep(graded)
            except NotFinished:
                pass
            finally:  # also after a second Ctrl-C: what is finished is entered
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
        self._say_once(self._refused())
        self._say_once(filter(None, [self.watch.trouble]))
        while self.arrivals.withdrawn:
            self._say(f"{self.arrivals.withdrawn.pop(0)} is gone, and was not graded.")
        self.keep.do_if_due()
        if not self.console.is_terminal and self.watch.words() != self.last_line:
            self.line.do_if_due()

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
        self._say_once(self.run.writer.finish())
        if len(self.run.written) != self.verdicts_in_table:
            self.verdicts_in_table = len(self.run.written)
            write_table(self.options.results, self.run.settings.assignment)

    def _read_roster(self) -> None:
        """Read the names of those who are new; where that fails, those that are known stay."""
        place, id = self.options.place, self.run.settings.assignment.id
        try:
            info = os.stat(roster_path(place, id))
            if self.roster != (info.st_ino, info.st_mtime_ns):
                self.run.writer.people = read_roster(place, id)
                self.roster = info.st_ino, info.st_mtime_ns
        except (OSError, RosterError):
            return

    def _refused(self) -> Iterator[str]:
        folders = {name: Path(name) for name in sorted(self.arrivals.invalid)}
        yield from refuse_invalid_ids(folders)[1]

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
        rules = self.run.writer.rules
        if rules and rules.policy.costs:
            yield "What being late costs is entered by `grade` without --watch."
        yield from practice_lines(self.run.settings, self.why)

    def _left(self) -> set[str]:
        """Those who have no verdict on what they have handed in, as far as it was seen."""
        not_graded = {who for who, state in self.states.items() if state == "not_graded"}
        not_graded |= {one.student for one in self.run.failed}
        unsettled = {
            who for who, one in self.arrivals.known.items() if one.file and not one.settled
        }
        return not_graded | unsettled | self.watch.grading | self.arrivals.waiting.keys()

    def _status(self) -> int:
        if self.run.writer.waiting or self.run.writer.refused:
            return FAILED
        return NOT_GRADED if self._left() or self.arrivals.invalid else OK

    def _say_once(self, sentences) -> None:
        for sentence in sentences:
            if sentence not in self.told:
                self.told.add(sentence)
                self._say(sentence)

    def _say(self, *sentences: str) -> None:
        self.console.print_paragraphs(sentences)
