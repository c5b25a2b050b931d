"""One collecting run as a person starts it: progress, the table, what could not be placed."""

import argparse
from collections import Counter
from collections.abc import Iterator
from pathlib import Path

from rich.box import SIMPLE_HEAD
from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn
from rich.table import Table
from rich.text import Text

from autograder.assignment import Assignment
from autograder.intake.collect import Placed, Plan, place, plan
from autograder.intake.member import NoDownload
from autograder.intake.roster import RECEIVED, RosterError
from autograder.report import terminal
from autograder.status import FAILED, NOT_PLACED, OK, refuse

PLAIN_STEP = 50  # submissions, between two lines of progress
WORDS = {
    "new": "placed",
    "newer": "newer than before",
    "older": "older, kept aside",
    "unchanged": "unchanged",
}


def run_collecting(assignment: Assignment, options: argparse.Namespace) -> int:
    """Place what the downloads hold; return the exit status."""
    placed: list[Placed] = []
    failure = None
    try:
        made = plan(options.downloads, assignment, options.into, options.platform, options.roster)
    except (NoDownload, RosterError) as error:
        return refuse(str(error))
    console = terminal.console()
    try:
        for one in _shown(place(made, assignment, options.into, options.timezone), made, console):
            placed.append(one)
    except OSError as error:
        failure = error
    if placed:
        console.print(_table(assignment, placed))
    for sentence in (*made.not_placed, _summary(placed, made, options.into)):
        console.print(sentence, markup=False, soft_wrap=True)
    if failure is not None:
        what = f"`{failure.filename}`: {failure.strerror}" if failure.filename else str(failure)
        return refuse(
            f"{what}. What was placed before is kept; collect again for the rest.", FAILED
        )
    return NOT_PLACED if made.not_placed else OK


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
