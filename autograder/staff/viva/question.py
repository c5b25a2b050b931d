"""A question on a student's code, with the code that it shows."""

import ast
from collections.abc import Collection
from contextlib import suppress
from typing import NamedTuple

from autograder.text.printable import printable

MOST_CODE = 8_000  # characters of a cell that is asked about: comparing takes their square
LONGEST = 300  # characters of a line


class Line(NamedTuple):
    """One line of code; `marked` if the question is about it."""

    number: int  # from 1
    text: str
    marked: bool


class Question(NamedTuple):
    """A question, the code that it is about, and its answer as sentences."""

    kind: str
    exercise: str
    sentence: str
    lines: list[Line]
    answer: list[str]
    extra: str = ""  # code below the sentence: a changed line, a call

    @property
    def marked(self) -> set[tuple[str, str]]:
        """The exercise with the text of each marked line, so that no line is asked about twice."""
        return {(self.exercise, line.text.strip()) for line in self.lines if line.marked}


def shown(source: str, marked: Collection[int] = ()) -> list[Line]:
    """Return the lines of a cell as they are shown. `marked`: numbers of lines, from 1."""
    return [
        Line(number, printable(text.expandtabs(4), LONGEST), number in marked)
        for number, text in enumerate(source.rstrip().split("\n"), 1)
    ]


def parsed(source: str) -> ast.Module:
    """Return the syntax tree of a cell; an empty one if it is too long, too deep, or no Python."""
    with suppress(SyntaxError, ValueError, RecursionError, MemoryError):
        tree = ast.parse(source[: MOST_CODE + 1])
        if len(source) <= MOST_CODE and ast.unparse(tree):
            return tree
    return ast.Module([], [])
