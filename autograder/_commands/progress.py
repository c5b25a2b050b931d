"""Show progress, as a bar on a terminal, else as a line after every STEP items."""

from collections.abc import Iterable, Iterator
from typing import TypeVar

from rich.progress import (
    BarColumn,
    MofNCompleteColumn,
    ProgressColumn,
    Task,
    TextColumn,
    TimeRemainingColumn,
    track,
)

from autograder._commands import terminal

STEP = 50  # between two lines of progress

Item = TypeVar("Item")


def with_progress(
    work: Iterable[Item], words: str, total: int, console: terminal.Terminal | None = None
) -> Iterator[Item]:
    """Yield the items of `work`, and show progress with a label (`words`)."""
    console = console or terminal.console()
    hidden = not console.is_terminal
    bar = track(work, words, total, console=console, transient=True, disable=hidden)
    for count, item in enumerate(bar, start=1):
        yield item
        if hidden and count % STEP == 0:
            console.print(f"{count}/{total}")


def columns_of_a_class(words: str) -> list[ProgressColumn]:
    """Return the columns of the progress bar of a class run: label, bar, count, rate, time left."""
    return [TextColumn(words), BarColumn(), MofNCompleteColumn(), _Rate(), TimeRemainingColumn()]


class _Rate(ProgressColumn):
    """A column with the rate, in submissions per minute."""

    def render(self, task: Task) -> str:
        return f"{(task.speed or 0) * 60:.0f} a minute"
