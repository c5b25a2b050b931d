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

from autograder.text.printable import LONGEST_LINE, PrintableStream, printable, printable_lines

INDENT = "  "  # of the further lines of a paragraph
PLAIN_WIDTH = 110  # columns, where nobody says how wide the terminal is


class Terminal(Console):
    """A console on which a text can do nothing but be read; each `str` is one line.

    Styles and several lines are for `rich.text.Text`, which is cleaned as well.
    """

    def __init__(self, file: IO[str], width: int | None = None):
        super().__init__(file=file, width=width, markup=False, emoji=False, highlight=False)

    def print_paragraphs(self, sentences: Iterable[str]) -> None:
        """Print each in lines that are broken between words; where there is no terminal, in one."""
        for sentence in sentences:
            if not self.is_terminal:
                self.print(sentence, soft_wrap=True)
                continue
            room = max(self.width - len(INDENT), 1)
            lines = self.render_str(sentence).wrap(self, room)
            self.print(Text(f"\n{INDENT}").join(lines))

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
    """Print a paragraph each."""
    console().print_paragraphs(sentences)


def complain(*sentences: str) -> None:
    """Print a paragraph each, to where errors go."""
    Terminal(_written_by_us(sys.stderr)).print_paragraphs(sentences)


def say_progress(sentence: str) -> None:
    """Print how far long work is, to where errors go: what is printed stays the result alone."""
    complain(sentence)


def is_there_to_answer() -> bool:
    """Whether somebody sits at a terminal, reads what is printed and can answer."""
    return all(stream is not None and stream.isatty() for stream in (sys.stdin, sys.stdout))


def ask(question: str) -> bool:
    """Ask whoever `is_there_to_answer`; return whether the answer is yes. No answer is no."""
    console().print(f"{question} [y/N]", end=" ", soft_wrap=True)
    return sys.stdin.readline().strip().lower() in ("y", "yes")


def _written_by_us(stream: Any) -> IO[str]:
    """The stream itself, where it is guarded: the console writes colours, which a guard would stop."""
    stream = getattr(stream, "rich_proxied_file", stream)  # while a progress bar is shown
    return stream.stream if isinstance(stream, PrintableStream) else stream
