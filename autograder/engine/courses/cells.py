"""The cells of a source or released notebook, as nbgrader's metadata describe them."""

import json
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path

from autograder.engine.placing import (
    ANSWER,
    NOT_RUN,
    ReleasedCell,
    fingerprint,
    names_defined,
)
from autograder.engine.placing import CHECK as CHECKED
from autograder.engine.texts.errors import FAILED, AutograderError
from autograder.engine.texts.patterns import Pattern

BEGIN, END = "### BEGIN SOLUTION", "### END SOLUTION"  # nbgrader's
CHECK = "check_"  # a check cell is named after its solution cell
SKIP = "skip-grading"  # tag of provided cells that are not run when grading
# pattern for the title and points of an example answer, on which markers try a marking scheme
EXAMPLE = r"(?im)^\*\*example answer\*\* *\(([0-9]{1,4}(?:\.[0-9]{1,4})?) points?\) *$"
FIGURE = Pattern(r"data:image/svg\+xml;base64,[A-Za-z0-9+/=]+")  # embedded in the text
COMMENT = Pattern(r"(?s)<!--.*?(-->|\z)")  # of HTML: in the file, but not on a page


class GraderError(AutograderError):
    """The staff's files for an assignment (graders, reference, catalogues, notebook) are unusable.

    It is never a student's fault.
    """

    status = FAILED


@dataclass(frozen=True)
class PristineCell:
    """One cell of the notebook for students, as nbgrader's metadata describe it."""

    id: str
    kind: str  # "code" or "markdown"
    source: str
    solution: bool  # students write in it
    check: bool  # an automatic check cell
    skipped: bool  # has the tag SKIP: not run when grading
    points: float
    tags: tuple[str, ...] = ()


def figures_in(texts: Iterable[str]) -> frozenset[str]:
    """Return the `data:` addresses of all figures in these texts."""
    return frozenset(address for text in texts for address in FIGURE.findall(text))


def read_cells(notebook: Path) -> tuple[PristineCell, ...]:
    """Return the cells of a source or released notebook. Raise `GraderError` if it is invalid."""
    return cells_in(notebook.read_bytes(), notebook)


def cells_in(text: str | bytes, notebook: Path) -> tuple[PristineCell, ...]:
    """Return the cells of a notebook with this text. `notebook`: its path, for the message.

    Raise `GraderError` if the text is not a notebook.
    """
    try:
        return tuple(pristine_cell(cell) for cell in json.loads(text)["cells"])
    except (
        ValueError,
        LookupError,
        TypeError,
        AttributeError,
    ) as error:  # as while it is being written
        raise GraderError(f"`{notebook}` cannot be read as a notebook: {error}") from error


def pristine_cell(cell: Mapping) -> PristineCell:
    """Return a cell of a source or released notebook. `cell`: its JSON."""
    role, tags = cell["metadata"].get("nbgrader", {}), cell["metadata"].get("tags", ())
    return PristineCell(
        id=role.get("grade_id", cell["id"]),
        kind=cell["cell_type"],
        source="".join(cell["source"]),
        solution=role.get("solution", False),
        check=role.get("grade", False) and not role.get("solution", False),
        skipped=SKIP in tags,
        points=float(role.get("points", 0)),
        tags=tuple(tags),
    )


def released_cell(cell: PristineCell) -> ReleasedCell:
    """Return the form of a pristine cell that places answers."""
    return ReleasedCell(
        id=cell.id,
        kind=cell.kind,
        fingerprint=fingerprint(cell.source),
        role=_role(cell),
        defines=tuple(sorted(names_defined(cell.source))) if is_answer_in_code(cell) else (),
        text=cell.source if cell.solution and cell.kind != "code" else "",
    )


def _role(cell: PristineCell) -> str:
    if cell.solution:
        return ANSWER
    return CHECKED if cell.check else NOT_RUN if cell.skipped else ""


def is_answer_in_code(cell: PristineCell) -> bool:
    """Whether students write code in this cell."""
    return cell.solution and cell.kind == "code"
