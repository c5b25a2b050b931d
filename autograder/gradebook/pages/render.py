"""Render a student's text as HTML, in a process with limits, else show it as written."""

import contextlib
import os
import sys
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from html import escape
from typing import TypeVar

from markupsafe import Markup

from autograder.engine import limits, texts
from autograder.gradebook.pages.pictures import Pictures
from autograder.gradebook.pages.rendering import KINDS, import_all

TEXT_SECONDS = 2.0  # of the processor, for one text. Honest texts take hundredths
PAGE_SECONDS = 8.0  # for a page, which usually takes 0.2. Later texts are shown as written
MAX_TEXT = 100_000  # characters of a cell or an output. The longest honest texts have a tenth
MAX_PLAIN = 20_000  # characters of a text that is shown as it was written
MAX_PAGE = 60_000  # elements of a page: a browser takes a second for them
AS_WRITTEN = "This text is too long or too nested to be laid out. It is shown as it was written"

Page = TypeVar("Page")


@dataclass
class Budget:
    """Remaining time, elements and pixels of a page, and its pictures."""

    pictures: Pictures = field(default_factory=Pictures)
    seconds: float = PAGE_SECONDS
    elements: int = MAX_PAGE


def in_one_process(make: Callable[[], Page]) -> Page:
    """Call `make`, which renders a page, in a forked process with limits on time and memory.

    If that process exceeds a limit, call `make` in this process, where `render` starts a process
    with limits for each text. Raises `NoAnswer` if the forked process is killed or gets no time.
    """
    import_all()
    try:
        return limits.run_bounded(make, TEXT_SECONDS)
    except limits.OutOfBounds:
        return make()


def render(kind: str, text: str, budget: Budget, attachments: Mapping = {}) -> Markup:
    """Return a text as HTML, and reduce the page's budget by its cost.

    `kind`: `markdown`, `code`, `terminal` (printed output) or `picture` (base64). `attachments`:
    the cell's, by name. Beyond the limits, return `as_written`.
    """
    text, html, start = texts.without_halves(text), None, _seconds()
    pictures = replace(budget.pictures, attachments=attachments)
    if budget.seconds > 0 and (kind == "picture" or len(text) <= MAX_TEXT):
        import_all()
        with contextlib.suppress(limits.OutOfBounds, limits.NoAnswer):
            html, pixels_left = limits.run_bounded(
                lambda: (_made(kind, text, pictures, budget.elements), pictures.pixels_left),
                min(TEXT_SECONDS, budget.seconds),
            )
            budget.pictures = replace(budget.pictures, pixels_left=pixels_left)
    budget.seconds -= _seconds() - start
    if html is None:
        return as_written("" if kind == "picture" else text)
    budget.elements -= html.count("<")
    return Markup(html)


def _seconds() -> float:
    """Return the processor time of this process and its finished child processes."""
    return sum(os.times()[:4])


def _made(kind: str, text: str, pictures: Pictures, max_elements: int) -> str | None:
    """Return the text as HTML, None if it cannot be rendered or has too many elements."""
    try:
        html = KINDS[kind](text, pictures)
        return html if html.count("<") <= max_elements else None
    except (limits.OutOfBounds, MemoryError, RecursionError):
        pass
    except Exception as error:  # four libraries raise many kinds on unusual texts
        print(f"{kind}: {type(error).__name__}", file=sys.stderr)
    return None


def as_written(text: str) -> Markup:
    """Return the escaped text itself, shortened if it is long, after a sentence with the reason."""
    notice = f"{AS_WRITTEN}."
    if len(text) > MAX_PLAIN:
        notice = f"{AS_WRITTEN}: the first {MAX_PLAIN:,} of {len(text):,} characters."
    return Markup(f'<p class="not-shown">{notice}</p><pre>{escape(text[:MAX_PLAIN])}</pre>')
