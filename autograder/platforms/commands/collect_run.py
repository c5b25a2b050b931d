"""Run `collect`: open the downloads, record their facts, show the changes, and write them."""

from collections import Counter
from collections.abc import Iterator, Sequence
from contextlib import AbstractContextManager
from dataclasses import dataclass
from datetime import datetime, tzinfo
from pathlib import Path
from zoneinfo import ZoneInfo

from rich.box import SIMPLE_HEAD
from rich.table import Table

from autograder._commands import terminal
from autograder._commands.exit_status import FAILED, OK, UNMATCHED, describe_os_error, refuse
from autograder._commands.progress import with_progress
from autograder.classroom.late_files import template
from autograder.classroom.records import open_records
from autograder.classroom.unmatched import unmatched_path
from autograder.engine import (
    Assignment,
    AutograderError,
    Course,
    courses,
    find_assignment,
    find_course,
    name_some,
    plural,
    texts,
)
from autograder.gradebook.lateness.late_policy import course_zone
from autograder.platforms.collect.archive import open_download
from autograder.platforms.collect.receive import Run
from autograder.platforms.collect.run import (
    Outcome,
    about_times,
    alone_in,
    assignment_of,
    collecting,
    is_late_without_time,
    last_run,
    settle_run,
    undo,
    write,
    write_undone,
)
from autograder.platforms.collect.settle import Candidate
from autograder.platforms.collect.unmatched import record_choices
from autograder.platforms.git import BY_COMMIT, BY_TAG, addresses
from autograder.platforms.git_fetch import fetch_all
from autograder.platforms.moodle_worksheet import read_worksheet

OUTCOMES = {
    "new": "placed",
    "newer": "newer than before",
    "older": "older, kept aside",
    "unchanged": "unchanged",
}
QUESTION = "Write this?"
# students can set these times
CLOCKS = {BY_COMMIT: "time of the commit", BY_TAG: "time of the tag"}


@dataclass(frozen=True)
class CollectRun:
    """A run of `collect`, with its options."""

    into: Path
    assignment: str | None
    platform: str | None
    roster: Path | None
    timezone: str
    worksheet: Path | None
    file_times: bool
    drafts: bool
    late_template: Path | None
    fetch: bool
    at: datetime | None
    course: Path | None
    dry_run: bool
    yes: bool

    def collect(self, downloads: tuple[Path, ...]) -> int:
        """Record the submissions in these downloads, write the notebooks to grade, and print the
        result. Return the exit status, also if a file cannot be written. `downloads`: paths of zips
        or folders. With `--fetch`, their repositories are fetched first.

        Raises `AutograderError` if an option, a download or the course cannot be used, or if
        another run is collecting.
        """
        try:
            course = find_course(self.course)
            named_assignment = find_assignment(self.assignment, course) if self.assignment else None
            worksheet = read_worksheet(self.worksheet) if self.worksheet else None
            failed = sum(map(_fetch, downloads)) if self.fetch else 0
            zone = ZoneInfo(self.timezone) if self.timezone else None
            at = (
                texts.in_zone(texts.to_utc(self.at, zone), self._shown(course)) if self.at else None
            )
            opened = [open_download(path, platform=self.platform, by=at) for path in downloads]
            assignment = named_assignment or assignment_of(opened, course)
            with self._collecting(assignment) as run:
                if self.roster:
                    run.record_roster(self.roster)
                submissions = [*run.sort(opened, self.platform)]
                self._confirm_platforms(
                    [submission.person.platform for _, submission in submissions]
                )
                if worksheet:
                    run.record_worksheet(worksheet, [submission for _, submission in submissions])
                work = with_progress(submissions, "reading", len(submissions))
                for download, submission in work:
                    run.receive(download, submission)
                return self._finish(run) or (UNMATCHED if failed else OK)
        except OSError as error:
            return refuse(_not_written(error), FAILED)

    def resolve(self, table: Path) -> int:
        """Record the choices of staff in a copy of the table of unmatched submissions, and print
        the result. Return the exit status, also if a file cannot be written.

        Raises `AutograderError` if the table, an option or the course cannot be used, or if another
        run is collecting.
        """
        try:
            assignment = self._with_unmatched()
            with self._collecting(assignment) as run:
                if self.roster:
                    run.record_roster(self.roster)
                if self.worksheet:
                    run.record_worksheet(read_worksheet(self.worksheet))
                troubles, existing = record_choices(run, table)
                if existing:
                    message = (
                        f"A submission with a known time is there already: {name_some(existing)}"
                    )
                    self._confirm(message, "leave these rows empty")
                return self._finish(run, troubles)
        except OSError as error:
            return refuse(_not_written(error), FAILED)

    def undo(self) -> int:
        """Undo the last run of `collect`, and print the changes. Return the exit status.

        Raises `AutograderError` if nothing was collected, or if a mark by hand depends on the run.
        """
        assignment = self._with_runs()
        with alone_in(self.into), open_records(self.into, write=not self.dry_run) as records:
            run, settled, hashes = undo(records, assignment, self.into)
            changed = {
                student for settled_assignment in settled for student in settled_assignment.changed
            }
            description = f"The run of {run.at:%Y-%m-%d %H:%M} UTC by {run.by}: `{run.command}`."
            students = name_some(sorted(changed)) or "nobody"
            terminal.say(
                description, f"Its facts and files go. What is graded changes for {students}."
            )
            if self.dry_run or not self._agreed("Take it back?"):
                records.rollback()
                terminal.say("Nothing was changed.")
                return OK
            write_undone(records, self.into, settled, hashes)
        return OK

    def _agreed(self, question: str) -> bool:
        """Whether to go on: always in a script or with `--yes`, otherwise if the user agrees."""
        return self.yes or not terminal.is_there_to_answer() or terminal.ask(question)

    def _confirm_platforms(self, platforms: list[str]) -> None:
        """Ask whether downloads of several platforms belong together."""
        names = sorted({*platforms} - {""})
        if len(names) > 1:
            message = f"The downloads are from {' and '.join(names)}"
            self._confirm(message, "collect them one after the other")

    def _confirm(self, message: str, alternative: str) -> None:
        """Ask for confirmation of `message`. Raises `AutograderError` with the `alternative` if
        denied.
        """
        if self.yes or (
            terminal.is_there_to_answer() and terminal.ask(f"{message}. Is that meant?")
        ):
            return
        raise AutograderError(f"{message}: {alternative}, or add --yes.")

    def _shown(self, course: Course) -> tzinfo:
        """Return the time zone of printed times: of `--timezone`, or otherwise the course's."""
        return ZoneInfo(self.timezone) if self.timezone else course_zone(course)

    def _collecting(self, assignment: Assignment) -> AbstractContextManager[Run]:
        return collecting(
            assignment, self.into, self.dry_run,
            zone=self.timezone, file_times=self.file_times, drafts=self.drafts,
        )  # fmt: skip

    def _with_unmatched(self) -> Assignment:
        """Return the named assignment, or the only assignment with a table of unmatched
        submissions.
        """
        course = find_course(self.course)
        if self.assignment:
            return find_assignment(self.assignment, course)
        assignments = {assignment.id: assignment for assignment in courses.every(course)}
        ids = [id for id in assignments if unmatched_path(self.into, id).is_file()]
        if len(ids) == 1:
            return assignments[ids[0]]
        folder = self.into.absolute().parent
        ambiguity = (
            f"There are tables of unmatched submissions of {' and of '.join(ids)} in `{folder}`"
        )
        absence = f"There is no table `unmatched-<assignment>.csv` in `{folder}`"
        raise courses.cannot_tell(ambiguity if ids else absence, ids or list(assignments))

    def _with_runs(self) -> Assignment:
        """Return the named assignment, or otherwise the last collected assignment."""
        course = find_course(self.course)
        if self.assignment:
            return find_assignment(self.assignment, course)
        with open_records(self.into) as records:
            run = last_run(records)
        if run is None:
            raise AutograderError(f"Nothing was collected into `{self.into}` that could be undone.")
        return find_assignment(run.assignment, course)

    def _finish(self, run: Run, troubles: Sequence[str] = ()) -> int:
        """Print the changes, and write them unless it is a dry run or the user declines."""
        outcome = settle_run(run)
        console, zone = terminal.console(), self._shown(run.assignment.course)
        if outcome.results:
            console.print(_table(run.assignment, outcome.results, zone))
        unmatched = [*troubles, *outcome.unmatched]
        lines = [*unmatched, *about_times(run.assignment.course, outcome, zone), *outcome.notes]
        summary = self._summary(outcome, len(unmatched))
        console.print_paragraphs([*lines, summary])
        status = UNMATCHED if unmatched else OK
        if self.dry_run:
            terminal.say("Nothing was written: this is what `collect` would do.")
            return status
        if not self._agreed(QUESTION):
            run.records.rollback()
            terminal.say("Nothing was changed.")
            return OK
        notes, blocked, table = write(run, outcome)
        status = UNMATCHED if blocked else status
        notes += blocked
        notes += self._write_template(outcome, run.assignment)
        if table is not None:
            path = terminal.from_here(table)
            notes.append(
                f"What is unmatched is listed in `{path}`: fill in `student`, and `python -m "
                f"autograder collect --resolve {path} --assignment {run.assignment.id} --into "
                f"{self.into}` places it."
            )
        console.print_paragraphs(notes)
        return status

    def _write_template(self, outcome: Outcome, assignment: Assignment) -> Iterator[str]:
        """With `--late-template`, write a `late.csv` with the students marked late without a time,
        for staff to fill in. Yield a sentence on it. Raises `OSError` if the file already exists.
        """
        path = self.late_template
        if path is None:
            return
        late = {result.owner for result in outcome.results if is_late_without_time(result)}
        if not late:
            yield f"`{path}` is not written: nobody is late without a time."
            return
        path.parent.mkdir(parents=True, exist_ok=True)
        with path.open("x", encoding="utf-8", newline="") as file:
            file.write(template(sorted(late), assignment.id))
        yield (
            f"`{path}` has {plural(len(late), 'student')}: fill in the times, like 2026-11-30 18:00+01:00, "
            "and keep it as late.csv beside nbgrader_config.py."
        )

    def _summary(self, outcome: Outcome, unmatched: int) -> str:
        counts = Counter(result.outcome for result in outcome.results)
        words = [
            f"{counts[outcome]} {word}" for outcome, word in OUTCOMES.items() if counts[outcome]
        ]
        students = len({result.owner for result in outcome.results})
        unmatched_text = f"{unmatched} unmatched" if unmatched else "none unmatched"
        if outcome.listed > unmatched:
            unmatched_text += f", {outcome.listed - unmatched} from earlier runs"
        return (
            f"{plural(students, 'student')}: {', '.join(words) or 'nothing new'}; {unmatched_text}. "
            f"Submissions: {self.into}/"
        )


def _fetch(folder: Path) -> int:
    """Clone or fetch the repositories in the tables of this folder. Print a sentence for each
    failure, and return the number of failures.

    Raises `AutograderError` if git cannot be used, or if no table has a repository. Raises
    `OSError` if the folder cannot be read.
    """
    repositories = addresses(folder)
    console = terminal.console()
    work = with_progress(fetch_all(folder, repositories), "fetching", len(repositories), console)
    failures = [sentence for sentence in work if sentence]
    console.print_paragraphs(failures)
    return len(failures)


def _not_written(error: OSError) -> str:
    return (
        f"{describe_os_error(error)}. What was written before is kept; collect again for the rest."
    )


def _table(assignment: Assignment, results: list[Candidate], zone: tzinfo) -> Table:
    """Return a table for the terminal: student, time of submission and outcome."""
    table = Table(title=assignment.id, title_justify="left", box=SIMPLE_HEAD)
    table.add_column("student", no_wrap=True)
    table.add_column("submitted", no_wrap=True)
    table.add_column("")
    for result in results:
        time = texts.time_text(result.time.when, zone) if result.time.when else "·"
        sender = f"sent by {result.sender}" if result.sender else ""
        late = "late" if result.is_late else ""
        words = [
            OUTCOMES[result.outcome],
            sender,
            result.remark,
            late,
            CLOCKS.get(result.time.source, ""),
        ]
        table.add_row(result.owner, time, "; ".join(filter(None, words)))
    return table
