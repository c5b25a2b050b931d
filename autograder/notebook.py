"""Read a submitted notebook, and put what the student wrote back into the pristine one.

Nothing in a submission is believed but the text of its cells and the names they go by: metadata
and outputs are not read. What had to be repaired is told in sentences for the verdict.
"""

import ast
import hashlib
import json
import stat
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from pathlib import Path

from autograder.assignment import Assignment, PristineCell

MAX_BYTES = 32 * 1024 * 1024
MAX_CELLS = 2_000
MAX_SOURCE = 200_000  # characters of all code cells together


class Unreadable(Exception):
    """This file is no notebook that can be graded; the message says why and what to do."""


@dataclass(frozen=True)
class SubmittedCell:
    kind: str
    source: str
    id: str | None
    grade_id: str | None


@dataclass(frozen=True)
class Cell:
    """A code cell to be run: an exercise's solution, or provided, or the student's own."""

    id: str
    source: str
    exercise: str | None = None


@dataclass
class Submission:
    """A notebook that is ready to be run, in the pristine order."""

    cells: list[Cell]
    untouched: set[str]  # exercises whose solution cell is empty, missing, or as it was released
    repairs: list[str] = field(default_factory=list)

    @property
    def hash(self) -> str:
        digest = hashlib.sha256()
        for cell in self.cells:
            digest.update(f"{cell.id}\0{cell.source}\0".encode(errors="surrogatepass"))
        return digest.hexdigest()[:16]


def read_notebook(path: Path) -> list[SubmittedCell]:
    """Return the cells of a notebook file. Raises `Unreadable`."""
    try:
        info = path.lstat()
    except OSError as error:
        raise Unreadable(f"`{path.name}` cannot be opened: {error.strerror}.") from error
    if not stat.S_ISREG(info.st_mode):
        raise Unreadable(f"`{path.name}` is no regular file; hand in the notebook itself.")
    if info.st_size > MAX_BYTES:
        raise Unreadable(
            f"`{path.name}` has {info.st_size >> 20} MiB; clear its outputs and hand it in again."
        )
    return parse_notebook(path.read_bytes(), path.name)


def parse_notebook(data: bytes, name: str) -> list[SubmittedCell]:
    """Return the cells of a notebook's bytes. Raises `Unreadable`, and nothing else."""
    if not data.strip():
        raise Unreadable(f"`{name}` is empty; save the notebook and hand it in again.")
    try:
        content = json.loads(data.decode("utf-8-sig"), object_pairs_hook=_unique)
    except UnicodeDecodeError as error:
        raise Unreadable(f"`{name}` is not UTF-8 text; save it from Jupyter again.") from error
    except (ValueError, RecursionError) as error:
        where = f" (line {error.lineno})" if isinstance(error, json.JSONDecodeError) else ""
        raise Unreadable(
            f"`{name}` is no notebook: its JSON is damaged{where}; save it from Jupyter again."
        ) from error
    if not isinstance(content, dict) or not isinstance(content.get("cells"), list):
        raise Unreadable(f"`{name}` is no notebook with cells; save it from Jupyter again.")
    if len(content["cells"]) > MAX_CELLS:
        raise Unreadable(f"`{name}` has more than {MAX_CELLS} cells; hand in the assignment alone.")
    cells = [_submitted(cell, name) for cell in content["cells"]]
    if sum(len(cell.source) for cell in cells if cell.kind == "code") > MAX_SOURCE:
        raise Unreadable(f"`{name}` has more than {MAX_SOURCE} characters of code; hand in less.")
    return cells


def assemble(assignment: Assignment, submitted: list[SubmittedCell]) -> Submission:
    """Put a student's cells into the pristine notebook. Raises `Unreadable`.

    Cells are matched by nbgrader's id, then by cell id, then by the name that they define, then
    by position. Provided cells are run as they were released, and again as the student left them
    where that differs; the student's own cells are run after the cell that they follow.
    """
    matches, repairs = _Matcher(assignment.cells, submitted).match()
    if not matches:
        raise Unreadable(
            f"No cell of `{assignment.id}` is in this notebook; is it for another assignment?"
        )
    places = {index: pristine for pristine, index in matches.items()}
    extras: dict[str, list[Cell]] = {}
    anchor = ""
    for index, cell in enumerate(submitted):
        anchor = places.get(index, anchor)
        if cell.kind == "code" and index not in places:
            extras.setdefault(anchor, []).append(Cell(f"your cell {index + 1}", cell.source))

    cells, untouched = list(extras.get("", ())), set()
    for pristine in assignment.cells:
        theirs = submitted[matches[pristine.id]].source if pristine.id in matches else None
        cells += _runs(pristine, theirs)
        cells += extras.get(pristine.id, ())
        if pristine.solution and pristine.kind == "code":
            if theirs is None:
                repairs.append(f"The cell `{pristine.id}` is missing from the notebook.")
            if theirs is None or _same(theirs, pristine.source) or not _code(theirs):
                untouched.add(pristine.id)
    return Submission(cells, untouched, repairs)


def _runs(pristine: PristineCell, theirs: str | None) -> Iterable[Cell]:
    """Yield what is run for one pristine cell."""
    if pristine.kind != "code" or pristine.check or pristine.skipped:
        return
    if pristine.solution:
        yield Cell(pristine.id, theirs or "", exercise=pristine.id)
        return
    yield Cell(pristine.id, pristine.source)
    if theirs is not None and not _same(theirs, pristine.source):
        yield Cell(f"your {pristine.id}", theirs)


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
        if self.matches:  # a notebook without any of our ids is another notebook
            self._by_definition()
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


def _submitted(cell: object, name: str) -> SubmittedCell:
    if not isinstance(cell, dict) or not isinstance(cell.get("cell_type"), str):
        raise Unreadable(f"`{name}` has a cell that is none; save it from Jupyter again.")
    source = cell.get("source", "")
    if isinstance(source, list) and all(isinstance(line, str) for line in source):
        source = "".join(source)
    if not isinstance(source, str):
        raise Unreadable(f"`{name}` has a cell without text; save it from Jupyter again.")
    metadata = cell.get("metadata")
    ours = metadata.get("nbgrader") if isinstance(metadata, dict) else None
    grade_id = ours.get("grade_id") if isinstance(ours, dict) else None
    return SubmittedCell(
        kind=cell["cell_type"],
        source=source.encode(errors="replace").decode(),  # a lone surrogate becomes "?"
        id=cell["id"] if isinstance(cell.get("id"), str) else None,
        grade_id=grade_id if isinstance(grade_id, str) else None,
    )


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


def _unique(pairs: list) -> dict:
    if len({name for name, _ in pairs}) != len(pairs):
        raise ValueError("a key stands twice")
    return dict(pairs)

