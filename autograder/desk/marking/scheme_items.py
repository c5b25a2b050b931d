"""Split a marking scheme into items, the lines that give points, for a marker to choose from."""

from dataclasses import dataclass
from itertools import groupby

from autograder.engine import Pattern, points_text

POINTS = r"([+-]?[0-9]{1,4}(?:[.,][0-9]{1,4})?)"
ROW = Pattern(rf"\s*\|\s*{POINTS}\s*\|\s*(.*?)\s*\|?\s*")
LINE = Pattern(rf"\s*[-*+]\s+{POINTS} points?:\s*(.*?)\s*")


@dataclass(frozen=True)
class SchemeItem:
    """A line of a scheme that gives or takes points."""

    points: float
    text: str  # Markdown


@dataclass(frozen=True)
class ItemScheme:
    """A marking scheme as items, and the remaining text."""

    text: str
    items: list[SchemeItem]
    one_of: bool = False  # an answer gets a single item, not a sum of items


def split_scheme(scheme: str, max_points: float) -> ItemScheme:
    """Split the text of a marking scheme into items and remaining text.

    An item is a table row that begins with a number (`| 0.5 | the equation |`), or a list entry
    that begins with points (`- 1 point: the equation`). Negative numbers take points off. Without
    any item, the items are the points from 0 to `max_points` in halves, as alternatives.
    """
    remaining, items = list[str](), list[SchemeItem]()
    for in_table, lines in groupby(scheme.splitlines(), lambda line: line.strip()[:1] == "|"):
        block = [(line, (ROW if in_table else LINE).fullmatch(line)) for line in lines]
        block_items = [
            SchemeItem(float(match[1].replace(",", ".")), match[2]) for _, match in block if match
        ]
        other_lines = [line for line, match in block if not match]
        items += block_items
        # a table of items alone leaves only its header and the line below, which are dropped
        remaining += [] if in_table and block_items and len(other_lines) <= 2 else other_lines
    text = "\n".join(remaining).strip()
    return ItemScheme(text, items) if items else ItemScheme(text, _halves(max_points), one_of=True)


def _halves(max_points: float) -> list[SchemeItem]:
    halves = [number / 2 for number in range(int(2 * max_points) + 1)]
    points = halves if halves[-1] == max_points else [*halves, max_points]
    return [
        SchemeItem(mark, f"{points_text(mark)} of {points_text(max_points)}") for mark in points
    ]
