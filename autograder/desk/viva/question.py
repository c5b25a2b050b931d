"""A question on a student's code, with the code that it shows."""

import ast
import io
import tokenize
from collections.abc import Collection, Iterable
from contextlib import suppress
from typing import NamedTuple

from autograder.engine import Pattern, printable

MOST_CODE = 8_000  # characters of a cell: the time to compare cells grows with their square
LONGEST = 300  # characters of a line
SPACE = Pattern(r"\s+")


class CodeLine(NamedTuple):
    """A line of code in a question."""

    number: int  # from 1
    text: str
    marked: bool  # whether the question is about it


class VivaQuestion(NamedTuple):
    """A question for an oral exam, with its answer."""

    kind: str
    exercise: str  # id
    sentence: str  # the question
    lines: list[CodeLine]
    answer: list[str]  # sentences
    extra: str = ""  # code below the sentence: an old line and a new one, a call

    @property
    def marked(self) -> set[tuple[str, str]]:
        """The lines that the question is about: exercise id, and text without indentation. `choose`
        asks about each line only once.
        """
        return {(self.exercise, line.text.strip()) for line in self.lines if line.marked}


def shown(source: str, marked: Collection[int] = ()) -> list[CodeLine]:
    """Return the lines of a cell's source as a question shows them, shortened and without control
    characters. Comments are left out, because they may give the answer away. `marked`: the numbers
    of the lines that the question is about.
    """
    return [
        CodeLine(number, printable(text.expandtabs(4), LONGEST), number in marked)
        for number, text in enumerate(without_comments(source).rstrip().split("\n"), 1)
    ]


def without_comments(source: str) -> str:
    """Return Python code without its comments, and other text unchanged. All lines are kept."""
    lines = source.split("\n")
    with suppress(tokenize.TokenError, SyntaxError, IndexError):
        for token in tokenize.generate_tokens(io.StringIO(source).readline):
            row, column = token.start
            if token.type == tokenize.COMMENT:
                lines[row - 1] = lines[row - 1][:column].rstrip()
    return "\n".join(lines)


def answer(mistakes: Iterable[str], failed: Iterable[str]) -> list[str]:
    """Return the answer to a question on a mistake: the statements of the catalogue's sentences,
    without the questions in them, and the sentences of the checks that fail.
    """
    stated = []
    for sentence in mistakes:
        parts = sentence.replace("? ", "?\n").replace(". ", ".\n").split("\n")
        stated.append(" ".join(part for part in parts if not part.endswith("?")) or sentence)
    return [*stated, f"Checks that fail: {'; '.join(dict.fromkeys(failed))}."]


def own_lines(source: str, released: str) -> set[int]:
    """Return the numbers, from 1, of the lines of a student's cell that are inside a function and
    not in the released cell, ignoring white space and comments.
    """
    released_lines, lines = (
        [SPACE.sub("", line) for line in without_comments(text).split("\n")]
        for text in (released, source)
    )
    functions = [node for node in ast.walk(parsed(source)) if isinstance(node, ast.FunctionDef)]
    inside = (
        range(function.body[0].lineno, (function.end_lineno or 0) + 1) for function in functions
    )
    return {
        number
        for numbers in inside
        for number in numbers
        if lines[number - 1] not in released_lines
    }


def parsed(source: str) -> ast.Module:
    """Return the syntax tree of a cell, an empty tree if the cell is not Python, nested too deeply
    or longer than MOST_CODE characters.
    """
    with suppress(SyntaxError, ValueError, RecursionError, MemoryError):
        tree = ast.parse(source[: MOST_CODE + 1])
        if len(source) <= MOST_CODE and ast.unparse(tree):
            return tree
    return ast.Module([], [])
