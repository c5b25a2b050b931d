"""One collecting run as a person starts it: progress, the table, what could not be placed."""

import argparse
from collections import Counter
from collections.abc import Iterator
from datetime import tzinfo
from pathlib import Path

from rich.box import SIMPLE_HEAD
from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn
from rich.table import Table
from rich.text import Text

from autograder.files import Busy, locked
from autograder.engine.assignment import Assignment
from autograder.collect.plan import Placed, Plan, place, plan
from autograder.platforms.download import NoDownload
from autograder.people import RECEIVED, RosterError
from autograder.report import terminal
from autograder.cli.exit_status import FAILED, NOT_PLACED, OK, refuse

PLAIN_STEP = 50  # submissions, between two lines of progress
WORDS = {
    "new": "placed",
    "newer": "newer than before",
    "older": "older, kept aside",
    "unchanged": "unchanged",
}


def run_collecting(assignment: Assignment, options: argparse.Namespace) -> int:
    """Place what the downloads hold; return the exit status."""
    into = options.into
    sentence = f"Somebody else is collecting into `{into}`: collect again when that is done."
    try:
        with locked(_nearest_folder(into), sentence):  # what is refused leaves nothing behind
            made = plan(options.downloads, assignment, into, options.platform, options.roster)
            return _place(made, assignment, into, options.timezone)
    except (NoDownload, RosterError, Busy) as error:
        return refuse(str(error))
    except OSError as error:
        return refuse(_not_written(error), FAILED)


def _place(made: Plan, assignment: Assignment, into: Path, zone: tzinfo | None) -> int:
    """Place what is ready, and show it; return the exit status."""
    placed: list[Placed] = []
    failure = None
    console = terminal.console()
    try:
        for one in _shown(place(made, assignment, into, zone), made, console):
            placed.append(one)
    except OSError as error:
        failure = error
    if placed:
        console.print(_table(assignment, placed))
    for sentence in (*made.not_placed, _summary(placed, made, into)):
        console.print(sentence, markup=False, soft_wrap=True)
    if failure is not None:
        return refuse(_not_written(failure), FAILED)
    return NOT_PLACED if made.not_placed else OK


def _nearest_folder(place: Path) -> Path:
    """The place, if it is there, or the first folder above it that is."""
    return next(path for path in (place, *place.absolute().parents) if path.is_dir())


def _not_written(error: OSError) -> str:
    what = f"`{error.filename}`: {error.strerror}" if error.filename else str(error)
    return f"{what}. What was placed before is kept; collect again for the rest."


def _shown(work: Iterator[Placed | None], made: Plan, console: Console) -> Iterator[Placed]:
    """Pass on what was placed, and show how far it is."""
    columns = TextColumn("placing"), BarColumn(), MofNCompleteColumn()
    total = len(made.ready)
    lively = console.is_terminal
    with Progress(*columns, console=console, transient=True, disable=not lively) as progress:
        task = progress.add_task("placing", total=total)
        for count, one in enumerate(work, start=1):
            progress.advance(task)
            if not lively and count % PLAIN_STEP == 0:
                print(f"{count}/{total}", flush=True)
            if one is not None:
                yield one


def _table(assignment: Assignment, placed: list[Placed]) -> Table:
    """A row a student: when the submission that counts was handed in, and what is new about it."""
    table = Table(title=assignment.id, title_justify="left", box=SIMPLE_HEAD)
    table.add_column("student", no_wrap=True)
    table.add_column("handed in (UTC)", no_wrap=True)
    table.add_column("")
    for one in sorted(placed, key=lambda one: one.student):
        when = (one.submitted_at or "·").removesuffix(" UTC")
        words = "; ".join(filter(None, (WORDS[one.outcome], one.remark)))
        table.add_row(one.student, when, Text(words))
    return table


def _summary(placed: list[Placed], made: Plan, into: Path) -> str:
    counts = Counter(one.outcome for one in placed)
    words = [f"{counts[outcome]} {word}" for outcome, word in WORDS.items() if counts[outcome]]
    students = len({one.student for one in placed})
    several = "" if students == 1 else "s"
    not_placed = f"{len(made.not_placed)} not placed" if made.not_placed else "all placed"
    return (
        f"{students} student{several}: {', '.join(words) or 'nothing new'}; {not_placed}. "
        f"Submissions: {into}/, all that was received: {into / RECEIVED}/"
    )
