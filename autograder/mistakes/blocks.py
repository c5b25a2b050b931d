"""Parse the text of a catalogue into blocks below headings, with the ways to make each mistake.

## wrong_scale  fails: VALUES                       a heading, and the lines that belong to it
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
+ mask = attention_mask.float()                     and the new line
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
    """A line `name: text` of a catalogue, with the indented lines that belong to the text."""

    line: int  # line number in the catalogue
    name: str
    same_way: bool  # begins with `&&`: part of the same way as the line above it
    lines: list[str]

    @property
    def text(self) -> str:
        """The text after the colon, with the indented lines that belong to it."""
        return "\n".join(self.lines).strip("\n")

    def ways(self) -> list[Way]:
        """Return the ways that the line describes, each a list of (hole, its text).

        Every alternative of the names is combined with every alternative of the text.
        """
        return [
            [(hole.strip(), text) for hole in holes.split(AND)]
            for holes in self.name.split(OR)
            for text in _alternatives(self.text)
        ]


@dataclass
class Edit:
    """A piece of code that occurs once in a cell, and the code that replaces it."""

    line: int  # number of its first line in the catalogue
    old_lines: list[str] = field(default_factory=list)
    new_lines: list[str] = field(default_factory=list)
    ended: bool = False  # an empty line has followed, so the next line begins another edit

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
    """The lines below a heading of a catalogue, or before the first heading."""

    line: int = 0  # line number of the heading
    title: str = ""  # empty before the first heading
    quoted: list[str] = field(default_factory=list)  # `> ...`
    named: list[NamedText] = field(default_factory=list)  # `name: text`
    edits: list[Edit] = field(default_factory=list)  # `- ...` and `+ ...`

    @property
    def sentence(self) -> str:
        """The quoted lines (`> ...`), joined by spaces."""
        return " ".join(self.quoted)

    def ways(self) -> Iterator[tuple[int, Way]]:
        """Yield (line number, way) for each way to make the mistake."""
        groups: list[list[NamedText]] = []  # a line, and those with `&&` after it
        for named_text in self.named:
            if named_text.name in (BESIDE, WITHOUT):
                continue
            if named_text.same_way and groups:
                groups[-1].append(named_text)
            else:
                groups.append([named_text])
        for group in groups:
            for ways in product(*(named_text.ways() for named_text in group)):
                yield group[0].line, [filled for way in ways for filled in way]

    def words(self, name: str) -> tuple[str, ...]:
        """Return the words after `name:`, an empty tuple if no line begins with it.

        `name` is `beside` or `without`, not the name of a hole.
        """
        return tuple(
            word
            for named_text in self.named
            if named_text.name == name
            for word in named_text.text.split()
        )

    def add_to_edit(self, number: int, is_old: bool, code: str) -> None:
        """Add the line `code` to the old or the new lines of the last edit.

        An old line after a new line, or after an empty line, begins another edit.
        """
        edit = self.edits[-1] if self.edits else None
        if edit is None or edit.ended or (is_old and edit.new_lines):
            edit = Edit(number)
            self.edits.append(edit)
        (edit.old_lines if is_old else edit.new_lines).append(code)


def read_blocks(text: str) -> tuple[list[Block], Errors]:
    """Parse a catalogue's text into blocks, and return errors as (line number, sentence).

    The first block is the text before any heading.
    """
    blocks, errors = [Block()], Errors()
    for number, line in enumerate(text.split("\n"), start=1):
        block = blocks[-1]
        if line.startswith("## "):
            blocks.append(Block(number, line[3:].strip()))
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
            name, colon, first_line = line.removeprefix(SAME_WAY).partition(":")
            if colon:
                block.named.append(NamedText(number, name.strip(), same_way, [first_line.strip()]))
                if first_line.count("{{") > first_line.count("}}"):
                    errors.append((number, "a family is not closed (`{{1 2}}`)"))
            else:
                sentence = f"`{line}` is no sentence (`> ...`) and names no hole (`hole: ...`)"
                errors.append((number, sentence))
    return blocks, errors


def _alternatives(text: str) -> list[str]:
    """Return each alternative (`||`) with each member of a family (`{{1 2}}`).

    A text of several lines has families, but no alternatives.
    """
    if "\n" in text:
        return _family(text)
    return [alternative for part in _split(text) for alternative in _family(part)]


def _split(text: str) -> list[str]:
    """Split a text at `||`, except inside a family `{{...}}`."""
    parts, deep, last = [], 0, 0
    for i in range(len(text)):
        pair = text[i : i + 2]
        deep += (pair == "{{") - (pair == "}}")
        if pair == OR and not deep:
            parts.append(text[last:i])
            last = i + 2
    return [part.strip() for part in (*parts, text[last:])]


def _family(text: str) -> list[str]:
    match = FAMILY.search(text)
    if not match:
        return [text]
    words = match[1].split(OR) if OR in match[1] else match[1].split()
    start, end = match.span()
    return [
        alternative
        for word in words
        for alternative in _family(text[:start] + word.strip() + text[end:])
    ]
