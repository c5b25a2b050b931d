"""The one place from which a command speaks to whoever started it.

Whatever is printed here may quote a student: so nothing in it is taken for markup or emoji, and no
character reaches the terminal that it would obey (`autograder/text.py`).
"""

import sys
from collections.abc import Iterable
from typing import IO, Any

from rich.console import Console, ConsoleOptions, RenderableType
from rich.segment import Segment
from rich.text import Text

from autograder.text import LONGEST_LINE, PrintableStream, printable, printable_lines

PLAIN_WIDTH = 110  # columns, where nobody says how wide the terminal is


class Terminal(Console):
    """A console on which a text can do nothing but be read; each `str` is one line.

    Styles and several lines are for `rich.text.Text`, which is cleaned as well.
    """

    def __init__(self, file: IO[str], width: int | None = None):
        super().__init__(file=file, width=width, markup=False, emoji=False, highlight=False)

    def render_str(self, text: str, **options: Any) -> Text:
        """Return the text, printable, before anything is laid out around it."""
        plain = {"markup": False, "emoji": False, "highlight": False}
        return super().render_str(printable(text, LONGEST_LINE), **options | plain)

    def render(
        self, renderable: RenderableType, options: ConsoleOptions | None = None
    ) -> Iterable[Segment]:
        """Yield what is shown of anything. All that this console writes comes through here."""
        for segment in super().render(renderable, options):
            if segment.control or (segment.text.isascii() and segment.text.isprintable()):
                yield segment
            else:
                yield Segment(printable_lines(segment.text), segment.style)


def console(plain_width: int = PLAIN_WIDTH) -> Terminal:
    """As wide as the terminal, or as tables need where there is none."""
    return Terminal(_written_by_us(sys.stdout), None if sys.stdout.isatty() else plain_width)


def say(*sentences: str) -> None:
    """Print a line each."""
    _print(console(), sentences)


def complain(*sentences: str) -> None:
    """Print a line each, to where errors go."""
    _print(Terminal(_written_by_us(sys.stderr)), sentences)


def is_there_to_answer() -> bool:
    """Whether somebody sits at a terminal, reads what is printed and can answer."""
    return all(stream is not None and stream.isatty() for stream in (sys.stdin, sys.stdout))


def ask(question: str) -> bool:
    """Ask whoever `is_there_to_answer`; return whether the answer is yes. No answer is no."""
    console().print(f"{question} [y/N]", end=" ", soft_wrap=True)
    return sys.stdin.readline().strip().lower() in ("y", "yes")


def _print(console: Terminal, sentences: Iterable[str]) -> None:
    for sentence in sentences:
        console.print(sentence, soft_wrap=True)


def _written_by_us(stream: Any) -> IO[str]:
    """The stream itself, where it is guarded: the console writes colours, which a guard would stop."""
    stream = getattr(stream, "rich_proxied_file", stream)  # while a progress bar is shown
    return stream.stream if isinstance(stream, PrintableStream) else stream
