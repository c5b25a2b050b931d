"""Holes: the named spans of a solution cell that known mistakes fill with other code.

A comment at the end of a line names its holes. Only the catalogue reads it: releases and all other
products of the source have no such comments.

    scores = query @ key.transpose(-2, -1) / root     #@ scores; scale = / root; product = query ...
    z = norm(x + drop(attend(x)))                     #@ z; attended = attend(x); sum = x + drop($attended)
    if self.training:                                 #@ training; both +1

`scores` is the expression that is assigned, returned, tested or iterated over. `line scores` is the
line with its comment. `scale` is a part of the line that occurs in it once. `product` begins with
such a part and ends with the expression (or with the line, where no statement begins in it). `both`
is the line and the next. A name with several spans is filled in all of them. `sum 2` is only the
second.

In a text that fills a hole, `$here` is the original text of that hole, and `$name` or `${the name}`
that of another hole, preferably in the same line. `before scores` and `after scores` are not in the
solution: their text is added as separate lines.

Example: `scale: * root` makes the first line `scores = query @ key.transpose(-2, -1) * root`, and
`sum: 2 * $here` makes the second `z = norm(2 * x + drop(attend(x)))`.

Other names need no comment: `class` (the header), `bases` and `methods` (the end of the class,
where methods are added), `def forward` (a header), `forward(mask)` (a parameter with annotation and
default), `super` (its call), `self.linear1` (the value assigned to it, once) with `line
self.linear1`, and each key of a dict that is the answer (its value): `mean`, or `feed forward /
mean` if there are several `mean`. In `forward`, or else the last function, `first` is the name of
the first argument, and `returned` the expression that it returns at its end, with `line returned`.
"""

from collections.abc import Collection, Iterable
from dataclasses import dataclass, replace
from functools import cached_property, partial
from itertools import pairwise

from autograder.engine.courses.places import (
    METHODS,
    BadHole,
    Places,
    Span,
    line_starts,
    with_references,
)
from autograder.engine.texts.patterns import Pattern

MARK = "#@"
INDENTATION = " " * 4
NUMBERED = Pattern(r"(?P<name>.+) (?P<number>\d+)")
HERE, BEFORE, AFTER = "here", "before", "after"


@dataclass(frozen=True)
class MarkedCell:
    """The code of a cell as a student would write it, and the comments that name its holes."""

    text: str
    marks: tuple[tuple[int, str], ...] = ()  # (line from 0, comment)

    @cached_property
    def holes(self) -> dict[str, list[Span]]:
        """The spans of all holes by name: those in comments, and unique holes without a comment.

        Raise `BadHole` if the code is not valid Python or a comment names no valid hole.
        """
        places = Places(self.text)
        unmarked = _by_name(places.given())
        unique = {name: spans for name, spans in unmarked.items() if len(spans) == 1}
        marked = (hole for line, mark in self.marks for hole in places.marked(line, mark))
        return unique | _by_name(marked)

    def places(self, name: str) -> list[Span]:
        """Return the spans of the holes called `name`. Raise `BadHole` if there are none.

        `name 2` is only the second. `before name` and `after name` are the points where lines are
        inserted beside each of them.
        """
        if name in self.holes:
            return self.holes[name]
        side, _, hole = name.partition(" ")
        if side in (BEFORE, AFTER):
            return [self._beside(side, place) for place in self.places(hole)]
        match = NUMBERED.fullmatch(name)
        several = self.holes.get(match["name"], []) if match else []
        if match and 1 <= int(match["number"]) <= len(several) > 1:
            return [several[int(match["number"]) - 1]]
        names = ", ".join(sorted(self.holes)) or "none"
        raise BadHole(f"there is no hole `{name}`; there are: {names}")

    def original(self, name: str, beside: int | None = None) -> str:
        """Return the original text of the hole `name`, without the indentation of its first line.

        Among several, a hole in the same line as the character with the index `beside` comes first.
        Raise `BadHole` if there is none.
        """
        places = self.places(name)
        same = [place for place in places if beside is not None and self._line(place[0], beside)]
        return self._standing((same or places)[0])

    def _beside(self, side: str, place: Span) -> Span:
        """Return the point where lines are inserted before (BEFORE) or after a hole."""
        start, end = place
        if side == BEFORE:
            first = self.text.rfind("\n", 0, start) + 1 + len(self._indentation(start))
            return first, first
        last = self.text.find("\n", end)
        return (last, last) if last >= 0 else (len(self.text), len(self.text))

    def _standing(self, place: Span) -> str:
        start, end = place
        return self.text[start:end].replace("\n" + self._indentation(start), "\n")

    def _line(self, first: int, second: int) -> bool:
        return "\n" not in self.text[min(first, second) : max(first, second)]

    def fill(self, texts: Collection[tuple[str, str]]) -> str:
        """Return the code with other texts in these holes. `texts`: pairs (hole name, new text).

        For `$name` in a text see the module's docstring. Lines after the first are indented like
        the hole. A line that becomes empty is removed. Raise `BadHole` if a hole is missing, or two
        holes overlap.
        """
        return self._changed(self._changes(texts))

    def filled(self, texts: Collection[tuple[str, str]]) -> "MarkedCell":
        """Return a copy of the cell with these holes filled, which still has holes.

        New texts may name some, and unchanged lines keep theirs. `texts`: pairs (hole name, new
        text). Raise `BadHole` as `fill` does.
        """
        changes = self._changes(texts)
        cell = read_marked_cell(self._changed(changes))
        lines = line_starts(self.text)
        marks = []
        for line, mark in self.marks:
            start, end = lines[line], lines[line + 1] - 1
            if not any(
                start <= change[1] and change[0] <= end and change[0] < change[1]
                for change in changes
            ):
                added = sum(
                    new_text.count("\n") - self.text[first:last].count("\n")
                    for first, last, new_text in changes
                    if last < start
                )
                marks.append((line + added, mark))
        return replace(cell, marks=(*cell.marks, *marks))

    def _changed(self, changes: list[tuple[int, int, str]]) -> str:
        code, last = "", 0
        for start, end, new_text in changes:
            code += self.text[last:start] + new_text
            last = end
        text = code + self.text[last:]
        return "\n".join(line if line.strip() else "" for line in text.split("\n"))

    def _changes(self, texts: Collection[tuple[str, str]]) -> list[tuple[int, int, str]]:
        """Return the replacements (start, end, new text) that fill these holes, in order.

        Raise `BadHole` if a hole is missing, is filled twice, or overlaps another.
        """
        filled = [name for name, _ in texts]
        for name in filled:
            if filled.count(name) > 1:
                raise BadHole(f"the hole `{name}` is filled twice")
        changes = sorted(
            self._change(name, place, text) for name, text in texts for place in self.places(name)
        )
        if any(change[1] > following[0] for change, following in pairwise(changes)):
            raise BadHole(f"two of the holes {', '.join(filled)} overlap")
        return changes

    def _change(self, name: str, place: Span, text: str) -> tuple[int, int, str]:
        start, end = place
        new_text = with_references(text, partial(self._referred, place=place))
        indentation = INDENTATION if name == METHODS else self._indentation(start)
        indented = new_text.replace("\n", f"\n{indentation}")
        prefix = self.text[:start].rpartition("\n")[2]
        if name == METHODS:
            return start, end, f"\n\n{indentation}{indented}"
        if name.startswith(f"{BEFORE} "):
            return start, end, f"{indented}\n{indentation}"
        if name.startswith(f"{AFTER} "):
            return start, end, f"\n{indentation}{indented}"
        if not new_text and not prefix.strip() and self.text[end : end + 1] in ("", "\n"):
            return max(start - len(prefix) - 1, 0), end, ""
        return start, end, indented

    def _referred(self, name: str, place: Span) -> str:
        """Return the original text that `$name` stands for in the hole at `place`."""
        return self._standing(place) if name == HERE else self.original(name, place[0])

    def _indentation(self, place: int) -> str:
        line = self.text[self.text.rfind("\n", 0, place) + 1 :]
        return line[: len(line) - len(line.lstrip(" "))]


def read_marked_cell(source: str) -> MarkedCell:
    """Separate the code of a cell from the comments (`#@ ...`) that name its holes."""
    lines, marks = [], []
    for number, line in enumerate(source.split("\n")):
        code, separator, mark = line.partition(MARK)
        lines.append(code.rstrip() if separator else line)
        marks += [(number, mark.strip())] if separator else []
    return MarkedCell("\n".join(lines), tuple(marks))


def _by_name(holes: Iterable[tuple[str, Span]]) -> dict[str, list[Span]]:
    spans_by_name: dict[str, list[Span]] = {}
    for name, span in holes:
        spans_by_name.setdefault(name, []).append(span)
    return spans_by_name
