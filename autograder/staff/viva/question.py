"""A question on a student's code, with the code that it shows."""

import ast
from collections.abc import Collection
from contextlib import suppress
from typing import NamedTuple

from autograder.text.printable import printable

MOST_CODE = 8_000  # characters of a cell that is asked about: comparing takes their square
LONGEST = 300  # characters of a line


class CodeLine(NamedTuple):
    """One line of code as a question shows it: its `number` from 1, its `text`, and `marked`:
    whether the question is about it.
    """

    number: int  # from 1
    text: str
    marked: bool


class VivaQuestion(NamedTuple):
    """A question for an oral exam: its `kind`, the exercise's id, the `sentence` that asks, the
    `lines` of code that it shows, its `answer` as sentences, and `extra`, code to show below the
    sentence ("" for none).
    """

    kind: str
    exercise: str
    sentence: str
    lines: list[CodeLine]
    answer: list[str]
    extra: str = ""  # code below the sentence: a changed line, a call

    @property
    def marked(self) -> set[tuple[str, str]]:
        """Each line that the question is about, as the exercise's id and the line's text without
        indentation; `choose` compares them, so that no line is asked about twice.
        """
        return {(self.exercise, line.text.strip()) for line in self.lines if line.marked}


def shown(source: str, marked: Collection[int] = ()) -> list[CodeLine]:
    """Return the lines of a cell's source, from 1, as a question shows them: without control
    characters, and shortened if they are long. `marked`: the numbers of the lines that the question
    is about.
    """
    return [
        CodeLine(number, printable(text.expandtabs(4), LONGEST), number in marked)
        for number, text in enumerate(source.rstrip().split("\n"), 1)
    ]


def parsed(source: str) -> ast.Module:
    """Return the syntax tree of a cell; an empty one if the cell has more than MOST_CODE
    characters, is nested too deeply, or is no Python.
    """
    with suppress(SyntaxError, ValueError, RecursionError, MemoryError):
        tree = ast.parse(source[: MOST_CODE + 1])
        if len(source) <= MOST_CODE and ast.unparse(tree):
            return tree
    return ast.Module([], [])
