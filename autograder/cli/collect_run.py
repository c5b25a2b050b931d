"""Run `collect`: open the downloads, plan where each submission goes, place them, and print what
was done.
"""

from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import datetime, tzinfo
from pathlib import Path
from zoneinfo import ZoneInfo

from rich.box import SIMPLE_HEAD
from rich.table import Table

from autograder.cli.exit_status import FAILED, NOT_PLACED, OK, describe_os_error, refuse
from autograder.cli.progress import with_progress
from autograder.engine.course.assignment import Assignment, find_assignment
from autograder.engine.course.course import Course, find_course
from autograder.engine.course.which import cannot_tell, every
from autograder.files.locks import locked
from autograder.gradebook.late_files import template
from autograder.gradebook.late_policy import course_zone
from autograder.people.roster import NOT_PLACED_TABLE, RECEIVED
from autograder.platforms.collect.archive import open_download
from autograder.platforms.collect.not_placed import assignments_with_choices, plan_choices
from autograder.platforms.collect.place import place
from autograder.platforms.collect.plan import Plan, make_plan, told_by_names
from autograder.platforms.collect.times import Placement, TimeRules, describe_times
from autograder.platforms.git_fetch import fetch_all
from autograder.platforms.git_tables import addresses
from autograder.platforms.moodle import read_worksheet
from autograder.report import terminal
from autograder.text.times import in_zone, time_text, to_utc
from autograder.text.wording import plural

OUTCOMES = {
    "new": "placed",
    "newer": "newer than before",
    "older": "older, kept aside",
    "unchanged": "unchanged",
}


@dataclass(frozen=True)
class CollectRun:
    """One run of `collect`, with its options."""

    into: Path
    assignment: str | None
    platform: str | None
    roster: Path | None
    timezone: str
    worksheet: Path | None
    file_times: bool
    late_template: Path | None
    fetch: bool
    at: datetime | None
    course: Path | None

    def collect(self, downloads: tuple[Path, ...]) -> int:
        """Place the submissions that are in these downloads (paths of zips or folders; with
        `--fetch`, folders whose repositories are fetched first) and print what was done; return the
        exit status, also if a file cannot be written.

        Raises `CommandError` if an option, a download or the course cannot be used, or if another
        run is collecting.
        """
        try:
            course, times = find_course(self.course), self._times()
            named = find_assignment(self.assignment, course) if self.assignment else None
            failed = sum(map(_fetch, downloads)) if self.fetch else 0
            zone = ZoneInfo(self.timezone) if self.timezone else None
            at = in_zone(to_utc(self.at, zone), self._shown(course)) if self.at else None
            opened = [open_download(path, platform=self.platform, by=at) for path in downloads]
            found = named or told_by_names(opened, course)
            with self._locked():
                plan = make_plan(opened, found, self.into, self.platform, self.roster, times)
                return self._place(plan, found) or (NOT_PLACED if failed else OK)
        except OSError as error:
            return refuse(_not_written(error), FAILED)

    def resolve(self, table: Path) -> int:
        """Place received submissions as staff filled in in this table, a copy of `not-placed.csv`,
        and print what was done; return the exit status, also if a file cannot be written.

        Raises `CommandError` if the table, an option or the course cannot be used, or if another
        run is collecting.
        """
        try:
            times, found = self._times(), self._with_choices()
            with self._locked():
                plan = plan_choices(table, found, self.into, self.roster, times)
                return self._place(plan, found)
        except OSError as error:
            return refuse(_not_written(error), FAILED)

    def _times(self) -> TimeRules:
        """Return the rules by which the time of handing in is found, as the options give them.
        Raises `CommandError` if the worksheet cannot be used.
        """
        told = read_worksheet(self.worksheet) if self.worksheet else {}
        return TimeRules(self.timezone, self.file_times, told)

    def _shown(self, course: Course) -> tzinfo:
        """Return the time zone in which times are printed: that of `--timezone`, else the course's."""
        return ZoneInfo(self.timezone) if self.timezone else course_zone(course)

    @contextmanager
    def _locked(self) -> Iterator[None]:
        """Lock the submitted folder against other runs of `collect` within the block. It is not
        created: if it does not exist, the nearest folder above is locked. Raises `CommandError` if
        another run has the lock.
        """
        folders = self.into, *self.into.absolute().parents
        nearest = next(folder for folder in folders if folder.is_dir())
        words = f"Somebody else is collecting into `{self.into}`: collect again when that is done."
        with locked(nearest, words):
            yield

    def _with_choices(self) -> Assignment:
        """Return the assignment that `--assignment` names, else the only one with a table
        `not-placed.csv`. Raises `CourseError` if there is none or several.
        """
        course = find_course(self.course)
        if self.assignment:
            return find_assignment(self.assignment, course)
        known = {one.id: one for one in every(course)}
        found = assignments_with_choices(self.into, known)
        if len(found) == 1:
            return known[found[0]]
        where = self.into / RECEIVED
        several = f"There is a {NOT_PLACED_TABLE} of {' and of '.join(found)} in `{where}`"
        nothing = f"There is no {NOT_PLACED_TABLE} in `{where}/<assignment>/`"
        raise cannot_tell(several if found else nothing, found or list(known))

    def _place(self, plan: Plan, assignment: Assignment) -> int:
        """Place the submissions of the plan and print what was done; return the exit status."""
        placed: list[Placement] = []
        failure = None
        console, zone = terminal.console(), self._shown(assignment.course)
        try:
            work = place(plan, assignment, self.into)
            for one in with_progress(work, "placing", len(plan.to_place), console):
                placed += [one] if one else []
        except OSError as error:
            failure = error
        if placed:
            console.print(_table(assignment, placed, zone))
        told = [
            *describe_times(placed, zone),
            *self._write_template(placed, assignment),
            *plan.notes,
        ]
        told += self._listed(plan)
        console.print_paragraphs([*plan.not_placed, *told, self._summary(placed, plan)])
        if failure is not None:
            return refuse(_not_written(failure), FAILED)
        return NOT_PLACED if plan.not_placed else OK

    def _listed(self, plan: Plan) -> Iterator[str]:
        """Yield a sentence on which table lists what is not placed and how to place it; nothing if
        there is no table.
        """
        if plan.table is not None:
            yield (
                f"What has no place is listed in `{plan.table}`: fill in `student`, and "
                f"`python -m autograder collect --resolve {plan.table} --into {self.into}` places it."
            )

    def _write_template(self, placed: list[Placement], assignment: Assignment) -> Iterator[str]:
        """If `--late-template` was given, write a `late.csv` for staff to fill in, with the
        students whom the platform calls late without a time; yield a sentence on it. Without such
        students, nothing is written. Raises `OSError` if the file exists already or cannot be
        written.
        """
        path = self.late_template
        if path is None:
            return
        late = {one.student for one in placed if one.late_without_time}
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

    def _summary(self, placed: list[Placement], plan: Plan) -> str:
        """Return a sentence with the numbers of submissions placed and not placed."""
        counts = Counter(one.outcome for one in placed)
        words = [
            f"{counts[outcome]} {word}" for outcome, word in OUTCOMES.items() if counts[outcome]
        ]
        students = len({one.student for one in placed})
        not_placed = f"{len(plan.not_placed)} not placed" if plan.not_placed else "all placed"
        if plan.chosen_before:
            not_placed += f", {plan.chosen_before} as chosen before"
        if plan.set_aside:
            not_placed += f", {len(plan.set_aside)} listed no more"
        return (
            f"{plural(students, 'student')}: {', '.join(words) or 'nothing new'}; {not_placed}. "
            f"Submissions: {self.into}/, all that was received: {self.into / RECEIVED}/"
        )


def _fetch(folder: Path) -> int:
    """Clone or fetch the repositories that the tables in this folder name; print a sentence for
    each failure; return how many failed.

    Raises `CommandError` if git cannot be used, or if no table can be read or names a repository;
    `OSError` if the folder cannot be read.
    """
    there = addresses(folder)
    console = terminal.console()
    work = with_progress(fetch_all(folder, there), "fetching", len(there), console)
    failed = [sentence for sentence in work if sentence]
    console.print_paragraphs(failed)
    return len(failed)


def _not_written(error: OSError) -> str:
    """Return a message that a file could not be written."""
    return (
        f"{describe_os_error(error)}. What was placed before is kept; collect again for the rest."
    )


def _table(assignment: Assignment, placed: list[Placement], zone: tzinfo) -> Table:
    """Return a table for the terminal with a row for each placed submission: student, time of
    handing in, in this time zone, what was done.
    """
    table = Table(title=assignment.id, title_justify="left", box=SIMPLE_HEAD)
    table.add_column("student", no_wrap=True)
    table.add_column("handed in", no_wrap=True)
    table.add_column("")
    for one in sorted(placed, key=lambda one: one.student):
        when = time_text(one.told.when, zone) if one.told.when else "·"
        words = "; ".join(filter(None, (OUTCOMES[one.outcome], one.remark)))
        table.add_row(one.student, when, words)
    return table
