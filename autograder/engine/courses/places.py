"""Find the places of the holes in a solution cell, those that a comment names and those that need
none.

`holes.py` describes which holes there are.

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
Span = tuple[int, int]  # from, to: characters of the cell


class BadHole(ValueError):
    """A hole (a named place in a solution cell) does not exist, or is named in a way that is not
    allowed; the message says why.
    """


def with_references(text: str, of: Callable[[str], str]) -> str:
    """Return the text with each `$name` or `${name}` replaced by `of(name)`; all lines but the
    first of what is inserted are indented like the line of the reference.
    """

    def standing(found: Any) -> str:
        line = text[text.rfind("\n", 0, found.start()) + 1 : found.start()]
        indentation = line[: len(line) - len(line.lstrip(" "))]
        return of(found[1] or found[2]).replace("\n", "\n" + indentation)

    return REFERENCE.sub(standing, text)


def line_starts(text: str) -> list[int]:
    """Return the index of the first character of each line; the last number is where a line after
    the text would begin.
    """
    return [0, *accumulate(len(line) + 1 for line in text.split("\n"))]


class Places:
    """Finds the places of the holes in a cell, whose code is `text`; a place is a pair (start, end)
    of indices of characters. Raise `BadHole` if the code is no Python.
    """

    def __init__(self, text: str):
        self.text, self.lines = text, text.split("\n")
        self.starts = line_starts(text)
        try:
            self.tree = ast.parse(text)
        except SyntaxError as error:
            raise BadHole(f"the solution is no Python: {error}") from error

    def marked(self, line: int, mark: str) -> Iterator[tuple[str, Span]]:
        """Yield (name, place) for each hole that `mark`, the comment in this line, names. Lines are
        counted from 0. Raise `BadHole` if it names one wrongly.
        """
        parts: dict[str, str] = {}  # of the line, so far
        for one in mark.split(";"):
            yield from self._marked(line, one.strip(), parts)

    def _marked(self, line: int, mark: str, parts: dict[str, str]) -> Iterator[tuple[str, Span]]:
        name, equals, part = (one.strip() for one in mark.partition(" = "))
        code = self.lines[line]
        first = self.starts[line] + len(code) - len(code.lstrip())
        if equals:
            place = self._part(line, name, with_references(part, parts.__getitem__))
            parts[name] = self.text[slice(*place)]
            yield name, place
        elif more := LINES.fullmatch(mark):
            last = min(line + int(more["more"]), len(self.lines) - 1)
            yield more["name"], (first, self.starts[last + 1] - 1)
        else:
            statement = self._statement(line)
            if statement is None:
                raise BadHole(f"in the line of the hole `{mark}`, no statement begins")
            whole = isinstance(statement, ast.If | ast.For | ast.While | ast.With)
            last = line + 1 if whole else statement.end_lineno or line + 1
            yield f"line {mark}", (first, self.starts[last] - 1)
            yield mark, self.span(_value(statement))

    def _part(self, line: int, name: str, part: str) -> Span:
        """Return where `part`, a piece of code, stands in a line of the solution; `name` is the
        hole that it stands for. If it ends with `...`, the place extends to the end of the
        statement's right-hand side; where no statement begins in the line, to the end of the line.

        Raise `BadHole` unless the part occurs exactly once in the line.
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
        """Return the statement that begins in this line, counted from 0; None if none does."""
        statements = (one for one in ast.walk(self.tree) if isinstance(one, ast.stmt))
        return next((one for one in statements if one.lineno == line + 1), None)

    def place(self, line: int, column: int) -> int:
        """Return the index of the character at a line, counted from 1, and a column, which Python's
        syntax trees count in bytes.
        """
        return self.starts[line - 1] + len(self.lines[line - 1].encode()[:column].decode())

    def span(self, node: ast.AST, last: ast.AST | None = None) -> Span:
        """Return the place of a node of the syntax tree or, with `last`, the place from the
        beginning of `node` to the end of `last`.
        """
        end = last or node
        start = self.place(node.lineno, node.col_offset)  # type: ignore[attr-defined]
        return start, self.place(end.end_lineno, end.end_col_offset)  # type: ignore[attr-defined]

    def given(self) -> Iterator[tuple[str, Span]]:
        """Yield (name, place) for each hole that needs no comment, such as `class` or `super`."""
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
        """Yield (name, place) for the holes `first` and `returned` of each `forward`; without any
        `forward`, of the last function.
        """
        functions = [one for one in ast.walk(self.tree) if isinstance(one, ast.FunctionDef)]
        outer = [one for one in self.tree.body if isinstance(one, ast.FunctionDef)][-1:]
        for function in [one for one in functions if one.name == "forward"] or outer:
            for argument in [one for one in function.args.args if one.arg != "self"][:1]:
                start, _ = self.span(argument)
                yield "first", (start, start + len(argument.arg))
            returns = [one for one in ast.walk(function) if isinstance(one, ast.Return)]
            last = max(returns, key=lambda one: one.lineno, default=None)
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
        without = len(arguments) - len(node.args.defaults)
        defaults = dict(zip(arguments[without:], node.args.defaults, strict=True))
        for one in arguments:
            yield f"{node.name}({one.arg})", self.span(one, defaults.get(one))

    def _keys(self) -> Iterator[tuple[str, Span]]:
        assigned = [one.value for one in self.tree.body if isinstance(one, ast.Assign)]
        answers = [one for one in assigned if isinstance(one, ast.Dict)]
        values = dict(_values(answers[-1], ())) if answers else {}
        last = Counter(path[-1] for path in values)
        for path, value in values.items():
            yield " / ".join(path), self.span(value)
            if last[path[-1]] == 1 < len(path):
                yield path[-1], self.span(value)


def _value(statement: ast.stmt) -> ast.AST:
    """Return the expression that a statement assigns, returns, tests, iterates over or raises; else
    the statement itself.
    """
    found = (getattr(statement, kind, None) for kind in ("value", "test", "iter", "exc"))
    return next(filter(None, found), statement)


def _values(node: ast.Dict, path: tuple[str, ...]) -> Iterator[tuple[tuple[str, ...], ast.expr]]:
    for key, value in zip(node.keys, node.values, strict=True):
        if isinstance(key, ast.Constant):
            here = (*path, str(key.value))
            if isinstance(value, ast.Dict):
                yield from _values(value, here)
            else:
                yield here, value


def _end_of_header(text: str, start: int) -> int:
    """Return the index after the colon of the class or function header that begins at the index
    `start`. Raise `BadHole` if it has no colon.
    """
    deep = 0
    lines = text[start:].splitlines(keepends=True)
    for token in tokenize.generate_tokens(io.StringIO(textwrap.dedent("".join(lines))).readline):
        deep += (
            (token.string in "([{") - (token.string in ")]}") if token.type == tokenize.OP else 0
        )
        if token.string == ":" and not deep:
            line, column = token.end
            return start + sum(map(len, lines[: line - 1])) + column
    raise BadHole("a header without an end")
