"""A question on a student's code, with the code that it shows."""

import ast
import io
import tokenize
from collections.abc import Collection, Iterable
from contextlib import suppress
from typing import NamedTuple

from autograder.engine import Pattern, printable

MOST_CODE = 8_000  # characters of a cell that is asked about: comparing takes their square
LONGEST = 300  # characters of a line
SPACE = Pattern(r"\s+")


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
    extra: str = ""  # code below the sentence: an old line and a new one, a call

    @property
    def marked(self) -> set[tuple[str, str]]:
        """Each line that the question is about, as the exercise's id and the line's text without
        indentation; `choose` compares them, so that no line is asked about twice.
        """
        return {(self.exercise, line.text.strip()) for line in self.lines if line.marked}


def shown(source: str, marked: Collection[int] = ()) -> list[CodeLine]:
    """Return the lines of a cell's source, from 1, as a question shows them: without comments, which
    may say the answer to this or to another question, without control characters, and shortened if
    they are long. `marked`: the numbers of the lines that the question is about.
    """
    return [
        CodeLine(number, printable(text.expandtabs(4), LONGEST), number in marked)
        for number, text in enumerate(without_comments(source).rstrip().split("\n"), 1)
    ]


def without_comments(source: str) -> str:
    """Return Python code without its comments; as it is if it is no Python. No line is taken away."""
    lines = source.split("\n")
    with suppress(tokenize.TokenError, SyntaxError, IndexError):
        for token in tokenize.generate_tokens(io.StringIO(source).readline):
            row, column = token.start
            if token.type == tokenize.COMMENT:
                lines[row - 1] = lines[row - 1][:column].rstrip()
    return "\n".join(lines)


def answer(mistakes: Iterable[str], failed: Iterable[str]) -> list[str]:
    """Return the answer to a question on a mistake: what the catalogue's sentences state of it,
    without what they ask the student, and the checks that fail, given by their sentences.
    """
    stated = []
    for sentence in mistakes:
        parts = sentence.replace("? ", "?\n").replace(". ", ".\n").split("\n")
        stated.append(" ".join(one for one in parts if not one.endswith("?")) or sentence)
    return [*stated, f"Checks that fail: {'; '.join(dict.fromkeys(failed))}."]


def own_lines(source: str, released: str) -> set[int]:
    """Return the numbers, from 1, of the lines of `source`, a student's cell, that are inside a
    function and that `released`, the cell as it was released, does not have. White space and
    comments do not matter.
    """
    given, lines = (
        [SPACE.sub("", line) for line in without_comments(text).split("\n")]
        for text in (released, source)
    )
    functions = [one for one in ast.walk(parsed(source)) if isinstance(one, ast.FunctionDef)]
    inside = (range(one.body[0].lineno, (one.end_lineno or 0) + 1) for one in functions)
    return {number for some in inside for number in some if lines[number - 1] not in given}


def parsed(source: str) -> ast.Module:
    """Return the syntax tree of a cell; an empty one if the cell has more than MOST_CODE
    characters, is nested too deeply, or is no Python.
    """
    with suppress(SyntaxError, ValueError, RecursionError, MemoryError):
        tree = ast.parse(source[: MOST_CODE + 1])
        if len(source) <= MOST_CODE and ast.unparse(tree):
            return tree
    return ast.Module([], [])
