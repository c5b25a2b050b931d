"""Write the result of a comparison: a page with pairs side by side for staff, and
`.look-alikes.json` for other programs.
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
MOST_SHOWN = 60  # pairs side by side; a table lists all
MOST_LINES = 250  # shown of an answer
LONGEST = 300  # characters of a line

TEMPLATES = load_templates("autograder.desk.look_alikes")
TEMPLATES.filters["percent"] = percent

Lines = tuple[int, ...]  # from 0
Places = dict[str, list[Lines]]  # lines of each occurrence of a fingerprint


@dataclass(frozen=True)
class Line:
    """A line of an answer."""

    number: int  # from 1
    text: str
    other: int | None = None  # number of a line of the other answer with the same rare passage


@dataclass(frozen=True)
class Side:
    """An answer shown side by side."""

    lines: list[Line]
    hidden: int  # number of further lines


def write_page(
    path: Path,
    assignment: Assignment,
    comparison: Comparison,
    reader: Reader,
    unreadable: list[str],
) -> None:
    """Write the HTML page on a comparison to `path`. `reader`: has read the answers. `unreadable`:
    students with unreadable submissions.
    """

    def sides(look_alike: LookAlike, exercise: str) -> tuple[Side, Side]:
        first, second = (writer.answers[exercise] for writer in look_alike.writers)
        return side_by_side(reader, (first, second), comparison.weights[exercise])

    page = TEMPLATES.get_template("look_alikes.html.jinja").render(
        assignment=assignment.id,
        found=comparison,
        shown=comparison.found[:MOST_SHOWN],
        sides=sides,
        margin=MARGIN,
        unreadable=unreadable,
    )
    with files.replacing(path) as file:
        file.write(page)


def write_file(
    path: Path, assignment: Assignment, comparison: Comparison, page: str | None
) -> None:
    """Write a comparison as JSON to `path`. `page`: the page's file name if it is in the same
    folder.
    """
    pairs = [look_alike.pair for look_alike in comparison.found]
    look_alikes = LookAlikes(assignment.id, comparison.identical, pairs, page)
    with files.replacing(path) as file:
        json.dump(msgspec.to_builtins(look_alikes), file, indent=1)
        file.write("\n")


def side_by_side(
    reader: Reader, pair: tuple[Answer, Answer], rare: Container[str]
) -> tuple[Side, Side]:
    """Return two answers as lines to show side by side. Lines match if both answers have a
    fingerprint in `rare` there. `reader`: has read the answers.
    """
    first, second = (_places(reader, answer, rare) for answer in pair)
    return _side(pair[0], first, second), _side(pair[1], second, first)


def _places(reader: Reader, answer: Answer, rare: Container[str]) -> Places:
    places: Places = defaultdict(list)
    for gram, lines in reader.places(answer):
        if gram in rare and lines[0] < MOST_LINES:
            places[gram].append(lines)
    return places


def _side(answer: Answer, places_here: Places, places_there: Places) -> Side:
    matched: dict[int, int] = {}  # lines, from 0
    for gram, places in places_here.items():
        for place in places if gram in places_there else ():
            for line, other_line in zip(place, _nearest(places_there[gram], place), strict=True):
                matched.setdefault(line, other_line + 1)
    lines = answer.text.split("\n")
    shown_lines = [
        Line(number + 1, printable(text, LONGEST), matched.get(number))
        for number, text in enumerate(lines[:MOST_LINES])
    ]
    return Side(shown_lines, max(0, len(lines) - MOST_LINES))


def _nearest(places: list[Lines], place: Lines) -> Lines:
    """Return the place with the first line closest to that of `place`. `places` is sorted."""
    index = bisect_left(places, place)
    return min(
        places[max(0, index - 1) : index + 1], key=lambda candidate: abs(candidate[0] - place[0])
    )
