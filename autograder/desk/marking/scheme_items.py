"""The lines of a marking scheme that give points, as items which a marker chooses."""

from dataclasses import dataclass
from itertools import groupby

from autograder.engine import Pattern, points_text

POINTS = r"([+-]?[0-9]{1,4}(?:[.,][0-9]{1,4})?)"
ROW = Pattern(rf"\s*\|\s*{POINTS}\s*\|\s*(.*?)\s*\|?\s*")
LINE = Pattern(rf"\s*[-*+]\s+{POINTS} points?:\s*(.*?)\s*")


@dataclass(frozen=True)
class SchemeItem:
    """Something that a scheme gives points for, or takes points off for."""

    points: float
    text: str  # Markdown


@dataclass(frozen=True)
class ItemScheme:
    """A marking scheme as items, and the rest of its text."""

    text: str
    items: list[SchemeItem]
    one_of: bool = False  # an answer gets one of the items, not their sum


def split_scheme(scheme: str, max_points: float) -> ItemScheme:
    """Split the text of a marking scheme into items and the text that is left.

    An item is a row of a table whose first cell is a number (`| 0.5 | the equation |`), or an entry
    of a list that begins with points (`- 1 point: the equation`); a number below zero takes points
    off. If there is no item, the items are the points from 0 to `max_points` in halves, and an
    answer gets one of them.
    """
    left, items = list[str](), list[SchemeItem]()
    for in_table, lines in groupby(scheme.splitlines(), lambda line: line.strip()[:1] == "|"):
        block = [(line, (ROW if in_table else LINE).fullmatch(line)) for line in lines]
        found = [SchemeItem(float(one[1].replace(",", ".")), one[2]) for _, one in block if one]
        others = [line for line, one in block if not one]
        items += found
        # of a table without other rows, its header and the line below that are left
        left += [] if in_table and found and len(others) <= 2 else others
    text = "\n".join(left).strip()
    return ItemScheme(text, items) if items else ItemScheme(text, _halves(max_points), one_of=True)


def _halves(max_points: float) -> list[SchemeItem]:
    halves = [number / 2 for number in range(int(2 * max_points) + 1)]
    points = halves if halves[-1] == max_points else [*halves, max_points]
    return [SchemeItem(one, f"{points_text(one)} of {points_text(max_points)}") for one in points]
