"""Holes: the named places of a solution cell, which known mistakes fill with something else.

A comment at the end of a line names what stands there. Nobody else sees it: it is taken out of whatever
is made of the source.

    scores = query @ key.transpose(-2, -1) / root     #@ scores; scale = / root; product = query ...
    z = norm(x + drop(attend(x)))                     #@ z; attended = attend(x); sum = x + drop($attended)
    if self.training:                                 #@ training; both +1

`scores` is what is assigned, returned, asked or gone through, `line scores` the line with its comment,
`scale` a part of it that stands there once, `product` what begins with such a part and ends with the value
(or with the line, where none begins in it), `both` the line and one more. A name that is given to several
places is filled in all of them; `sum 2` is the second one alone.

In a text that fills a hole, `$here` is what stands in that hole, and `$name` or `${the name}` what stands in
another one: in the one of the same line, where there are several. `before scores` and `after scores` are no
places of the solution: a text there is lines of its own.

Other names need no comment: `class` (the header), `bases` and `methods` (what is added to it), `def forward`
(a header), `forward(mask)` (a parameter with annotation and default), `super` (its call), `self.linear1`
(what is assigned to it, once) with `line self.linear1`, and each key of a dict that is the answer (its
value): `mean`, or `feed forward / mean` where `mean` is there twice. And of what is called, `forward` or
the last function, `first` is the name of the first argument, `returned` what it returns at its end, with
`line returned`.
"""

import ast
import io
import textwrap
import tokenize
from collections import Counter
from collections.abc import Callable, Collection, Iterable, Iterator
from dataclasses import dataclass, replace
from functools import cached_property, partial
from itertools import accumulate, pairwise
from typing import Any

from autograder.patterns import Pattern

MARK = "#@"
METHODS, INDENTATION = "methods", " " * 4
REFERENCE = Pattern(r"\$(?:\{([^}]+)\}|([A-Za-z_]\w*))")
LINES = Pattern(r"(?P<name>.+?)\s+\+(?P<more>\d+)")
NUMBERED = Pattern(r"(?P<name>.+) (?P<number>\d+)")
HERE, BEFORE, AFTER = "here", "before", "after"
Span = tuple[int, int]  # from, to: characters of the cell


class BadHole(ValueError):
    """A hole that cannot be, or is not there; the message says why."""


@dataclass(frozen=True)
class MarkedCell:
    """The code of a cell as a student would have written it, and where its holes are."""

    text: str
    marks: tuple[tuple[int, str], ...] = ()  # by line, from 0 on

    @cached_property
    def holes(self) -> dict[str, list[Span]]:
        """All holes by name. Raises `BadHole`."""
        places = _Places(self.text)
        given = _by_name(places.given())
        once = {name: spans for name, spans in given.items() if len(spans) == 1}
        marked = (one for line, mark in self.marks for one in places.marked(line, mark))
        return once | _by_name(marked)

    def places(self, name: str) -> list[Span]:
        """Return where the holes with this name are, or the one of that number. Raises `BadHole`."""
        if name in self.holes:
            return self.holes[name]
        side, _, hole = name.partition(" ")
        if side in (BEFORE, AFTER):
            return [self._beside(side, place) for place in self.places(hole)]
        found = NUMBERED.fullmatch(name)
        several = self.holes.get(found["name"], []) if found else []
        if found and 1 <= int(found["number"]) <= len(several) > 1:
            return [several[int(found["number"]) - 1]]
        known = ", ".join(sorted(self.holes)) or "none"
        raise BadHole(f"there is no hole `{name}`; there are: {known}")

    def original(self, name: str, beside: int | None = None) -> str:
        """Return what stands in a hole, from its first line's indentation on. Raises `BadHole`.

        Of several holes with this name, it is the one in the line of the character `beside`.
        """
        places = self.places(name)
        same = [one for one in places if beside is not None and self._line(one[0], beside)]
        return self._standing((same or places)[0])

    def _beside(self, side: str, place: Span) -> Span:
        """Where lines before a hole's first line end, or lines after its last one begin."""
        start, end = place
        if side == BEFORE:
            first = self.text.rfind("\n", 0, start) + 1 + len(self._indentation(start))
            return first, first
        last = self.text.find("\n", end)
        return (last, last) if last >= 0 else (len(self.text), len(self.text))

    def _standing(self, place: Span) -> str:
        start, end = place
        return self.text[start:end].replace("\n" + self._indentation(start), "\n")

    def _line(self, one: int, other: int) -> bool:
        """Whether two characters are in one line."""
        return "\n" not in self.text[min(one, other) : max(one, other)]

    def fill(self, texts: Collection[tuple[str, str]]) -> str:
        """Return the code with other texts in these holes; for `$name` in a text, see above.

        Lines after the first are indented like the hole. A line of which nothing is left goes.
        Raises `BadHole`.
        """
        return self._changed(self._changes(texts))

    def filled(self, texts: Collection[tuple[str, str]]) -> "MarkedCell":
        """Return the filled cell with its holes: the new texts may name some, and all else keeps its own.

        Raises `BadHole`.
        """
        changes = self._changes(texts)
        made = read_marked_cell(self._changed(changes))
        lines = _starts(self.text)
        marks = []
        for line, mark in self.marks:
            start, end = lines[line], lines[line + 1] - 1
            if not any(start <= one[1] and one[0] <= end and one[0] < one[1] for one in changes):
                added = sum(
                    new.count("\n") - self.text[first:last].count("\n")
                    for first, last, new in changes
                    if last < start
                )
                marks.append((line + added, mark))
        return replace(made, marks=(*made.marks, *marks))

    def _changed(self, changes: list[tuple[int, int, str]]) -> str:
        made, last = "", 0
        for start, end, new in changes:
            made += self.text[last:start] + new
            last = end
        text = made + self.text[last:]
        return "\n".join(line if line.strip() else "" for line in text.split("\n"))

    def _changes(self, texts: Collection[tuple[str, str]]) -> list[tuple[int, int, str]]:
        """What is replaced, from where to where and by what, in the order of the cell."""
        filled = [name for name, _ in texts]
        for name in filled:
            if filled.count(name) > 1:
                raise BadHole(f"the hole `{name}` is filled twice")
        changes = sorted(
            self._change(name, place, text) for name, text in texts for place in self.places(name)
        )
        if any(one[1] > other[0] for one, other in pairwise(changes)):
            raise BadHole(f"two of the holes {', '.join(filled)} overlap")
        return changes

    def _change(self, name: str, place: Span, text: str) -> tuple[int, int, str]:
        """What is replaced where one place of a hole is filled."""
        start, end = place
        new = with_references(text, partial(self._referred, place=place))
        indentation = INDENTATION if name == METHODS else self._indentation(start)
        indented = new.replace("\n", f"\n{indentation}")
        before = self.text[:start].rpartition("\n")[2]
        if name == METHODS:
            return start, end, f"\n\n{indentation}{indented}"
        if name.startswith(f"{BEFORE} "):
            return start, end, f"{indented}\n{indentation}"
        if name.startswith(f"{AFTER} "):
            return start, end, f"\n{indentation}{indented}"
        if not new and not before.strip() and self.text[end : end + 1] in ("", "\n"):
            return max(start - len(before) - 1, 0), end, ""
        return start, end, indented

    def _referred(self, name: str, place: Span) -> str:
        """What `$name` stands for in a text that fills this place."""
        return self._standing(place) if name == HERE else self.original(name, place[0])

    def _indentation(self, place: int) -> str:
        line = self.text[self.text.rfind("\n", 0, place) + 1 :]
        return line[: len(line) - len(line.lstrip(" "))]


def read_marked_cell(source: str) -> MarkedCell:
    """Take the names of holes out of a cell."""
    lines, marks = [], []
    for number, line in enumerate(source.split("\n")):
        code, found, mark = line.partition(MARK)
        lines.append(code.rstrip() if found else line)
        marks += [(number, mark.strip())] if found else []
    return MarkedCell("\n".join(lines), tuple(marks))


def with_references(text: str, of: Callable[[str], str]) -> str:
    """Return the text with what its `$name` stand for in their places, indented like their lines."""

    def standing(found: Any) -> str:
        line = text[text.rfind("\n", 0, found.start()) + 1 : found.start()]
        indentation = line[: len(line) - len(line.lstrip(" "))]
        return of(found[1] or found[2]).replace("\n", "\n" + indentation)

    return REFERENCE.sub(standing, text)


def _by_name(holes: Iterable[tuple[str, Span]]) -> dict[str, list[Span]]:
    found: dict[str, list[Span]] = {}
    for name, span in holes:
        found.setdefault(name, []).append(span)
    return found


def _starts(text: str) -> list[int]:
    """Where each line begins, and where another one would."""
    return [0, *accumulate(len(line) + 1 for line in text.split("\n"))]


class _Places:
    """Where the holes of a cell are."""

    def __init__(self, text: str):
        self.text, self.lines = text, text.split("\n")
        self.starts = _starts(text)
        try:
            self.tree = ast.parse(text)
        except SyntaxError as error:
            raise BadHole(f"the solution is no Python: {error}") from error

    def marked(self, line: int, mark: str) -> Iterator[tuple[str, Span]]:
        """Yield what the mark of a line names."""
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
        """Where a part of a line is; one with `...` at its end goes on to that of the value, or the line."""
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
        """What begins in a line."""
        statements = (one for one in ast.walk(self.tree) if isinstance(one, ast.stmt))
        return next((one for one in statements if one.lineno == line + 1), None)

    def place(self, line: int, column: int) -> int:
        """The character at a column, which Python counts in bytes."""
        return self.starts[line - 1] + len(self.lines[line - 1].encode()[:column].decode())

    def span(self, node: ast.AST, last: ast.AST | None = None) -> Span:
        end = last or node
        start = self.place(node.lineno, node.col_offset)  # type: ignore[attr-defined]
        return start, self.place(end.end_lineno, end.end_col_offset)  # type: ignore[attr-defined]

    def given(self) -> Iterator[tuple[str, Span]]:
        """Yield the holes that need no mark."""
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
        """Yield the holes of each `forward`, or else of the last function."""
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
    """What it assigns, returns, asks, goes through or raises; else itself."""
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
    """Where the colon ends before the body of what begins here."""
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
