"""Parse the text of a catalogue into blocks below headings, with the ways to make each mistake.

## wrong_scale  fails: VALUES                       a heading, and what belongs to it
> The scores are scaled, but by another number.      quoted
scale: / x.size(-1) || / {{2 4 8}}                  a hole and its text, here four ways
sum_1 || sum_2 || sum_1, sum_2: 2 * $here           three ways: each hole alone, and both at once
scores: x @ y.transpose(-2, -1)                     a way that fills two holes with different texts
&& weights: scores.softmax(dim=-1)
line hide:                                          lines that belong to a text are indented
    if not self.training:
        $here
before hide: hidden[..., 64:] = False               a line of its own

## attention in keras  named: mask_upside_down
- mask = 1.0 - attention_mask.float()               an edit: the old line,
+ mask = attention_mask.float()                     and the new one
"""

from collections.abc import Iterator
from dataclasses import dataclass, field
from itertools import product

from autograder.engine.texts.patterns import Pattern

FAMILY = Pattern(r"\{\{(.*?)\}\}")
SAME_WAY = "&& "  # stands before a hole that goes with the one above it
OR, AND, INDENTATION = "||", ",", " " * 4
BESIDE, WITHOUT = "beside", "without"
OLD, NEW = "- ", "+ "
Errors = list[tuple[int, str]]  # by line, a sentence
Way = list[tuple[str, str]]  # holes and their texts


@dataclass
class NamedText:
    """A line `name: text` of a catalogue, with the indented lines that belong to the text. `line`:
    its number; `same_way`: whether it begins with `&&`, so that it belongs to the same way to make
    the mistake as the line above it.
    """

    line: int
    name: str
    same_way: bool  # as the one above it
    lines: list[str]

    @property
    def text(self) -> str:
        """The text after the colon, with the indented lines that belong to it."""
        return "\n".join(self.lines).strip("\n")

    def ways(self) -> list[Way]:
        """Return the ways that the line describes, each a list of (hole, its text): every
        alternative of the names with every alternative of the text.
        """
        return [
            [(hole.strip(), text) for hole in holes.split(AND)]
            for holes in self.name.split(OR)
            for text in _alternatives(self.text)
        ]


@dataclass
class Edit:
    """A piece of code that occurs once in a cell, and the code that replaces it. `line`: the number
    of its first line in the catalogue; `ended`: whether an empty line has followed, after which
    another edit begins.
    """

    line: int
    old_lines: list[str] = field(default_factory=list)
    new_lines: list[str] = field(default_factory=list)
    ended: bool = False

    @property
    def old(self) -> str:
        """The code that is replaced."""
        return "\n".join(self.old_lines)

    @property
    def new(self) -> str:
        """The code that replaces it."""
        return "\n".join(self.new_lines)


@dataclass
class Block:
    """The lines below one heading of a catalogue, or before the first heading, where the title is
    "": quoted ones (`> ...`), named ones (`name: text`) and edits (`- ...`, `+ ...`). `line`: the
    number of the heading's line.
    """

    line: int = 0
    title: str = ""
    quoted: list[str] = field(default_factory=list)
    named: list[NamedText] = field(default_factory=list)
    edits: list[Edit] = field(default_factory=list)

    @property
    def sentence(self) -> str:
        """The quoted lines (`> ...`), joined to one."""
        return " ".join(self.quoted)

    def ways(self) -> Iterator[tuple[int, Way]]:
        """Yield (line number, way) for each way to make the mistake; a way is a list of (hole, its
        text).
        """
        groups: list[list[NamedText]] = []  # a line, and those with `&&` after it
        for one in self.named:
            if one.name in (BESIDE, WITHOUT):
                continue
            if one.same_way and groups:
                groups[-1].append(one)
            else:
                groups.append([one])
        for group in groups:
            for ways in product(*(one.ways() for one in group)):
                yield group[0].line, [filled for way in ways for filled in way]

    def words(self, name: str) -> tuple[str, ...]:
        """Return the words after `name:` in the lines of this block; none if no line begins so.
        `name` is no hole's: `beside` or `without`.
        """
        return tuple(word for one in self.named if one.name == name for word in one.text.split())

    def add_to_edit(self, number: int, is_old: bool, code: str) -> None:
        """Add the line `code` to the last edit, to its old or its new lines. An old line after a
        new one, or after an empty line, begins another edit.

        `number`: the line's number; `is_old`: whether it is an old line.
        """
        last = self.edits[-1] if self.edits else None
        if last is None or last.ended or (is_old and last.new_lines):
            last = Edit(number)
            self.edits.append(last)
        (last.old_lines if is_old else last.new_lines).append(code)


def read_blocks(text: str) -> tuple[list[Block], Errors]:
    """Parse a catalogue's text; return its blocks, and the errors as (line number, sentence).

    The first block is the text before any heading.
    """
    found, errors = [Block()], Errors()
    for number, line in enumerate(text.split("\n"), start=1):
        block = found[-1]
        if line.startswith("## "):
            found.append(Block(number, line[3:].strip()))
        elif line.startswith(">") or not block.title:
            block.quoted.append(line.removeprefix(">").strip())
        elif block.named and (line.startswith(INDENTATION) or not line.strip()):
            block.named[-1].lines.append(line[len(INDENTATION) :])
        elif f"{line} ".startswith((OLD, NEW)):
            block.add_to_edit(number, f"{line} ".startswith(OLD), line[len(OLD) :])
        elif not line.strip():
            if block.edits:
                block.edits[-1].ended = True
        else:
            same_way = line.startswith(SAME_WAY)
            name, colon, rest = line.removeprefix(SAME_WAY).partition(":")
            if colon:
                block.named.append(NamedText(number, name.strip(), same_way, [rest.strip()]))
                if rest.count("{{") > rest.count("}}"):
                    errors.append((number, "a family is not closed (`{{1 2}}`)"))
            else:
                sentence = f"`{line}` is no sentence (`> ...`) and names no hole (`hole: ...`)"
                errors.append((number, sentence))
    return found, errors


def _alternatives(text: str) -> list[str]:
    """Return the texts that `text` stands for: each alternative (`||`) with each member of a family
    (`{{1 2}}`). A text of several lines has families, but no alternatives.
    """
    if "\n" in text:
        return _family(text)
    return [made for one in _split(text) for made in _family(one)]


def _split(text: str) -> list[str]:
    """Split a text at `||`, except inside a family `{{...}}`."""
    parts, deep, last = [], 0, 0
    for place in range(len(text)):
        pair = text[place : place + 2]
        deep += (pair == "{{") - (pair == "}}")
        if pair == OR and not deep:
            parts.append(text[last:place])
            last = place + 2
    return [one.strip() for one in (*parts, text[last:])]


def _family(text: str) -> list[str]:
    found = FAMILY.search(text)
    if not found:
        return [text]
    words = found[1].split(OR) if OR in found[1] else found[1].split()
    start, end = found.span()
    return [made for word in words for made in _family(text[:start] + word.strip() + text[end:])]
