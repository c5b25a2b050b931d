"""What stands in the text of a catalogue: blocks below headings, and the ways in them.

## wrong_scale  fails: VALUES                       a heading, and what belongs to it
> The scores are scaled, but by another number.      quoted
scale: / x.size(-1) || / {{2 4 8}}                  a name and its text, here four ways
scale: * {{~ 2 0.25}}                               two ways: examples of a number, which may be any
scores: x @ y.transpose(-2, -1)                     a way that fills two holes
&& weights: scores.softmax(dim=-1)
line hide:                                          lines that belong to a text are indented
    if not self.training:
        ${line hide}
"""

from collections.abc import Iterator
from dataclasses import dataclass, field
from itertools import product

from autograder.patterns import Pattern

FAMILY = Pattern(r"\{\{(.*?)\}\}")
ANY_NUMBER = "~"
NUMBER = "fitted_number"  # stands in code for the number that the diagnosis solves for
SAME_WAY, OR, INDENTATION = "&& ", "||", " " * 4
BESIDE, WITHOUT = "beside", "without"
Errors = list[tuple[int, str]]  # by line, a sentence
Way = list[tuple[str, str]]  # holes and their texts


@dataclass
class Named:
    """A line that names something, with the lines that belong to it."""

    line: int
    name: str
    same_way: bool
    lines: list[str]

    @property
    def text(self) -> str:
        return "\n".join(self.lines).strip("\n")


@dataclass
class Block:
    """What stands below one heading; before the first one, the title is empty."""

    line: int = 0
    title: str = ""
    quoted: list[str] = field(default_factory=list)
    named: list[Named] = field(default_factory=list)

    @property
    def sentence(self) -> str:
        return " ".join(self.quoted)

    def ways(self) -> Iterator[tuple[int, Way]]:
        """Yield each way with its line."""
        groups: list[list[Named]] = []
        for one in self.named:
            if one.name in (BESIDE, WITHOUT):
                continue
            if one.same_way and groups:
                groups[-1].append(one)
            else:
                groups.append([one])
        for group in groups:
            names = [one.name for one in group]
            for texts in product(*(_alternatives(one.text) for one in group)):
                yield group[0].line, list(zip(names, texts, strict=True))

    def words(self, name: str) -> tuple[str, ...]:
        """Return the words behind a name that is no hole's."""
        return tuple(word for one in self.named if one.name == name for word in one.text.split())


def read_blocks(text: str) -> tuple[list[Block], Errors]:
    """Return the parts of a catalogue, the prose before the first heading too, and what is wrong."""
    found, errors = [Block()], Errors()
    for number, line in enumerate(text.split("\n"), start=1):
        block = found[-1]
        if line.startswith("## "):
            found.append(Block(number, line[3:].strip()))
        elif line.startswith(">") or not block.title:
            block.quoted.append(line.removeprefix(">").strip())
        elif block.named and (line.startswith(INDENTATION) or not line.strip()):
            block.named[-1].lines.append(line[len(INDENTATION) :])
        elif line.strip():
            name, colon, rest = line.removeprefix(SAME_WAY).partition(":")
            if colon:
                same_way = line.startswith(SAME_WAY)
                block.named.append(Named(number, name.strip(), same_way, [rest.strip()]))
                if rest.count("{{") > rest.count("}}"):
                    errors.append((number, "a family is not closed (`{{1 2}}`)"))
            else:
                sentence = f"`{line}` is no sentence (`> ...`) and names no hole (`hole: ...`)"
                errors.append((number, sentence))
    return found, errors


def _alternatives(text: str) -> list[str]:
    """The texts that one stands for."""
    if "\n" in text:
        return _family(text)
    return [made for one in _split(text) for made in _family(one)]


def _split(text: str) -> list[str]:
    """Split at `||`, but not within a family."""
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
    inside = found[1].removeprefix(ANY_NUMBER)
    words = inside.split(OR) if OR in inside else inside.split()
    words += [NUMBER] if inside != found[1] else []
    start, end = found.span()
    return [made for word in words for made in _family(text[:start] + word.strip() + text[end:])]
