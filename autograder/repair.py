"""Put what a student wrote back into the pristine notebook, and say what had to be repaired."""

import ast
import hashlib
from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field

from autograder.assignment import Assignment, PristineCell
from autograder.notebook import SubmittedCell, Unreadable

ENOUGH_NAMES = 2  # definitions by which a notebook that lost all its ids is known


@dataclass(frozen=True)
class Cell:
    """A code cell to be run: an exercise's solution, or provided, or the student's own."""

    id: str
    source: str
    exercise: str | None = None
    provided: bool = False  # as the staff wrote it


@dataclass(frozen=True)
class Page:
    """A cell of the repaired notebook: a pristine one, as the student left it, or the student's own."""

    id: str
    kind: str
    source: str
    pristine: PristineCell | None


@dataclass
class Submission:
    """A repaired notebook, in the pristine order."""

    pages: list[Page]
    untouched: set[str] = field(default_factory=set)  # exercises left empty, out, or as released
    repairs: list[str] = field(default_factory=list)

    @property
    def cells(self) -> list[Cell]:
        """The cells to run. Provided ones run as released, and again where the student changed them."""
        return [cell for page in self.pages for cell in _runs(page)]

    @property
    def hash(self) -> str:
        """Changes with any text that the student wrote."""
        return _digest(f"{page.id}\0{page.kind}\0{page.source}\0" for page in self.pages)[:16]

    @property
    def decisive(self) -> str:
        """A hash that changes with what a verdict depends on: code that runs, what is missing."""
        cells = (f"{cell.id}\0{cell.provided}\0{cell.source}\0" for cell in self.cells)
        return _digest([*cells, *sorted(self.untouched), *self.repairs])


def _digest(words: Iterable[str]) -> str:
    digest = hashlib.sha256()
    for word in words:
        digest.update(word.encode(errors="surrogatepass") + b"\0")
    return digest.hexdigest()


def repair(assignment: Assignment, submitted: list[SubmittedCell]) -> Submission:
    """Put a student's cells into the pristine notebook. Raises `Unreadable`.

    Cells are matched by nbgrader's id, then by cell id, then by the name that they define, then by
    position. The student's own cells stay behind the cell that they followed. Check cells are
    always the pristine ones.
    """
    matches, repairs = _Matcher(assignment.cells, submitted).match()
    if not matches:
        raise Unreadable(
            f"No cell of `{assignment.id}` is in this notebook; is it for another assignment?"
        )
    own = _own_cells(submitted, {index: name for name, index in matches.items()})
    submission = Submission(list(own[""]), repairs=repairs)
    for pristine in assignment.cells:
        theirs = submitted[matches[pristine.id]].source if pristine.id in matches else None
        source = pristine.source if theirs is None or pristine.check else theirs
        if pristine.solution and pristine.kind == "code":
            if theirs is None:
                submission.repairs.append(f"The cell `{pristine.id}` is missing from the notebook.")
                source = ""
            if _same(source, pristine.source) or not _code(source):
                submission.untouched.add(pristine.id)
        submission.pages.append(Page(pristine.id, pristine.kind, source, pristine))
        submission.pages += own[pristine.id]
    return submission


def _own_cells(submitted: list[SubmittedCell], places: dict[int, str]) -> dict[str, list[Page]]:
    """The cells that are not the assignment's, by the pristine cell that they follow."""
    own: dict[str, list[Page]] = defaultdict(list)
    anchor = ""
    for index, cell in enumerate(submitted):
        anchor = places.get(index, anchor)
        if index not in places:
            own[anchor].append(Page(f"your-cell-{index + 1}", cell.kind, cell.source, None))
    return own


def _runs(page: Page) -> Iterator[Cell]:
    pristine = page.pristine
    if page.kind != "code" or (pristine and (pristine.check or pristine.skipped)):
        return
    if pristine is None:
        yield Cell(page.id, page.source)
    elif pristine.solution:
        yield Cell(page.id, page.source, exercise=page.id)
    else:
        changed = not _same(page.source, pristine.source)
        if changed:
            yield Cell(f"{page.id} as released", pristine.source, provided=True)
        yield Cell(page.id, page.source, provided=not changed)


class _Matcher:
    """Finds, for each pristine cell, the index of the submitted cell that is it."""

    def __init__(self, pristine: tuple[PristineCell, ...], submitted: list[SubmittedCell]):
        self.pristine = pristine
        self.submitted = submitted
        self.matches: dict[str, int] = {}
        self.repairs: list[str] = []

    def match(self) -> tuple[dict[str, int], list[str]]:
        self._by_name(lambda cell: cell.grade_id)
        self._by_name(lambda cell: cell.id)
        known = bool(self.matches)
        self._by_definition()
        if not known and len(self.matches) < ENOUGH_NAMES:
            return {}, []
        self._by_position()
        return self.matches, self.repairs

    def _by_name(self, name_of: Callable[[SubmittedCell], str | None]) -> None:
        """The last of several cells with one name is the one; the others run as extra cells."""
        wanted = {cell.id: cell for cell in self.pristine if cell.id not in self.matches}
        taken, found = set(self.matches.values()), set()
        for index, cell in enumerate(self.submitted):
            name = name_of(cell)
            if name not in wanted or wanted[name].kind != cell.kind or index in taken:
                continue
            if name in found:
                self.repairs.append(f"The cell `{name}` is there twice: the last one counts.")
            found.add(name)
            self.matches[name] = index

    def _by_definition(self) -> None:
        for pristine in self._missing():
            names = _defined(pristine.source)
            for index in reversed(self._free("code")):
                if names & _defined(self.submitted[index].source):
                    self._adopt(pristine, index, "what it defines")
                    break

    def _by_position(self) -> None:
        """A single free cell between the neighbours of a missing one is taken for it."""
        order = [cell.id for cell in self.pristine]
        for pristine in self._missing():
            place = order.index(pristine.id)
            before = [self.matches[name] for name in order[:place] if name in self.matches]
            after = [self.matches[name] for name in order[place + 1 :] if name in self.matches]
            low, high = max(before, default=-1), min(after, default=len(self.submitted))
            between = [index for index in self._free(pristine.kind) if low < index < high]
            if len(between) == 1:
                self._adopt(pristine, between[0], "its place")

    def _adopt(self, pristine: PristineCell, index: int, reason: str) -> None:
        self.matches[pristine.id] = index
        self.repairs.append(f"The cell `{pristine.id}` had lost its id and was found by {reason}.")

    def _missing(self) -> list[PristineCell]:
        solutions = (cell for cell in self.pristine if cell.solution and cell.kind == "code")
        return [cell for cell in solutions if cell.id not in self.matches]

    def _free(self, kind: str) -> list[int]:
        taken = set(self.matches.values())
        cells = enumerate(self.submitted)
        return [index for index, cell in cells if cell.kind == kind and index not in taken]


def _defined(source: str) -> set[str]:
    """The classes and functions that a cell defines at its top."""
    try:
        body = ast.parse(source).body
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return set()
    return {node.name for node in body if isinstance(node, ast.ClassDef | ast.FunctionDef)}


def _same(one: str, other: str) -> bool:
    """Whether two cells say the same, white space at the ends of lines aside."""
    return _stripped(one) == _stripped(other)


def _stripped(source: str) -> list[str]:
    return [line.rstrip() for line in source.strip().splitlines()]


def _code(source: str) -> bool:
    """Whether a cell holds more than comments."""
    return any(line.strip() and not line.strip().startswith("#") for line in source.splitlines())
