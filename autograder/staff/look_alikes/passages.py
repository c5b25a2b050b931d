"""Two answers side by side, line by line, with the passages that both have."""

from bisect import bisect_left
from collections import defaultdict
from collections.abc import Mapping
from dataclasses import dataclass

from autograder.staff.look_alikes.answers import Answer, Lines, Reader
from autograder.text.printable import printable

MOST_LINES = 250  # of an answer that are shown
LONGEST = 300  # characters of a line


@dataclass(frozen=True)
class Line:
    """One line of an answer; `other` is the number of a line on the other side that says the same."""

    number: int  # from 1
    text: str
    other: int | None = None


@dataclass(frozen=True)
class Side:
    """One answer as it is shown; `hidden` lines more are not."""

    lines: list[Line]
    hidden: int


def side_by_side(
    reader: Reader, pair: tuple[Answer, Answer], weights: Mapping[str, float]
) -> tuple[Side, Side]:
    """Return both answers, with what they share marked: fingerprints that have a weight."""
    one, other = (_places(reader, answer, weights) for answer in pair)
    return _side(pair[0], one, other), _side(pair[1], other, one)


Places = dict[str, list[Lines]]  # of each fingerprint: the lines of its words, wherever it is


def _places(reader: Reader, answer: Answer, weights: Mapping[str, float]) -> Places:
    found: Places = defaultdict(list)
    for gram, lines in reader.grams_by_line(answer):
        if weights.get(gram) and lines[0] < MOST_LINES:
            found[gram].append(lines)
    return found


def _side(answer: Answer, here: Places, there: Places) -> Side:
    matched: dict[int, int] = {}  # lines, from 0
    for gram, places in here.items():
        for place in places if gram in there else ():
            for line, other in zip(place, _nearest(there[gram], place), strict=True):
                matched.setdefault(line, other)
    lines = answer.text.split("\n")
    shown = [
        Line(
            number,
            printable(text, LONGEST),
            matched[number - 1] + 1 if number - 1 in matched else None,
        )
        for number, text in enumerate(lines[:MOST_LINES], start=1)
    ]
    return Side(shown, max(0, len(lines) - MOST_LINES))


def _nearest(places: list[Lines], place: Lines) -> Lines:
    """The place with the closest lines, of places in their order: a text may repeat itself endlessly."""
    index = bisect_left(places, place)
    return min(places[max(0, index - 1) : index + 1], key=lambda one: abs(one[0] - place[0]))
