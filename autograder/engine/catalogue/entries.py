"""The catalogue of an exercise: a text for people, made into mistakes.

What stands before the first heading is prose, and names for lists of checks. Then an entry each:

    VALUES = weights_are_those_of_the_equation

    ## wrong_scale  fails: VALUES
    > The scores are scaled, but by another number than the equation has. Which size is under the root?
    scale: / x.size(-1) || * math.sqrt(x.size(-1)) || / {{2 4 8 10 16}}
    scores: x @ y.transpose(-2, -1)
    && weights: scores.softmax(dim=-1) / math.sqrt(x.size(-1))
    line hide:
        if not self.training:
            ${line hide}

A way to make the mistake is a text for a hole of the solution; `&&` fills another hole in the same way.
`||` stands between ways, `{{2 4 8}}` (or `{{a b || c}}`) is a way for each of its words. Lines that belong to a
text are indented. `$name` or `${name}` is what stands in a hole. The first way is the usual one.

    ## body own_norm                      another solution, with holes of its own
    class:
        class Norm(nn.Module):
            ...
                return normalised * self.weight     #@ norm
        ${class}

    own_norm.norm: normalised             a way in an entry: a hole of that body

    ## as in softmax, in own_softmax      what goes wrong there goes wrong here
    rows_add_up: weights_add_up           a check there, and the one that fails here
    without: scaled shifted/1             and these do not: a mistake, the first way of another

    beside: softmax/shifted               in an entry: a mistake it has to be told apart from
"""

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from itertools import product

from autograder.engine.catalogue.holes import BadHole, MarkedCell
from autograder.patterns import Pattern

FAMILY = Pattern(r"\{\{(.*?)\}\}")
DEFINED = Pattern(r"([A-Z][A-Z0-9_]*) = (.+)")
TITLE = Pattern(r"(?P<id>\w+)(?:\s+fails:\s*(?P<fails>.*))?")
BODY, OTHER = Pattern(r"body (\w+)"), Pattern(r"as in (\w+), in (\w+)")
SAME_WAY, OR, INDENTATION = "&& ", "||", " " * 4
BESIDE, WITHOUT = "beside", "without"
Way = list[tuple[str, str]]  # holes and their texts


@dataclass(frozen=True)
class Mistake:
    """A known wrong variant of an exercise's solution, made in several ways, the usual one first.

    The sentence says what happens and where to look, never the solution.
    """

    id: str
    exercise: str
    sentence: str
    caught_by: tuple[str, ...]  # checks that must fail, without `test_`
    cells: tuple[str, ...]  # the solution with the mistake in it, once for each way
    beside: tuple[str, ...] = ()  # exercise/id: mistakes that it has to be told apart from
    line: int = 0  # of its catalogue


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


class Catalogue:
    """The mistakes of one exercise, and what cannot be read of them: by line, a sentence.

    `others`: the texts of the catalogues of other exercises, by id.
    """

    def __init__(self, exercise: str, text: str, solution: MarkedCell, others: Mapping[str, str]):
        self.exercise, self.others = exercise, others
        self.mistakes: list[Mistake] = []
        self.errors: list[tuple[int, str]] = []
        self.cells = {"": solution}  # and those of the named bodies
        first, *blocks = _blocks(text, self.errors)
        self.checks = _defined(first)  # lists of checks by name
        for block in blocks:
            self._read(block)

    def _read(self, block: Block) -> None:
        if found := BODY.fullmatch(block.title):
            for line, way in block.ways():
                try:
                    self.cells[found[1]] = self.cells[""].filled(way)
                except BadHole as error:
                    self.errors.append((line, str(error)))
        elif found := OTHER.fullmatch(block.title):
            self._read_other(block, found[1], found[2])
        elif found := TITLE.fullmatch(block.title):
            checks = _checks(found["fails"], self.checks)
            self._add(found["id"], block, checks, self._cells(block.ways()))
            if not any(block.ways()):
                sentence = f"`{found['id']}` has no way in which it is made"
                self.errors.append((block.line, sentence))
        else:
            self.errors.append((block.line, f"`{block.title}` is no id of a mistake"))

    def _add(self, id: str, block: Block, checks: Iterable[str], cells: Iterable[str]) -> None:
        sentence, beside = block.sentence, block.words(BESIDE)
        self.mistakes.append(
            Mistake(id, self.exercise, sentence, tuple(checks), tuple(cells), beside, block.line)
        )

    def _cells(self, ways: Iterable[tuple[int, Way]]) -> Iterator[str]:
        """The cells of the ways that can be made; of others, the errors."""
        for line, way in ways:
            try:
                yield self._cell(way)
            except BadHole as error:
                self.errors.append((line, str(error)))

    def _cell(self, way: Way) -> str:
        """The solution, or the body that all its holes name, with this in it. Raises `BadHole`."""
        bodies = {name.partition(".")[0] for name, _ in way} & self.cells.keys()
        body = bodies.pop() if len(bodies) == 1 else ""
        return self.cells[body].fill([(name.removeprefix(f"{body}."), text) for name, text in way])

    def _read_other(self, block: Block, exercise: str, body: str) -> None:
        """What goes wrong in another exercise, where this one's solution has that in it."""
        if exercise not in self.others or body not in self.cells:
            sentence = f"there is no catalogue of `{exercise}`, or no body `{body}`"
            self.errors.append((block.line, sentence))
            return
        first, *theirs = _blocks(self.others[exercise], [])
        names = _defined(first)
        without = {*block.words(WITHOUT), *(one.id for one in self.mistakes)}
        here = {one.name: one.text for one in block.named if one.name != WITHOUT}
        for one in theirs:
            found = TITLE.fullmatch(one.title)
            if not found or found["id"] in without:
                continue
            there = _checks(found["fails"], names)
            checks = dict.fromkeys(
                self.checks.get(here[name], here[name]) for name in there if name in here
            )
            cells = []
            for number, (_, way) in enumerate(one.ways(), start=1):
                if f"{found['id']}/{number}" in without:
                    continue
                try:
                    cells.append(self.cells[body].fill(way))
                except BadHole:  # not every way is one of this body
                    continue
            if checks and cells:
                here_too = replace(one, line=block.line, named=[])
                self._add(found["id"], here_too, checks, cells)


def _blocks(text: str, errors: list[tuple[int, str]]) -> list[Block]:
    """The parts of a catalogue; a line that cannot be read is among the errors."""
    found = [Block()]
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
    return found


def _defined(first: Block) -> dict[str, str]:
    found = (DEFINED.fullmatch(line) for line in first.quoted)
    return {one[1]: one[2] for one in found if one}


def _checks(fails: str | None, names: Mapping[str, str]) -> list[str]:
    """The checks that an entry names, by themselves or in lists that have a name."""
    return " ".join(names.get(word, word) for word in (fails or "").split()).split()


def _alternatives(text: str) -> list[str]:
    """The texts that one stands for."""
    if "\n" in text:
        return [text]
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
    inside = found[1]
    words = inside.split(OR) if OR in inside else inside.split()
    start, end = found.span()
    return [made for word in words for made in _family(text[:start] + word.strip() + text[end:])]
