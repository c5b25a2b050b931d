"""Find the spans of the holes in a solution cell, with or without a comment.

`holes.py` describes the holes.

    scores = query @ key.mT / root  #@ scores; scale = / root
             |-------------------|            the hole `scores`: characters 9 to 30 of the line
                            |----|            the hole `scale`, which occurs there once
"""

import ast
import io
import textwrap
import tokenize
from collections import Counter
from collections.abc import Callable, Iterator
from itertools import accumulate
from typing import Any

from autograder.engine.texts.patterns import Pattern

METHODS = "methods"
REFERENCE = Pattern(r"\$(?:\{([^}]+)\}|([A-Za-z_]\w*))")
LINES = Pattern(r"(?P<name>.+?)\s+\+(?P<more>\d+)")
Span = tuple[int, int]  # start, end: characters of the cell


class BadHole(ValueError):
    """A hole (a named span in a solution cell) is missing, or is named in an invalid way."""


def with_references(text: str, resolve: Callable[[str], str]) -> str:
    """Return the text with each `$name` or `${name}` replaced by `resolve(name)`.

    Inserted lines after the first are indented like the line of the reference.
    """

    def standing(match: Any) -> str:
        line = text[text.rfind("\n", 0, match.start()) + 1 : match.start()]
        indentation = line[: len(line) - len(line.lstrip(" "))]
        return resolve(match[1] or match[2]).replace("\n", "\n" + indentation)

    return REFERENCE.sub(standing, text)


def line_starts(text: str) -> list[int]:
    """Return the index of the first character of each line, and of a line after the text."""
    return [0, *accumulate(len(line) + 1 for line in text.split("\n"))]


class Places:
    """Finds the spans of the holes in a cell with the code `text`.

    Raise `BadHole` if the code is not valid Python.
    """

    def __init__(self, text: str):
        self.text, self.lines = text, text.split("\n")
        self.starts = line_starts(text)
        try:
            self.tree = ast.parse(text)
        except SyntaxError as error:
            raise BadHole(f"the solution is no Python: {error}") from error

    def marked(self, line: int, mark: str) -> Iterator[tuple[str, Span]]:
        """Yield (name, span) for each hole that `mark`, the comment in this line (from 0), names.

        Raise `BadHole` if a hole is invalid.
        """
        parts: dict[str, str] = {}  # of this line
        for hole_mark in mark.split(";"):
            yield from self._marked(line, hole_mark.strip(), parts)

    def _marked(self, line: int, mark: str, parts: dict[str, str]) -> Iterator[tuple[str, Span]]:
        name, equals, part = (piece.strip() for piece in mark.partition(" = "))
        code = self.lines[line]
        first = self.starts[line] + len(code) - len(code.lstrip())
        if equals:
            place = self._part(line, name, with_references(part, parts.__getitem__))
            parts[name] = self.text[slice(*place)]
            yield name, place
        elif line_match := LINES.fullmatch(mark):
            last = min(line + int(line_match["more"]), len(self.lines) - 1)
            yield line_match["name"], (first, self.starts[last + 1] - 1)
        else:
            statement = self._statement(line)
            if statement is None:
                raise BadHole(f"in the line of the hole `{mark}`, no statement begins")
            is_block = isinstance(statement, ast.If | ast.For | ast.While | ast.With)
            last = line + 1 if is_block else statement.end_lineno or line + 1
            yield f"line {mark}", (first, self.starts[last] - 1)
            yield mark, self.span(_value(statement))

    def _part(self, line: int, name: str, part: str) -> Span:
        """Return the span of the code `part`, the hole `name`, in a line of the solution.

        A part with `...` at its end extends to the end of the statement's right-hand side, or else
        of the line. Raise `BadHole` unless the part occurs exactly once in the line.
        """
        begin = part.removesuffix("...").rstrip()
        first, end = self.starts[line], self.starts[line + 1] - 1
        if self.text[first:end].count(begin) != 1:
            raise BadHole(f"`{begin}` is not once in the line of the hole `{name}`")
        place = self.text.index(begin, first)
        if begin == part:
            return place, place + len(part)
        statement = self._statement(line)
        return place, self.span(_value(statement))[1] if statement else end

    def _statement(self, line: int) -> ast.stmt | None:
        statements = (node for node in ast.walk(self.tree) if isinstance(node, ast.stmt))
        return next((statement for statement in statements if statement.lineno == line + 1), None)

    def place(self, line: int, column: int) -> int:
        """Return the index of the character at a line, counted from 1, and a column in bytes."""
        return self.starts[line - 1] + len(self.lines[line - 1].encode()[:column].decode())

    def span(self, node: ast.AST, last: ast.AST | None = None) -> Span:
        """Return the span of a syntax tree's node, or from `node` to `last`."""
        end = last or node
        start = self.place(node.lineno, node.col_offset)  # type: ignore[attr-defined]
        return start, self.place(end.end_lineno, end.end_col_offset)  # type: ignore[attr-defined]

    def given(self) -> Iterator[tuple[str, Span]]:
        """Yield (name, span) for each hole that needs no comment, such as `class` or `super`."""
        for node in ast.walk(self.tree):
            if isinstance(node, ast.ClassDef):
                yield from self._of_class(node)
            elif isinstance(node, ast.FunctionDef):
                yield from self._of_function(node)
            elif isinstance(node, ast.Expr) and ast.unparse(node) == "super().__init__()":
                yield "super", self.span(node)
            elif isinstance(node, ast.Assign) and isinstance(node.targets[0], ast.Attribute):
                yield from self._value_and_line(ast.unparse(node.targets[0]), node, node.value)
        yield from self._of_what_is_called()
        yield from self._keys()

    def _value_and_line(
        self, name: str, node: ast.stmt, value: ast.expr
    ) -> Iterator[tuple[str, Span]]:
        yield name, self.span(value)
        yield f"line {name}", (self.span(node)[0], self.starts[node.end_lineno or 0] - 1)

    def _of_what_is_called(self) -> Iterator[tuple[str, Span]]:
        """Yield the holes `first` and `returned` of each `forward` or else the last function."""
        functions = [node for node in ast.walk(self.tree) if isinstance(node, ast.FunctionDef)]
        outer = [node for node in self.tree.body if isinstance(node, ast.FunctionDef)][-1:]
        for function in [node for node in functions if node.name == "forward"] or outer:
            for argument in [arg for arg in function.args.args if arg.arg != "self"][:1]:
                start, _ = self.span(argument)
                yield "first", (start, start + len(argument.arg))
            returns = [node for node in ast.walk(function) if isinstance(node, ast.Return)]
            last = max(returns, key=lambda node: node.lineno, default=None)
            if last and last.value:
                yield from self._value_and_line("returned", last, last.value)

    def _of_class(self, node: ast.ClassDef) -> Iterator[tuple[str, Span]]:
        start, end = self.span(node)
        header = _end_of_header(self.text, start)
        yield "class", (start, header)
        yield METHODS, (end, end)
        if node.bases:
            yield "bases", (self.text.index("(", start), header - 1)

    def _of_function(self, node: ast.FunctionDef) -> Iterator[tuple[str, Span]]:
        start, _ = self.span(node)
        yield f"def {node.name}", (start, _end_of_header(self.text, start))
        arguments = node.args.args
        required = len(arguments) - len(node.args.defaults)
        defaults = dict(zip(arguments[required:], node.args.defaults, strict=True))
        for argument in arguments:
            yield f"{node.name}({argument.arg})", self.span(argument, defaults.get(argument))

    def _keys(self) -> Iterator[tuple[str, Span]]:
        assigned = [node.value for node in self.tree.body if isinstance(node, ast.Assign)]
        answers = [value for value in assigned if isinstance(value, ast.Dict)]
        values = dict(_values(answers[-1], ())) if answers else {}
        last = Counter(path[-1] for path in values)
        for path, value in values.items():
            yield " / ".join(path), self.span(value)
            if last[path[-1]] == 1 < len(path):
                yield path[-1], self.span(value)


def _value(statement: ast.stmt) -> ast.AST:
    """Return the expression that a statement assigns, returns, tests, iterates over or raises."""
    expressions = (getattr(statement, kind, None) for kind in ("value", "test", "iter", "exc"))
    return next(filter(None, expressions), statement)


def _values(node: ast.Dict, path: tuple[str, ...]) -> Iterator[tuple[tuple[str, ...], ast.expr]]:
    for key, value in zip(node.keys, node.values, strict=True):
        if isinstance(key, ast.Constant):
            key_path = (*path, str(key.value))
            if isinstance(value, ast.Dict):
                yield from _values(value, key_path)
            else:
                yield key_path, value


def _end_of_header(text: str, start: int) -> int:
    """Return the index after the colon of the class or function header at the index `start`."""
    depth = 0
    lines = text[start:].splitlines(keepends=True)
    for token in tokenize.generate_tokens(io.StringIO(textwrap.dedent("".join(lines))).readline):
        depth += (
            (token.string in "([{") - (token.string in ")]}") if token.type == tokenize.OP else 0
        )
        if token.string == ":" and not depth:
            line, column = token.end
            return start + sum(map(len, lines[: line - 1])) + column
    raise BadHole("a header without an end")
