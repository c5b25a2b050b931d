"""Plots as SVG that stands in a page: its colours are the page's, and its text stays text.

Each can be read without colours: what it shows is also written beside the mark.
"""

import io
import re
import warnings
from collections.abc import Sequence
from dataclasses import dataclass
from html import escape
from typing import Any

from matplotlib import rc_context
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from autograder.report.statistics import Estimate, Interval
from autograder.report.tables import Bin
from autograder.report.words import points
from autograder.text import printable

INK, SOFT, ACCENT, LINE = "#010203", "#020304", "#030405", "#040506"  # stand for the page's
COLOURS = {INK: "currentColor", SOFT: "var(--soft)", ACCENT: "var(--accent)", LINE: "var(--line)"}
WIDTH = 4.6  # inches: at 390 pixels the text is as large as around it
ROW = 0.42  # of height
TOP = 1.3  # where a line across the bars ends, in heights of the highest
LABEL = 0.17  # the height of a count above its bar, in the same
LONGEST_LINE = 44  # characters of a label and the text at its end
STYLE: dict[Any, Any] = {
    "font.size": 10,
    "svg.fonttype": "none",
    "text.parse_math": False,  # a dollar in a name begins no formula
    "text.color": INK,
    "axes.edgecolor": SOFT,
    "axes.labelcolor": INK,
    "xtick.color": SOFT,
    "xtick.labelcolor": INK,
    "axes.spines.top": False,
    "axes.spines.right": False,
    "axes.spines.left": False,
    "hatch.color": INK,
    "hatch.linewidth": 0.5,
}


@dataclass(frozen=True)
class Row:
    """One line of a plot: what it is of, the mark, and what is written at its end."""

    label: str
    text: str
    mark: Estimate | None = None
    quarters: Interval | None = None  # a thick line
    ends: Interval | None = None  # a thin line


def histogram(name: str, found: list[Bin], middle: Estimate | None, words: str) -> str:
    """Return how many students have how many points, with the median."""
    with rc_context(STYLE):
        figure = Figure(figsize=(WIDTH, 2.3))
        axes = figure.subplots()
        width = found[0].high - found[0].low if found else 1
        counts = [one.students for one in found]
        at = [one.low + width / 2 for one in found]
        axes.bar(at, counts, width=0.9 * width, color=ACCENT)
        for x, count in zip(at, counts, strict=True):
            if count:
                axes.text(x, count, str(count), ha="center", va="bottom", fontsize=7)
        highest = max(counts, default=1) or 1
        if middle:
            for low, high in _around_label(middle.value, found, highest):
                axes.plot([middle.value] * 2, [low, high], color=INK, linewidth=1.5, dashes=(4, 3))
            left = middle.value > 0.5 * (found[-1].high if found else 1)
            said = f"median {points(middle.value)} " if left else f" median {points(middle.value)}"
            axes.text(
                middle.value, TOP * highest, said, ha="right" if left else "left", va="center"
            )
        axes.set(ylim=(0, (TOP + 0.1) * highest), yticks=[], xlabel="points")
        return _svg(figure, name, words)


def _around_label(value: float, found: list[Bin], highest: int) -> list[tuple[float, float]]:
    """The parts of a line at this value that leave the count above its bar to be read."""
    here = [one.students for one in found if one.low <= value < one.high and one.students]
    bar = max(here, default=0)
    return [(0, bar), (bar + LABEL * highest, TOP * highest)] if bar else [(0, TOP * highest)]


def bars(name: str, rows: Sequence[tuple[str, float, str]], words: str) -> str:
    """Return a bar for each row: its label, its length, and what is written beside it."""
    with rc_context(STYLE):
        figure, axes = _rows(len(rows))
        longest = max((length for _, length, _ in rows), default=1) or 1
        for y, (label, length, text) in enumerate(rows):
            axes.barh(y + 0.18, length / longest, height=0.36, color=ACCENT)
            _label(axes, y, label, text)
        axes.set(xlim=(0, 1), xticks=[])
        axes.spines["bottom"].set_visible(False)
        return _svg(figure, name, words)


def intervals(name: str, rows: Sequence[Row], most: float, words: str, percent: bool) -> str:
    """Return a dot with its interval for each row, from 0 to `most`."""
    with rc_context(STYLE):
        figure, axes = _rows(len(rows))
        for y, row in enumerate(rows):
            at = y + 0.2
            axes.plot([0, most], [at, at], color=LINE, linewidth=0.5)
            if row.ends:
                axes.plot(row.ends, [at, at], color=ACCENT, linewidth=1)
            if row.quarters:
                axes.plot(row.quarters, [at, at], color=ACCENT, linewidth=5, solid_capstyle="butt")
            if row.mark:
                between = [row.mark.low, row.mark.high]
                if not row.quarters:
                    axes.plot(between, [at, at], color=ACCENT, linewidth=3)
                axes.plot([row.mark.value], [at], "o", color=INK, markersize=6)
            _label(axes, y, row.label, row.text)
        axes.set_xlim(-0.02 * most, 1.02 * most)
        if percent:
            ticks = [0, 0.25, 0.5, 0.75, 1]
            axes.set_xticks(ticks, [f"{100 * one:.0f}%" for one in ticks])
        else:
            axes.set_xlabel("points")
        return _svg(figure, name, words)


def _rows(count: int) -> tuple[Figure, Axes]:
    """Axes with a row for each label, the first one on top."""
    figure = Figure(figsize=(WIDTH, 0.5 + ROW * max(count, 1)))
    axes = figure.subplots()
    axes.set(ylim=(max(count, 1) - 0.3, -0.55), yticks=[])
    return figure, axes


def _label(axes: Axes, y: float, label: str, text: str) -> None:
    longest = max(12, LONGEST_LINE - len(text))
    shown = printable(label)
    shown = shown if len(shown) <= longest else f"{shown[: longest - 2].rstrip()} …"
    side = axes.get_yaxis_transform()
    axes.text(0, y - 0.08, shown, transform=side, ha="left", va="bottom")
    axes.text(1, y - 0.08, text, transform=side, ha="right", va="bottom")


def _svg(figure: Figure, name: str, words: str) -> str:
    """The figure for a page that holds several: with ids of its own and the page's colours."""
    file = io.StringIO()
    with warnings.catch_warnings():
        warnings.filterwarnings("ignore", "Glyph")  # the browser has others
        figure.savefig(
            file,
            format="svg",
            transparent=True,
            bbox_inches="tight",
            pad_inches=0.03,
            metadata={"Date": None, "Creator": None, "Format": None, "Type": None},
        )
    text = file.getvalue()
    text = text[text.index("<svg") :]
    text = re.sub(
        r"<metadata>.*?</metadata>|<style[^>]*>.*?</style>|<!--.*?-->", "", text, flags=re.S
    )
    text = re.sub(r'(\bid="|url\(#|href="#)', rf"\g<1>{name}-", text)
    text = re.sub(r"\bfont: ([\d.]+px) [^;\"]*", r"font-size: \1", text)
    text = re.sub(r"font-family: [^;\"]*;? ?", "", text)
    text = re.sub("|".join(COLOURS), lambda found: COLOURS[found.group()], text)
    box = re.search(r'viewBox="[^"]*"', text)
    assert box is not None
    head = f'<svg class="plot" role="img" aria-label="{escape(printable(words))}" {box.group()}>'
    return re.sub(r"\n\s*", "\n", head + text[text.index(">") + 1 :])
