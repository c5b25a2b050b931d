"""Write what was found: a page that shows each pair side by side for staff, and `.look-alikes.json`
for other programs.
"""

import json
from bisect import bisect_left
from collections import defaultdict
from collections.abc import Container
from dataclasses import dataclass
from pathlib import Path

import msgspec

from autograder.classroom.blocks.html import load_templates
from autograder.desk.look_alikes.answers import Answer, Reader
from autograder.desk.look_alikes.compare import Comparison, LookAlike, percent
from autograder.desk.look_alikes.file import LookAlikes
from autograder.desk.look_alikes.shares import MARGIN
from autograder.engine import Assignment, files, printable

PAGE = "look-alikes.html"
MOST_SHOWN = 60  # pairs that are shown side by side; a table names all
MOST_LINES = 250  # of an answer that are shown
LONGEST = 300  # characters of a line

TEMPLATES = load_templates("autograder.desk.look_alikes")
TEMPLATES.filters["percent"] = percent

Lines = tuple[int, ...]  # from 0
Places = dict[str, list[Lines]]  # of each fingerprint: the lines of its words, wherever it is


@dataclass(frozen=True)
class Line:
    """One line of an answer. `number`: its own, from 1; `other`: the number of a line in the other
    answer that shares a rare passage with it, or None.
    """

    number: int  # from 1
    text: str
    other: int | None = None


@dataclass(frozen=True)
class Side:
    """One of two answers shown side by side; `hidden` is how many further lines are not shown."""

    lines: list[Line]
    hidden: int


def write_page(
    path: Path, assignment: Assignment, found: Comparison, reader: Reader, unreadable: list[str]
) -> None:
    """Write the HTML page on `found` to `path`, and replace an earlier one.

    `reader`: the one that read the answers. `unreadable`: students whose submissions could not be
    read.
    """

    def sides(one: LookAlike, exercise: str) -> tuple[Side, Side]:
        first, second = (writer.answers[exercise] for writer in one.writers)
        return side_by_side(reader, (first, second), found.weights[exercise])

    page = TEMPLATES.get_template("look_alikes.html.jinja").render(
        assignment=assignment.id,
        found=found,
        shown=found.found[:MOST_SHOWN],
        sides=sides,
        margin=MARGIN,
        unreadable=unreadable,
    )
    with files.replacing(path) as file:
        file.write(page)


def write_file(path: Path, assignment: Assignment, found: Comparison, page: str | None) -> None:
    """Write `found` to the JSON file at `path`, and replace an earlier one.

    `page`: the page's file name if it is in the same folder, else None.
    """
    pairs = [one.pair for one in found.found]
    kept = LookAlikes(assignment.id, found.identical, pairs, page)
    with files.replacing(path) as file:
        json.dump(msgspec.to_builtins(kept), file, indent=1)
        file.write("\n")


def side_by_side(
    reader: Reader, pair: tuple[Answer, Answer], rare: Container[str]
) -> tuple[Side, Side]:
    """Return the two answers of `pair` as lines to be shown side by side, at most MOST_LINES of
    each. Lines are matched where both answers have one of the fingerprints in `rare`.

    `reader`: the one that read the answers.
    """
    one, other = (_places(reader, answer, rare) for answer in pair)
    return _side(pair[0], one, other), _side(pair[1], other, one)


def _places(reader: Reader, answer: Answer, rare: Container[str]) -> Places:
    found: Places = defaultdict(list)
    for gram, lines in reader.places(answer):
        if gram in rare and lines[0] < MOST_LINES:
            found[gram].append(lines)
    return found


def _side(answer: Answer, here: Places, there: Places) -> Side:
    matched: dict[int, int] = {}  # lines, from 0
    for gram, places in here.items():
        for place in places if gram in there else ():
            for line, other in zip(place, _nearest(there[gram], place), strict=True):
                matched.setdefault(line, other + 1)
    lines = answer.text.split("\n")
    shown = [
        Line(number + 1, printable(text, LONGEST), matched.get(number))
        for number, text in enumerate(lines[:MOST_LINES])
    ]
    return Side(shown, max(0, len(lines) - MOST_LINES))


def _nearest(places: list[Lines], place: Lines) -> Lines:
    """Return the place whose first line is closest to that of `place`. A place is the lines of a
    passage's words, counted from 0; `places` are sorted.
    """
    index = bisect_left(places, place)
    return min(places[max(0, index - 1) : index + 1], key=lambda one: abs(one[0] - place[0]))
