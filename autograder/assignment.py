"""An assignment as the staff made it: the pristine notebook, its exercises, its graders."""

import hashlib
import importlib
import json
from dataclasses import dataclass
from functools import cache, cached_property
from pathlib import Path
from types import ModuleType

ROOT = Path(__file__).parents[1]
PACKAGE = Path(__file__).parent
BEGIN, END = "### BEGIN SOLUTION", "### END SOLUTION"  # nbgrader's
GRADING = "examiner", "candidate", "sandbox"  # what a verdict depends on, besides the graders
GRADING_ALONE = "channel", "notebook", "repair", "mistake", "merging"
SKIP = "skip-grading"  # tag of provided cells that are not run when grading


class UnknownAssignment(Exception):
    """There is no such assignment; the message says which there are."""


@dataclass(frozen=True)
class PristineCell:
    """One cell of the release."""

    id: str
    kind: str  # "code" or "markdown"
    source: str
    solution: bool  # a student writes here
    check: bool  # an automatic check cell
    skipped: bool  # provided, and not run when grading
    points: float


@dataclass(frozen=True)
class Exercise:
    """A coded exercise: solution cell `id`, check cell `check_id`, grader `test_id.py`."""

    id: str
    points: float
    grader: Path

    @property
    def check_cell(self) -> str:
        return f"check_{self.id}"


@dataclass(frozen=True)
class Assignment:
    """What one assignment consists of, read from `release/` and `graders/`."""

    id: str

    def __reduce__(self) -> tuple:
        return find_assignment, (self.id,)  # in another process: as its own files have it

    @property
    def release(self) -> Path:
        return ROOT / "release" / self.id / f"{self.id}.ipynb"

    @property
    def source(self) -> Path:
        return ROOT / "source" / self.id / f"{self.id}.ipynb"

    @property
    def graders(self) -> Path:
        return PACKAGE / "graders" / self.id.replace("-", "_")

    @cached_property
    def cells(self) -> tuple[PristineCell, ...]:
        return tuple(_pristine(cell) for cell in json.loads(self.release.read_text())["cells"])

    @cached_property
    def solutions(self) -> dict[str, str]:
        """The code of the solution cells in `source/`, as a student would have written it."""
        cells = map(_pristine, json.loads(self.source.read_text())["cells"])
        return {
            cell.id: "\n".join(
                line for line in cell.source.splitlines() if line.strip() not in (BEGIN, END)
            )
            for cell in cells
            if cell.solution and cell.kind == "code"
        }

    def solved_cells(self) -> dict[str, str]:
        """The code cells that are run when the solution is graded, in their order."""
        return {
            cell.id: self.solutions.get(cell.id, cell.source)
            for cell in self.cells
            if cell.kind == "code" and not cell.check and not cell.skipped
        }

    @property
    def known(self) -> ModuleType:
        """The package of its graders: what it says about names and signatures."""
        return importlib.import_module(f"autograder.graders.{self.graders.name}")

    @cached_property
    def exercises(self) -> tuple[Exercise, ...]:
        """The coded exercises in the notebook's order."""
        return tuple(
            Exercise(name, cell.points, self.graders / f"test_{name}.py")
            for cell in self.cells
            if cell.check and (name := cell.id.removeprefix("check_"))
        )

    @cached_property
    def grader_hash(self) -> str:
        """Changes whenever a verdict could: graders, both processes, walls, notebooks."""
        digest = hashlib.sha256()
        folders = (self.graders, *(PACKAGE / name for name in GRADING))
        files = [file for folder in folders for file in sorted(folder.rglob("*.py"))]
        alone = (PACKAGE / f"{name}.py" for name in GRADING_ALONE)
        for file in (*files, *alone, self.release, self.source):
            digest.update(file.name.encode() + b"\0" + file.read_bytes())
        return digest.hexdigest()[:16]


@cache
def find_assignment(id: str) -> Assignment:
    """Return the assignment with this id. Raises `UnknownAssignment`."""
    known = sorted(path.parent.name for path in (ROOT / "release").glob("*/*.ipynb"))
    if id not in known:
        raise UnknownAssignment(
            f"There is no assignment `{id}`. There is: {', '.join(known) or 'none, run `make release`'}."
        )
    return Assignment(id)


def _pristine(cell: dict) -> PristineCell:
    ours = cell["metadata"].get("nbgrader", {})
    return PristineCell(
        id=ours.get("grade_id", cell["id"]),
        kind=cell["cell_type"],
        source="".join(cell["source"]),
        solution=ours.get("solution", False),
        check=ours.get("grade", False) and not ours.get("solution", False),
        skipped=SKIP in cell["metadata"].get("tags", ()),
        points=float(ours.get("points", 0)),
    )
