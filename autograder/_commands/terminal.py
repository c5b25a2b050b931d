"""Print to the terminal. Every command prints only through this module.

Printed text may quote a student, so it is never read as markup or emoji, and control characters
are replaced (`autograder/engine/texts`).
"""

import sys
from collections.abc import Iterable
from pathlib import Path
from typing import IO, Any

from rich.console import Console, ConsoleOptions, RenderableType
from rich.segment import Segment
from rich.text import Text

from autograder.engine import printable, texts

INDENT = "  "  # of the further lines of a paragraph
PLAIN_WIDTH = 110  # columns, if the width of the terminal is unknown


class Terminal(Console):
    """A console that prints text literally, with each `str` on a single line.

    For styles or several lines, print a `rich.text.Text`. Its control characters are replaced,
    too.
    """

    def __init__(self, file: IO[str], width: int | None = None):
        super().__init__(file=file, width=width, markup=False, emoji=False, highlight=False)

    def print_paragraphs(self, sentences: Iterable[str]) -> None:
        """Print sentences as paragraphs, wrapped between words on a terminal."""
        for sentence in sentences:
            if not self.is_terminal:
                self.print(sentence, soft_wrap=True)
                continue
            room = max(self.width - len(INDENT), 1)
            lines = self.render_str(sentence).wrap(self, room)
            self.print(Text(f"\n{INDENT}").join(lines))

    def render_str(self, text: str, **options: Any) -> Text:
        """Return the text as a single line, without control characters and without reading markup."""
        plain = {"markup": False, "emoji": False, "highlight": False}
        return super().render_str(printable(text, texts.LONGEST_LINE), **options | plain)

    def render(
        self, renderable: RenderableType, options: ConsoleOptions | None = None
    ) -> Iterable[Segment]:
        """Yield the segments of all output, with control characters replaced."""
        for segment in super().render(renderable, options):
            if segment.control or (segment.text.isascii() and segment.text.isprintable()):
                yield segment
            else:
                yield Segment(texts.printable_lines(segment.text), segment.style)


def console(plain_width: int = PLAIN_WIDTH) -> Terminal:
    """Return a console for stdout, `plain_width` columns wide without a terminal."""
    return Terminal(_written_by_us(sys.stdout), None if sys.stdout.isatty() else plain_width)


def say(*sentences: str) -> None:
    """Print sentences to stdout, each as a paragraph."""
    console().print_paragraphs(sentences)


def complain(*sentences: str) -> None:
    """Print sentences to stderr, each as a paragraph."""
    Terminal(_written_by_us(sys.stderr)).print_paragraphs(sentences)


def say_progress(sentence: str) -> None:
    """Print a sentence on progress to stderr, so that stdout has only the result."""
    complain(sentence)


def from_here(path: Path) -> Path:
    """Return a path as a person would type it: relative if it is in the current folder or below."""
    return path.relative_to(Path.cwd()) if path.is_relative_to(Path.cwd()) else path


def is_there_to_answer() -> bool:
    """Whether stdin and stdout are a terminal, so that a person can answer a question."""
    return all(stream is not None and stream.isatty() for stream in (sys.stdin, sys.stdout))


def ask(question: str) -> bool:
    """Print a yes-or-no question, and return whether the answer is yes. Any other answer means no."""
    console().print(f"{question} [y/N]", end=" ", soft_wrap=True)
    return sys.stdin.readline().strip().lower() in ("y", "yes")


def agreed(sentences: Iterable[str], question: str, yes: bool) -> bool:
    """Print the planned action, and return whether `--yes` or a person agrees."""
    say(*sentences)
    can_ask = is_there_to_answer()
    if yes or (can_ask and ask(question)):
        return True
    say("Nothing is done." if can_ask else "Nothing is done: add --yes.")
    return False


def _written_by_us(stream: Any) -> IO[str]:
    """Return the stream below the wrappers of rich and `PrintableStream`, which remove colours."""
    stream = getattr(stream, "rich_proxied_file", stream)  # while a progress bar is shown
    return stream.stream if isinstance(stream, texts.PrintableStream) else stream
