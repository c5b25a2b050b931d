"""Print to the terminal; every command prints through this module only.

Printed text may quote a student, so it is never interpreted as markup or emoji, and control
characters are replaced (`autograder/text`).
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
    """A console that prints text literally; each `str` is one line.

    Styles and several lines need `rich.text.Text`, whose control characters are replaced, too.
    """

    def __init__(self, file: IO[str], width: int | None = None):
        super().__init__(file=file, width=width, markup=False, emoji=False, highlight=False)

    def print_paragraphs(self, sentences: Iterable[str]) -> None:
        """Print each sentence wrapped between words; in a single line if the output is no terminal."""
        for sentence in sentences:
            if not self.is_terminal:
                self.print(sentence, soft_wrap=True)
                continue
            room = max(self.width - len(INDENT), 1)
            lines = self.render_str(sentence).wrap(self, room)
            self.print(Text(f"\n{INDENT}").join(lines))

    def render_str(self, text: str, **options: Any) -> Text:
        """Return the text without control characters, before it is laid out."""
        plain = {"markup": False, "emoji": False, "highlight": False}
        return super().render_str(printable(text, LONGEST_LINE), **options | plain)

    def render(
        self, renderable: RenderableType, options: ConsoleOptions | None = None
    ) -> Iterable[Segment]:
        """Yield the segments of a renderable, with control characters replaced; all output passes
        through here.
        """
        for segment in super().render(renderable, options):
            if segment.control or (segment.text.isascii() and segment.text.isprintable()):
                yield segment
            else:
                yield Segment(printable_lines(segment.text), segment.style)


def console(plain_width: int = PLAIN_WIDTH) -> Terminal:
    """Return a console for stdout, as wide as the terminal, or `plain_width` columns if there is
    none.
    """
    return Terminal(_written_by_us(sys.stdout), None if sys.stdout.isatty() else plain_width)


def say(*sentences: str) -> None:
    """Print sentences to stdout, a paragraph each."""
    console().print_paragraphs(sentences)


def complain(*sentences: str) -> None:
    """Print sentences to stderr, a paragraph each."""
    Terminal(_written_by_us(sys.stderr)).print_paragraphs(sentences)


def say_progress(sentence: str) -> None:
    """Print progress to stderr, so that stdout has the result only."""
    complain(sentence)


def is_there_to_answer() -> bool:
    """Whether stdin and stdout are a terminal, so that a person can answer a question."""
    return all(stream is not None and stream.isatty() for stream in (sys.stdin, sys.stdout))


def ask(question: str) -> bool:
    """Print a yes-or-no question; return whether the answer is yes. No answer is no."""
    console().print(f"{question} [y/N]", end=" ", soft_wrap=True)
    return sys.stdin.readline().strip().lower() in ("y", "yes")


def _written_by_us(stream: Any) -> IO[str]:
    """Return the stream below rich's proxy and our `PrintableStream`, which would remove the
    console's colours.
    """
    stream = getattr(stream, "rich_proxied_file", stream)  # while a progress bar is shown
    return stream.stream if isinstance(stream, PrintableStream) else stream
