"""The catalogue of an exercise: text for people, from which mistakes are made.

Before the first heading stand prose and names for lists of checks or for code. Each heading begins
an entry:

    VALUES = weights_are_those_of_the_equation
    ALL = VALUES weights_can_be_learned
    SCALE = / math.sqrt(x.size(-1))       `$SCALE` in a way

    ## wrong_scale  fails: VALUES
    > The scores are scaled, but by another number than the equation has. Which size is under the root?
    scale: / x.size(-1) || * math.sqrt(x.size(-1)) || / {{2 4 8 10 16}}
    beside: softmax/shifted               a mistake it has to be told apart from

A way to make the mistake is a text for a hole of the solution; the first one is the usual one.
`blocks.py` says how several are written, `holes.py` which holes there are.

    ## gradient_is_cut an_axis_is_lost  fails: VALUES

These two are operators: the sentence or the ways that an entry lacks are in `operators.md`, beside
this file or beside the assignment's catalogues. Their ways fill the holes of the solution, or else
of a body.

    ## body own_norm                      another solution, with holes of its own
    before class:
        class Norm(nn.Module):
            ...
                return normalised * self.weight     #@ norm
    && methods:
        def attend(self, query, key, value):
            $attention                    what a student writes in that exercise, with its holes

    norm: normalised                      a way in an entry: a hole of that body (or `own_norm.norm`,
                                          where the solution, or a body above, has such a hole, too)

    ## as in softmax, in own_softmax      what goes wrong there goes wrong here
    rows_add_up: weights_add_up           a check there, and the one that fails here
    without: scaled shifted/1             and these do not: a mistake, the first way of another
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
    """A known wrong variant of an exercise's solution. The sentence tells the student what happens
    and where to look, never the solution.

    `caught_by`: the checks that must fail, without `test_`; `cells`: the cell with the mistake in
    it, once for each way to make it, the usual way first; `beside`: mistakes that it has to be told
    apart from, as exercise/id; `line`: its line in the catalogue.
    """

    id: str
    exercise: str
    sentence: str
    caught_by: tuple[str, ...]  # checks that must fail, without `test_`
    cells: tuple[str, ...]  # the solution with the mistake in it, once for each way
    beside: tuple[str, ...] = ()  # exercise/id: mistakes that it has to be told apart from
    line: int = 0  # of its catalogue

    @property
    def failing_checks(self) -> frozenset[str]:
        """The names of the test functions that must fail."""
        return frozenset(f"test_{check}" for check in self.caught_by)


class Catalogue:
    """The mistakes of one exercise, parsed from `text`, and the errors in that text.

    `exercise`: its id; `solution`: its solution cell; `others`: the texts of other exercises'
    catalogues, by id; `operators`: the entries that exercises share, by id; `answers`: what a
    student would write in each exercise, by id, for use in a body. A body (`## body NAME`) is
    another solution of the exercise, with holes of its own.
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
        self.cells = {"": solution}  # and those of the named bodies
        (first, *blocks), self.errors = read_blocks(text)
        self.names = _defined(first)  # what stands for lists of checks, or for code
        for block in blocks:
            self._read(block)

    def _read(self, block: Block) -> None:
        self.errors += [
            (one.line, f"`- {one.old}` is an edit, and names no hole (`hole: ...`)")
            for one in block.edits
        ]
        if found := BODY.fullmatch(block.title):
            for line, way in block.ways():
                try:
                    way = _with_names(way, {**self.answers, **self.names})
                    self.cells[found[1]] = self.cells[""].filled(way)
                except BadHole as error:
                    self.errors.append((line, str(error)))
        elif found := OTHER.fullmatch(block.title):
            self._read_other(block, found[1], found[2])
        elif found := TITLE.fullmatch(block.title):
            ids = found["ids"].split()
            if len(ids) > 1 and (block.sentence or any(block.ways())):
                sentence = f"`{found['ids']}` are several, and have no sentence or way in common"
                self.errors.append((block.line, sentence))
                return
            for id in ids:
                self._read_entry(block, id, _checks(found["fails"], self.names))
        else:
            self.errors.append((block.line, f"`{block.title}` is no id of a mistake"))

    def _read_entry(self, block: Block, id: str, checks: list[str]) -> None:
        operator = self.operators.get(id, Block())
        own = any(block.ways())
        cells = list(self._cells(block.ways()) if own else self._operated(operator))
        if not cells and not own:
            why = (
                "acts on no hole of this exercise" if any(operator.ways()) else "is made in no way"
            )
            self.errors.append((block.line, f"`{id}` {why}"))
        if not block.sentence and not operator.sentence:
            self.errors.append((block.line, f"`{id}` has no sentence, and is no operator"))
        self._add(id, block, block.sentence or operator.sentence, checks, cells)

    def _operated(self, operator: Block) -> Iterator[str]:
        """Yield the cell with the mistake in it that `operator`, an entry which exercises share,
        makes: once for each of its ways for which this exercise has the holes.
        """
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
        """Yield the cell with the mistake in it for each of these ways that can be made; add an
        error for each other one.
        """
        for line, way in ways:
            try:
                yield self._cell(way)
            except BadHole as error:
                self.errors.append((line, str(error)))

    def _cell(self, way: Way) -> str:
        """Return the cell in which the holes of a way are filled: that of the solution or, if it
        does not have them all, of the first body (another solution) that does.

        If the holes name exactly one body, that one is filled. Raise `BadHole` if no cell has all
        of them.
        """
        named = {name.partition(".")[0] for name, _ in way} & self.cells.keys()
        body = named.pop() if len(named) == 1 else ""
        way = [(name.removeprefix(f"{body}."), text) for name, text in _with_names(way, self.names)]
        errors = []
        for cell in [self.cells[body]] if body else self.cells.values():
            try:
                return cell.fill(way)
            except BadHole as error:
                errors.append(error)
        raise errors[0]

    def _read_other(self, block: Block, exercise: str, body: str) -> None:
        """Add the mistakes of another exercise, whose solution is contained in this one's; add an
        error if it has no catalogue, or there is no such body. `block`: the entry that says so;
        `exercise`: the other one's id; `body`: the name of the body (another solution of this
        exercise) in which the mistakes are made.
        """
        if exercise not in self.others or body not in self.cells:
            sentence = f"there is no catalogue of `{exercise}`, or no body `{body}`"
            self.errors.append((block.line, sentence))
            return
        (first, *theirs), _ = read_blocks(self.others[exercise])
        names = _defined(first)
        without = {*block.words(WITHOUT), *(one.id for one in self.mistakes)}
        here = {one.name: one.text for one in block.named if one.name != WITHOUT}
        for one in theirs:
            found = TITLE.fullmatch(one.title)
            if not found or found["ids"] in without:
                continue
            there = _checks(found["fails"], names)
            checks = dict.fromkeys(
                self.names.get(here[name], here[name]) for name in there if name in here
            )
            cells = []
            for number, (_, way) in enumerate(one.ways(), start=1):
                if f"{found['ids']}/{number}" not in without:
                    with suppress(BadHole):  # not every way is one of this body
                        cells.append(self.cells[body].fill(_with_names(way, names)))
            if checks and cells:
                sentence = one.sentence or self.operators[found["ids"]].sentence
                self._add(found["ids"], Block(block.line), sentence, checks, cells)


def read_operators(text: str) -> tuple[Operators, Errors]:
    """Parse the text of the entries that exercises share; return them by id, and the errors as
    (line number, sentence).
    """
    (_, *blocks), errors = read_blocks(text)
    found = {block.title: block for block in blocks}
    errors += [
        (block.line, f"`{block.title}` has no sentence") for block in blocks if not block.sentence
    ]
    return found, errors


def _defined(first: Block) -> dict[str, str]:
    """Return the text of each name that the lines before the first heading define. A text may use
    names that are defined above it.
    """
    names: dict[str, str] = {}
    for found in filter(None, map(DEFINED.fullmatch, first.quoted)):
        ((_, text),) = _with_names([("", found[2])], names)
        names[found[1]] = " ".join(_checks(text, names))
    return names


def _checks(fails: str | None, names: Mapping[str, str]) -> list[str]:
    """Return the names of the checks in `fails`, the words after `fails:` in an entry; an empty
    list for None. `names`: lists of checks, by the word that stands for them.
    """
    return " ".join(names.get(word, word) for word in (fails or "").split()).split()


def _with_names(way: Way, names: Mapping[str, str]) -> Way:
    """Return the way (pairs of a hole and its text) in which each `$NAME` is replaced by its text
    in `names`; any other `$name` stays a reference to a hole.
    """
    return [
        (hole, with_references(text, lambda name: names.get(name, f"${{{name}}}")))
        for hole, text in way
    ]
