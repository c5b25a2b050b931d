"""How far long work is: a bar on a terminal, a line now and then elsewhere."""

from collections.abc import Iterable, Iterator
from typing import TypeVar

from autograder.report import terminal

STEP = 50  # between two lines of progress

Item = TypeVar("Item")


def with_progress(
    work: Iterable[Item], words: str, total: int, console: terminal.Terminal | None = None
) -> Iterator[Item]:
    """Yield what is worked on, and show how many of `total` are done."""
    from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn  # not for --help

    console = console or terminal.console()
    columns = TextColumn(words), BarColumn(), MofNCompleteColumn()
    with Progress(
        *columns, console=console, transient=True, disable=not console.is_terminal
    ) as progress:
        task = progress.add_task(words, total=total)
        for count, one in enumerate(work, start=1):
            yield one
            progress.advance(task)
            if not console.is_terminal and count % STEP == 0:
                console.print(f"{count}/{total}")
