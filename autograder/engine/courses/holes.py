"""Holes: the named places of a solution cell, which known mistakes fill with other code.

A comment at the end of a line names its holes. Only the catalogue reads it: it is removed from
whatever is made of the source.

    scores = query @ key.transpose(-2, -1) / root     #@ scores; scale = / root; product = query ...
    z = norm(x + drop(attend(x)))                     #@ z; attended = attend(x); sum = x + drop($attended)
    if self.training:                                 #@ training; both +1

`scores` is the expression that is assigned, returned, tested or iterated over; `line scores` the
line with its comment; `scale` a part of the line that occurs in it once; `product` what begins with
such a part and ends with the expression (or with the line, where no statement begins in it); `both`
the line and one more. A name that is given to several places is filled in all of them; `sum 2` is
the second one alone.

In a text that fills a hole, `$here` is the original text of that hole, and `$name` or `${the name}`
that of another hole: of the one in the same line, where there are several. `before scores` and
`after scores` are not in the solution: their text is added as lines of its own.

Example: `scale: * root` makes the first line `scores = query @ key.transpose(-2, -1) * root`, and
`sum: 2 * $here` makes the second `z = norm(2 * x + drop(attend(x)))`.

Other names need no comment: `class` (the header), `bases` and `methods` (the end of the class,
where methods are added), `def forward` (a header), `forward(mask)` (a parameter with annotation and
default), `super` (its call), `self.linear1` (what is assigned to it, once) with `line
self.linear1`, and each key of a dict that is the answer (its value): `mean`, or `feed forward /
mean` where there are several `mean`. In `forward`, or else the last function, `first` is the name
of the first argument, and `returned` the expression that it returns at its end, with `line
returned`.
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
    """The code of a cell as a student would write it, and the comments that name its holes (the
    places that mistakes fill with other code), as pairs (line, comment); lines are counted from 0.
    """

    text: str
    marks: tuple[tuple[int, str], ...] = ()  # by line, from 0 on

    @cached_property
    def holes(self) -> dict[str, list[Span]]:
        """The places of all holes, by name: those that comments name, and those that need no
        comment and have one place only. Raise `BadHole` if the code is no Python or a comment names
        no valid hole.
        """
        places = Places(self.text)
        given = _by_name(places.given())
        once = {name: spans for name, spans in given.items() if len(spans) == 1}
        marked = (one for line, mark in self.marks for one in places.marked(line, mark))
        return once | _by_name(marked)

    def places(self, name: str) -> list[Span]:
        """Return the places of the holes called `name`; for `name 2`, only the second one; for
        `before name` and `after name`, where lines are inserted beside each of them. Raise
        `BadHole` if there is none.
        """
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
        """Return the original text of the hole called `name`, without the indentation of its first
        line. Raise `BadHole` if there is none.

        If there are several, it is the one in the same line as the character with the index
        `beside`, or else the first.
        """
        places = self.places(name)
        same = [one for one in places if beside is not None and self._line(one[0], beside)]
        return self._standing((same or places)[0])

    def _beside(self, side: str, place: Span) -> Span:
        """Return the place at which to insert lines beside a hole: before its first line if `side`
        is "before", else after its last one.
        """
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
        """Whether `one` and `other`, indices of characters, are in the same line."""
        return "\n" not in self.text[min(one, other) : max(one, other)]

    def fill(self, texts: Collection[tuple[str, str]]) -> str:
        """Return the code in which these holes have other texts. `texts`: pairs (name of the hole,
        new text).

        For `$name` in a text see the module's docstring. Lines after the first are indented like
        the hole; a line that becomes empty is removed. Raise `BadHole` if there is no such hole, or
        two of them overlap.
        """
        return self._changed(self._changes(texts))

    def filled(self, texts: Collection[tuple[str, str]]) -> "MarkedCell":
        """Return a copy of the cell with these holes filled, which still has holes: new texts may
        name some, and unchanged lines keep theirs.

        `texts`: pairs (name of the hole, new text). Raise `BadHole` as `fill` does.
        """
        changes = self._changes(texts)
        made = read_marked_cell(self._changed(changes))
        lines = line_starts(self.text)
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
        """Return (start, end, new text) for each replacement of the characters from start to end
        that fills these holes, in the order of the cell. `texts`: pairs (name of the hole, new
        text). Raise `BadHole` if a hole does not exist, is filled twice, or overlaps another.
        """
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
        """Return (start, end, new text) of the replacement by `text` in one place of the hole
        `name`.
        """
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
        """Return what `$name` stands for in the text that fills the hole at `place`: the solution's
        own text of the hole `name` that is nearest to `place`, or of this hole itself for the name
        HERE.
        """
        return self._standing(place) if name == HERE else self.original(name, place[0])

    def _indentation(self, place: int) -> str:
        line = self.text[self.text.rfind("\n", 0, place) + 1 :]
        return line[: len(line) - len(line.lstrip(" "))]


def read_marked_cell(source: str) -> MarkedCell:
    """Return the code of a cell without the comments (`#@ ...`) that name holes, together with
    these comments by line.
    """
    lines, marks = [], []
    for number, line in enumerate(source.split("\n")):
        code, found, mark = line.partition(MARK)
        lines.append(code.rstrip() if found else line)
        marks += [(number, mark.strip())] if found else []
    return MarkedCell("\n".join(lines), tuple(marks))


def _by_name(holes: Iterable[tuple[str, Span]]) -> dict[str, list[Span]]:
    found: dict[str, list[Span]] = {}
    for name, span in holes:
        found.setdefault(name, []).append(span)
    return found
