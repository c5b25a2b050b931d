"""Parse the catalogue of an exercise: text for people, from which mistakes are made.

Before the first heading stand prose and names for lists of checks or for code. Each heading begins
an entry:

    VALUES = weights_are_those_of_the_equation
    ALL = VALUES weights_can_be_learned
    SCALE = / math.sqrt(x.size(-1))       `$SCALE` in a way

    ## wrong_scale  fails: VALUES
    > The scores are scaled, but by another number than the equation has. Which size is under the root?
    scale: / x.size(-1) || * math.sqrt(x.size(-1)) || / {{2 4 8 10 16}}
    beside: softmax/shifted               a mistake that must be told apart from it

A way to make the mistake is a text for a hole of the solution. The first way is the usual one.
`blocks.py` shows how several ways are written, `holes.py` lists the holes.

    ## gradient_is_cut an_axis_is_lost  fails: VALUES

These two are operators: the sentence or the ways that an entry lacks are in `operators.md`, beside
this file or beside the assignment's catalogues. Their ways fill the holes of the solution, or else
of a body.

    ## body own_norm                      another solution, with its own holes
    before class:
        class Norm(nn.Module):
            ...
                return normalised * self.weight     #@ norm
    && methods:
        def attend(self, query, key, value):
            $attention                    a student's answer to that exercise, with its holes

    norm: normalised                      a way in an entry: a hole of that body (or `own_norm.norm`,
                                          if the solution, or a body above, also has such a hole)

    ## as in softmax, in own_softmax      mistakes there are mistakes here
    rows_add_up: weights_add_up           a check there, and the check that fails here
    without: scaled shifted/1             except a mistake, and the first way of another
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from types import MappingProxyType

from autograder.engine.courses.holes import MarkedCell
from autograder.engine.courses.places import BadHole, with_references
from autograder.engine.texts.patterns import Pattern
from autograder.mistakes.blocks import (
    BESIDE,
    WITHOUT,
    Block,
    Errors,
    Way,
    read_blocks,
)

DEFINED = Pattern(r"([A-Z][A-Z0-9_]*) = (.+)")
TITLE = Pattern(r"(?P<ids>\w+(?: \w+)*)(?:\s+fails:\s*(?P<fails>.*))?")
BODY, OTHER = Pattern(r"body (\w+)"), Pattern(r"as in (\w+), in (\w+)")
Operators = Mapping[str, Block]  # by id


@dataclass(frozen=True)
class Mistake:
    """A known wrong variant of an exercise's solution."""

    id: str
    exercise: str
    sentence: str  # for the student: the effect and where to look, never the solution
    caught_by: tuple[str, ...]  # checks that must fail, without `test_`
    cells: tuple[str, ...]  # the cell with the mistake in it, once for each way, the usual first
    beside: tuple[str, ...] = ()  # exercise/id: mistakes that must be told apart from it
    line: int = 0  # in its catalogue

    @property
    def failing_checks(self) -> frozenset[str]:
        """The names of the test functions that must fail."""
        return frozenset(f"test_{check}" for check in self.caught_by)


class Catalogue:
    """The mistakes of an exercise, parsed from `text`, and the errors in that text.

    `others`: the texts of other exercises' catalogues, by id. `operators`: the entries that
    exercises share, by id. `answers`: a student's answer to each exercise, by id, for use in a
    body. A body (`## body NAME`) is another solution of the exercise, with its own holes.
    """

    def __init__(
        self,
        exercise: str,
        text: str,
        solution: MarkedCell,
        others: Mapping[str, str],
        operators: Operators,
        answers: Mapping[str, str] = MappingProxyType({}),
    ):
        self.exercise, self.others, self.operators = exercise, others, operators
        self.answers = answers
        self.mistakes: list[Mistake] = []
        self.cells = {"": solution}  # and the cells of the named bodies
        (preamble, *blocks), self.errors = read_blocks(text)
        self.names = _defined(preamble)  # abbreviations of lists of checks, or of code
        for block in blocks:
            self._read(block)

    def _read(self, block: Block) -> None:
        self.errors += [
            (edit.line, f"`- {edit.old}` is an edit, and names no hole (`hole: ...`)")
            for edit in block.edits
        ]
        if match := BODY.fullmatch(block.title):
            for line, way in block.ways():
                try:
                    way = _with_names(way, {**self.answers, **self.names})
                    self.cells[match[1]] = self.cells[""].filled(way)
                except BadHole as error:
                    self.errors.append((line, str(error)))
        elif match := OTHER.fullmatch(block.title):
            self._read_other(block, match[1], match[2])
        elif match := TITLE.fullmatch(block.title):
            ids = match["ids"].split()
            if len(ids) > 1 and (block.sentence or any(block.ways())):
                sentence = f"`{match['ids']}` are several, and have no sentence or way in common"
                self.errors.append((block.line, sentence))
                return
            for id in ids:
                self._read_entry(block, id, _checks(match["fails"], self.names))
        else:
            self.errors.append((block.line, f"`{block.title}` is no id of a mistake"))

    def _read_entry(self, block: Block, id: str, checks: list[str]) -> None:
        operator = self.operators.get(id, Block())
        has_own_ways = any(block.ways())
        cells = list(self._cells(block.ways()) if has_own_ways else self._operated(operator))
        if not cells and not has_own_ways:
            reason = (
                "acts on no hole of this exercise" if any(operator.ways()) else "is made in no way"
            )
            self.errors.append((block.line, f"`{id}` {reason}"))
        if not block.sentence and not operator.sentence:
            self.errors.append((block.line, f"`{id}` has no sentence, and is no operator"))
        self._add(id, block, block.sentence or operator.sentence, checks, cells)

    def _operated(self, operator: Block) -> Iterator[str]:
        """Yield the cells with the mistake of a shared entry, for its ways that fit this exercise."""
        for _, way in operator.ways():
            with suppress(BadHole):  # not every way is one of this exercise
                yield self._cell(way)

    def _add(
        self, id: str, block: Block, sentence: str, checks: Iterable[str], cells: Sequence[str]
    ) -> None:
        beside = block.words(BESIDE)
        self.mistakes.append(
            Mistake(id, self.exercise, sentence, tuple(checks), tuple(cells), beside, block.line)
        )

    def _cells(self, ways: Iterable[tuple[int, Way]]) -> Iterator[str]:
        """Yield the cell with the mistake for each way. A way that cannot be made is an error."""
        for line, way in ways:
            try:
                yield self._cell(way)
            except BadHole as error:
                self.errors.append((line, str(error)))

    def _cell(self, way: Way) -> str:
        """Fill the holes of a way in the cell of the solution, or of the first body that has them.

        If the holes name exactly one body, that body is filled. Raise `BadHole` if no cell has all
        holes.
        """
        named_bodies = {name.partition(".")[0] for name, _ in way} & self.cells.keys()
        body = named_bodies.pop() if len(named_bodies) == 1 else ""
        way = [(name.removeprefix(f"{body}."), text) for name, text in _with_names(way, self.names)]
        errors = []
        for cell in [self.cells[body]] if body else self.cells.values():
            try:
                return cell.fill(way)
            except BadHole as error:
                errors.append(error)
        raise errors[0]

    def _read_other(self, block: Block, exercise: str, body: str) -> None:
        """Add the mistakes of an exercise that the named body of this exercise contains."""
        if exercise not in self.others or body not in self.cells:
            sentence = f"there is no catalogue of `{exercise}`, or no body `{body}`"
            self.errors.append((block.line, sentence))
            return
        (preamble, *other_blocks), _ = read_blocks(self.others[exercise])
        names = _defined(preamble)
        without = {*block.words(WITHOUT), *(mistake.id for mistake in self.mistakes)}
        checks_here = {
            named_text.name: named_text.text
            for named_text in block.named
            if named_text.name != WITHOUT
        }
        for other_block in other_blocks:
            match = TITLE.fullmatch(other_block.title)
            if not match or match["ids"] in without:
                continue
            failing_there = _checks(match["fails"], names)
            checks = dict.fromkeys(
                self.names.get(checks_here[name], checks_here[name])
                for name in failing_there
                if name in checks_here
            )
            cells = []
            for number, (_, way) in enumerate(other_block.ways(), start=1):
                if f"{match['ids']}/{number}" not in without:
                    with suppress(BadHole):  # not every way is one of this body
                        cells.append(self.cells[body].fill(_with_names(way, names)))
            if checks and cells:
                sentence = other_block.sentence or self.operators[match["ids"]].sentence
                self._add(match["ids"], Block(block.line), sentence, checks, cells)


def read_operators(text: str) -> tuple[Operators, Errors]:
    """Parse the entries that exercises share. Return them by id, and the errors."""
    (_, *blocks), errors = read_blocks(text)
    operators = {block.title: block for block in blocks}
    errors += [
        (block.line, f"`{block.title}` has no sentence") for block in blocks if not block.sentence
    ]
    return operators, errors


def _defined(preamble: Block) -> dict[str, str]:
    """Return the text of each name that the lines before the first heading define.

    A text may use names that are defined above it.
    """
    names: dict[str, str] = {}
    for match in filter(None, map(DEFINED.fullmatch, preamble.quoted)):
        ((_, text),) = _with_names([("", match[2])], names)
        names[match[1]] = " ".join(_checks(text, names))
    return names


def _checks(fails: str | None, names: Mapping[str, str]) -> list[str]:
    """Return the checks in the words after `fails:` in an entry.

    `names`: lists of checks, by abbreviation.
    """
    return " ".join(names.get(word, word) for word in (fails or "").split()).split()


def _with_names(way: Way, names: Mapping[str, str]) -> Way:
    """Replace each `$NAME` in a way by its text in `names`.

    Any other `$name` stays a reference to a hole.
    """
    return [
        (hole, with_references(text, lambda name: names.get(name, f"${{{name}}}")))
        for hole, text in way
    ]
