"""Decide which cells of a submitted notebook answer which exercise.

Grading, `autograder check`, and the toolbox in the notebook all decide by this module, of which
`toolbox.py` holds a copy; so it needs the standard library alone. A cell is found by its names
(nbgrader's id, then the cell's own), by the released text, by what it defines, and by its place, in
this order. Of cells with one name, the one with an answer counts.

    release        intro, explain, attention, check_attention
    submitted      intro, a text (new), class Attention (new), check_attention, attention (a copy)
    Placement      explain is the text, attention is the class; the copy has nothing of the student
"""

import ast
import hashlib
import warnings
from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import NamedTuple, Protocol

ANSWER, CHECK, NOT_RUN = "answer", "check", "not run"  # roles of released cells
MOST_CELLS = 2_000  # of a notebook
MOST_CODE = 300_000  # characters of all its code cells together, of which a release takes 130,000
ENOUGH = 2  # answers and checks by which a notebook that lost all its ids is known
KIND_WORDS = {"code": "a code cell", "markdown": "a text cell", "raw": "a raw cell"}
LONGEST_PROSE = 20_000  # characters of a text in a code cell
COMPARISONS = "=!<>+-*/%&|^@~:"  # before `=`, they make it no plain assignment


class ReleasedCell(NamedTuple):
    """A cell of the release. `role`: ANSWER if students write in it, CHECK for an automatic check
    cell, NOT_RUN for one that grading does not run, else "". `defines`: the names that an answer in code has to define; `text`: what an
    answer in prose has before anything is written.
    """

    id: str
    kind: str  # "code", "markdown"
    fingerprint: str
    role: str = ""
    defines: tuple[str, ...] = ()
    text: str = ""

    @property
    def is_prose(self) -> bool:
        """Whether students write text in it, which a person reads."""
        return self.role == ANSWER and self.kind != "code"


class CellText(Protocol):
    """A submitted cell. `names`: nbgrader's id and the cell's own, as far as the file has them."""

    @property
    def kind(self) -> str: ...

    @property
    def source(self) -> str: ...

    @property
    def names(self) -> Sequence[str]: ...


class Placement(NamedTuple):
    """Where the submitted cells (given by their indices) belong.

    `cells`: the cell that stands for each released one, by id; none for a cell that is missing.
    `order`: all cells in the order in which they are graded, as pairs (released id or "", index or
    -1 for a cell that is missing). `parts`: of each answer in prose, the cells that it is made of.
    `answers`: the cell that answers each coded exercise, which may be one that the student added;
    `before_checks`: the last cell of the student's between that and the check, where there is one.
    `repairs`: a sentence for the student on each repair. If `cells` is empty, the notebook is not of
    this assignment.
    """

    cells: dict[str, int]
    order: list[tuple[str, int]]
    parts: dict[str, list[int]]
    answers: dict[str, int]
    before_checks: dict[str, int]
    repairs: list[str]


def place(released: Sequence[ReleasedCell], submitted: Sequence[CellText]) -> Placement:
    """Return where the cells of a submitted notebook belong; `released`: all cells of the release,
    in its order.
    """
    return _Placing(released, submitted).place()


def fingerprint(source: str) -> str:
    """Return a short hash of a cell's text; white space at the ends of lines does not change it."""
    lines = [line.rstrip() for line in source.strip().splitlines()]
    return hashlib.sha256("\n".join(lines).encode(errors="replace")).hexdigest()[:12]


def says_more(source: str, cell: ReleasedCell) -> bool:
    """Whether the text of a submitted cell has something that the released cell does not have: of
    an answer in prose, a line; of code, any line that is not a comment.
    """
    if cell.is_prose:
        return bool(_lines(source) - _lines(cell.text))
    has_code = any(not line.startswith("#") for line in _lines(source)) or cell.kind != "code"
    return has_code and fingerprint(source) != cell.fingerprint


def names_defined(source: str) -> set[str]:
    """Return the names that this code defines at its top level: classes, functions, variables, and
    what it imports. A parser would take very long for some texts, and refuses others.
    """
    return {name for line in source.splitlines() for name in _names_in(line) if name.isidentifier()}


def words(source: str) -> set[str]:
    """Return the names that occur in this code."""
    return set(_words(source))


def is_prose(cell: CellText) -> bool:
    """Whether a person has to read this cell: a text, or a code cell with what is no Python."""
    if cell.kind != "code" or not cell.source.strip():
        return bool(cell.source.strip())
    if len(cell.source) > LONGEST_PROSE:  # a parser takes long for some texts
        return False
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            compile(cell.source, "<cell>", "exec", ast.PyCF_ALLOW_TOP_LEVEL_AWAIT, True)
    except SyntaxError:  # magics are code, too
        return not any(line.lstrip()[:1] in ("%", "!") for line in cell.source.splitlines())
    except (ValueError, RecursionError, MemoryError, OverflowError):
        return False
    return False


def _is_empty_copy(source: str, cell: ReleasedCell) -> bool:
    """Whether the text of a submitted cell has nothing at all of the student's."""
    is_same = fingerprint(source) == cell.fingerprint or not source.strip()
    return is_same or (cell.is_prose and not says_more(source, cell))


class _Placing:
    """The cells that are placed so far, and those that are free."""

    def __init__(self, released: Sequence[ReleasedCell], submitted: Sequence[CellText]):
        self.released = released
        self.submitted = submitted
        self.ids = [cell.id for cell in released]
        self.cells: dict[str, int] = {}
        self.parts: dict[str, list[int]] = {}
        self.free = set(range(len(submitted)))
        self.outdone: set[int] = set()  # answers with the name of a later one
        self.repairs: list[str] = []

    def place(self) -> Placement:
        self._by_name(lambda cell: cell.names[:1])
        self._by_name(lambda cell: cell.names[1:])
        is_known = bool(self.cells)
        self._by_text()
        self._by_definition()
        counting = {cell.id for cell in self.released if cell.role in (ANSWER, CHECK)}
        if len(counting & self.cells.keys()) < (1 if is_known else ENOUGH):
            return Placement({}, [], {}, {}, {}, [])
        self._by_place()
        for cell in self.released:
            if cell.is_prose:
                self._collect_parts(cell)
        order = list(self._order())
        answers, before_checks = self._answers(order)
        return Placement(self.cells, order, self.parts, answers, before_checks, self.repairs)

    def _by_name(self, names_of: Callable[[CellText], Sequence[str]]) -> None:
        """Place the cells whose names, as `names_of` returns them, are those of a released cell."""
        named: dict[str, list[int]] = {}
        for index in sorted(self.free):
            for name in names_of(self.submitted[index]):
                named.setdefault(name, []).append(index)
        for cell in self.released:
            if cell.id in named and cell.id not in self.cells:
                self._choose(cell, [index for index in named[cell.id] if index in self.free])

    def _choose(self, cell: ReleasedCell, indices: Sequence[int]) -> None:
        """Place the one of these cells with the name of `cell` that has something of the student's;
        of several, the last one. Those that are as released are left out of the notebook.
        """
        if not indices:
            return
        sources = {index: self.submitted[index].source for index in indices}
        written = [index for index in indices if says_more(sources[index], cell)]
        self.free -= {index for index in indices if _is_empty_copy(sources[index], cell)}
        counts = (written or indices)[-1]
        halves = self._halves(cell, written)
        if halves:
            self._repair(f"The cell `{cell.id}` is there in {len(halves)} parts, which all count.")
            self.parts[cell.id] = halves
            self.free -= set(halves)
        elif len(written) > 1:
            self.outdone |= set(written[:-1])
            self._repair(f"The cell `{cell.id}` is there twice: the last one counts.")
        elif written and len(indices) > 1 and cell.role == ANSWER:
            self._repair(f"The cell `{cell.id}` is there twice: the one with an answer counts.")
        self.cells[cell.id] = counts
        self.free.discard(counts)
        self._about_kind(cell, counts)

    def _halves(self, cell: ReleasedCell, written: Sequence[int]) -> list[int]:
        """Return these cells if they are one answer in prose that was split: side by side, and
        without a line in common.
        """
        if not cell.is_prose or len(written) < 2:
            return []
        between = set(range(written[0], written[-1])) - set(written)
        if any(self.submitted[index].source.strip() for index in between):
            return []
        texts = [_lines(self.submitted[index].source) for index in written]
        lines = [line for text in texts for line in text if any(map(str.isalpha, line))]
        return [*written] if len(lines) == len(set(lines)) else []

    def _about_kind(self, cell: ReleasedCell, index: int) -> None:
        """Report that a cell with an answer has another kind than it was released with."""
        kind = self.submitted[index].kind
        if kind != cell.kind and cell.role == ANSWER:
            self._repair(
                f"The cell `{cell.id}` had become {KIND_WORDS.get(kind, 'another cell')}: it is read as "
                f"{KIND_WORDS[cell.kind]} again."
            )

    def _by_text(self) -> None:
        """Place cells that say what a released cell says, or all that a question in prose does."""
        prints: dict[str, list[int]] = {}
        for index in sorted(self.free):
            prints.setdefault(fingerprint(self.submitted[index].source), []).append(index)
        for cell in self._missing():
            self._adopt_nearest(
                cell, [i for i in prints.get(cell.fingerprint, ()) if i in self.free]
            )
        for cell in self.released:  # copies of released cells have nothing of the student's
            self.free -= set(prints.get(cell.fingerprint, ()))
        for cell in self._missing():
            asked = _lines(cell.text)
            if cell.is_prose and asked:
                free = sorted(self.free)
                same = [i for i in free if asked <= _lines(self.submitted[i].source)]
                self._adopt_nearest(cell, same)

    def _adopt_nearest(self, cell: ReleasedCell, indices: Sequence[int]) -> None:
        """Place the first of these cells that lies between the neighbours of `cell`, or the only
        one.
        """
        low, high = self._window(cell)
        between = [index for index in indices if low < index < high]
        if between or len(indices) == 1:
            self._adopt(cell, (between or indices)[0], "what it says")

    def _by_definition(self) -> None:
        """Place cells that define what an answer has to define: code, or else what is no code any
        more.
        """
        defined = {index: names_defined(self.submitted[index].source) for index in self.free}
        for cell in self._missing():
            fitting = [
                index
                for index in sorted(self.free)
                if cell.kind == "code" and defined[index] & set(cell.defines)
            ]
            code = [index for index in fitting if self.submitted[index].kind == "code"]
            if fitting:
                self._adopt(cell, (code or fitting)[-1], "what it defines")

    def _by_place(self) -> None:
        """Place the only code cell that lies between the neighbours of a missing answer in code."""
        for cell in self._missing():
            if cell.role != ANSWER or cell.is_prose:
                continue
            low, high = self._window(cell)
            code = [index for index in self.free if self.submitted[index].kind == "code"]
            between = [index for index in code if low < index < high]
            if len(between) == 1:
                self._adopt(cell, between[0], "its place")

    def _collect_parts(self, cell: ReleasedCell) -> None:
        """Let the texts beside an answer in prose, which the student added, be parts of it."""
        own = self.parts.get(cell.id) or [self.cells[id] for id in (cell.id,) if id in self.cells]
        own = [index for index in own if says_more(self.submitted[index].source, cell)]
        low, high = self._window(cell)
        free = sorted(self.free - self.outdone)
        beside = [
            index
            for index in free
            if low < index < high and says_more(self.submitted[index].source, cell)
        ]
        texts = [index for index in beside if self.submitted[index].kind != "code"]
        if not own and not texts:  # what defines nothing is no loss among the code
            texts = [i for i in beside if not names_defined(self.submitted[i].source)]
        is_there = cell.id in self.cells
        if own and texts:
            self._repair(f"The text beside the cell `{cell.id}` counts, too.")
        elif texts and is_there:
            self._repair(f"The text beside the cell `{cell.id}` counts as its answer.")
        elif texts:
            self._repair(f"The cell `{cell.id}` is missing: the text in its place counts.")
        elif not own and (texts := self._merged_with(cell)):
            state = "empty" if is_there else "missing"
            self._repair(f"The cell `{cell.id}` is {state}: the changed text near it counts.")
        self.free -= set(texts)
        self.parts[cell.id] = sorted({*own, *texts})

    def _merged_with(self, cell: ReleasedCell) -> list[int]:
        """Return the nearest text of the exercise, or the one below its cell, that the student has
        changed (the index of its cell), since an answer can be merged with it, or written there; []
        if there is none.
        """
        place = self.ids.index(cell.id)
        above = list(reversed(self.released[:place]))
        count = next(
            (n for n, other in enumerate(above) if other.role in (ANSWER, CHECK)), len(above)
        )
        for neighbour in (*above[:1], *self.released[place + 1 :][:1], *above[1:count]):
            index = self.cells.get(neighbour.id, -1)
            is_text = neighbour.kind != "code" and not neighbour.role
            if index >= 0 and is_text and says_more(self.submitted[index].source, neighbour):
                return [index]
        return []

    def _order(self) -> Iterator[tuple[str, int]]:
        """Yield all cells in the order of the release; those that the student added follow the cell
        that they followed.
        """
        ids = {index: id for id, index in self.cells.items()}
        own: dict[str, list[int]] = {}
        anchor = ""
        for index in range(len(self.submitted)):
            anchor = ids.get(index, anchor)
            if index in self.free:
                own.setdefault(anchor, []).append(index)
        for id in ("", *self.ids):
            if id:
                yield id, self.cells.get(id, -1)
            yield from (("", index) for index in own.get(id, ()))

    def _answers(self, order: Sequence[tuple[str, int]]) -> tuple[dict[str, int], dict[str, int]]:
        """Return `answers` and `before_checks`, see `Placement`."""
        answers, before_checks = {}, {}
        code = [
            (place, index) for place, index in enumerate(self._student_code(order)) if index >= 0
        ]
        defined = {index: names_defined(self.submitted[index].source) for _, index in code}
        places = {id: place for place, (id, _) in enumerate(order) if id}
        checks = {
            cell.id.partition("_")[2]: cell.id for cell in self.released if cell.role == CHECK
        }
        for cell in self.released:
            if cell.role != ANSWER or cell.is_prose:
                continue
            check = places[checks[cell.id]] if cell.id in checks else len(order) - 1
            below = check  # the last cell that stands directly below the check
            while below + 1 < len(order) and not order[below + 1][0]:
                below += 1
            defining = [pair for pair in code if defined[pair[1]] & set(cell.defines)]
            early = [pair for pair in defining if pair[0] < check]
            early += [
                pair
                for pair in defining
                if check < pair[0] <= below and not (early and self._uses(pair[1], cell.defines))
            ]
            named = [pair for pair in code if pair[1] == self.cells.get(cell.id)]
            for place, index in (early or defining or named)[-1:]:
                answers[cell.id] = index
                between = [other for later, other in code if place < later <= check]
                if between:
                    before_checks[cell.id] = between[-1]
        return answers, before_checks

    def _student_code(self, order: Sequence[tuple[str, int]]) -> Iterator[int]:
        """Yield, for each cell of `order`, its index if it is run and has code of the student's, else
        -1.
        """
        released = {cell.id: cell for cell in self.released}
        for id, index in order:
            cell = released.get(id)
            is_run = index >= 0 and (self.submitted[index] if cell is None else cell).kind == "code"
            if cell is not None and is_run:
                is_run = cell.role in (ANSWER, "")
                is_run = is_run and says_more(self.submitted[index].source, cell)
            yield index if is_run else -1

    def _uses(self, index: int, names: Iterable[str]) -> bool:
        """Whether the code of this cell uses one of these names before it has defined that anew, and
        so builds upon an answer above.
        """
        for line in self.submitted[index].source.splitlines():
            used = [] if line.lstrip().startswith("#") else _words(line)
            if here := [name for name in names if name in used]:
                return any(name not in _names_in(line) or used.count(name) > 1 for name in here)
        return False

    def _adopt(self, cell: ReleasedCell, index: int, reason: str) -> None:
        self.cells[cell.id] = index
        self.free.discard(index)
        if cell.role == ANSWER:
            self._repair(f"The cell `{cell.id}` had lost its id and was found by {reason}.")
            self._about_kind(cell, index)

    def _window(self, cell: ReleasedCell) -> tuple[int, int]:
        """Return the indices of the nearest placed cells above and below a released one."""
        place = self.ids.index(cell.id)
        above = [self.cells[id] for id in self.ids[:place] if id in self.cells]
        below = [self.cells[id] for id in self.ids[place + 1 :] if id in self.cells]
        return max(above, default=-1), min(below, default=len(self.submitted))

    def _missing(self) -> list[ReleasedCell]:
        return [cell for cell in self.released if cell.id not in self.cells]

    def _repair(self, sentence: str) -> None:
        self.repairs.append(sentence)


def _words(source: str) -> list[str]:
    letters = (letter if letter.isalnum() or letter == "_" else " " for letter in source)
    return "".join(letters).split()


def _lines(source: str) -> set[str]:
    """Return the different lines of a text, without white space around them and without empty
    ones.
    """
    return {line.strip() for line in source.splitlines()} - {""}


def _function_in(line: str) -> str:
    """Return the name of the class or function whose definition begins in this line, else ""."""
    words = line.removeprefix("async ").split(None, 1)
    if len(words) < 2 or words[0] not in ("class", "def") or line[:1].isspace():
        return ""
    name = words[1].split("(")[0].split(":")[0].split("[")[0].strip()
    return name if name.isidentifier() else ""


def _names_in(line: str) -> Iterable[str]:
    """Return the names that a line of code at the top level defines; some may be no names."""
    if not line.strip() or line[0].isspace() or line[0] == "#":
        return ()
    if name := _function_in(line):
        return (name,)
    first = line.split(None, 1)[0]
    if first in ("import", "from"):
        imported = line.partition("import")[2].strip("() ")
        return [part.split()[-1] for part in imported.split(",") if part.split()]
    target, equals, value = line.partition("=")
    if not equals or value.startswith("=") or target[-1:] in COMPARISONS:
        return ()
    targets = target.partition(":")[0].strip("() ")
    return [] if "(" in targets else [part.strip() for part in targets.split(",")]
