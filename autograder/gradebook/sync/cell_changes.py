"""Compare the cells of a notebook with those in the gradebook.

nbgrader neither adds nor removes cells of a notebook once the gradebook has submissions of it
(https://github.com/jupyter/nbgrader/issues/1699).
"""

from collections.abc import Iterable
from dataclasses import dataclass, replace

from nbformat.notebooknode import NotebookNode
from nbgrader import utils
from nbgrader.api import Assignment, Notebook, SubmittedNotebook
from sqlalchemy import func, inspect, select
from sqlalchemy.orm import Session

from autograder.engine import plural

MAX_NAMED = 6  # cells in a message


@dataclass(frozen=True)
class CellChanges:
    """Names of cells that differ from the gradebook, and its number of `submissions`."""

    assignment: str
    submissions: int
    added: tuple[str, ...] = ()
    removed: tuple[str, ...] = ()
    other_roles: tuple[str, ...] = ()
    other_points: tuple[str, ...] = ()

    @property
    def refusal(self) -> str:
        """The reason why the gradebook cannot take these cells, with the next step. "" if it can."""
        parts = [
            f"{word}: {_named(names)}"
            for word, names in (
                ("new", self.added),
                ("gone", self.removed),
                ("in another role", self.other_roles),
            )
            if names
        ]
        if not self.submissions or not parts:
            return ""
        return (
            f"nbgrader neither adds nor removes cells of `{self.assignment}` ({', '.join(parts)}), because "
            f"the gradebook has {plural(self.submissions, 'submission')} of it. Restore the cells, and "
            "put a new exercise into another assignment; or remove this one with all its marks from "
            f"the gradebook (`nbgrader db assignment remove {self.assignment} --force`), release it, "
            "and grade again."
        )

    @property
    def note(self) -> str:
        """A note on changed points of submissions in the gradebook, or ""."""
        if not self.submissions or not self.other_points:
            return ""
        return (
            f"The gradebook has {plural(self.submissions, 'submission')} of `{self.assignment}`, and "
            f"the points of {_named(self.other_points)} are changed: run `python -m autograder grade` "
            "to grade these again, and look at marks given by hand."
        )


def compare_cells(db: Session, assignment: str, cells: Iterable[NotebookNode]) -> CellChanges:
    """Compare cells of the assignment's notebook with the gradebook. Raises `SQLAlchemyError`."""
    if not inspect(db.connection()).has_table(Notebook.__tablename__):
        return CellChanges(assignment, 0)
    query = select(Notebook).join(Assignment, Notebook.assignment_id == Assignment.id)
    query = query.where(Assignment.name == assignment, Notebook.name == assignment)
    notebook = db.scalars(query).one_or_none()
    if notebook is None:
        return CellChanges(assignment, 0)
    entered = {cell.name: _Role() for cell in notebook.source_cells}
    entered |= {cell.name: _Role(True, points=cell.max_score) for cell in notebook.grade_cells}
    for cell in notebook.task_cells:
        entered[cell.name] = _Role(True, is_task=True, points=cell.max_score)
    for cell in notebook.solution_cells:
        entered[cell.name] = replace(entered.get(cell.name, _Role()), is_solution=True)
    current = {
        cell.metadata.nbgrader["grade_id"]: _Role.of(cell)
        for cell in cells
        if utils.is_grade(cell) or utils.is_solution(cell) or utils.is_locked(cell)
    }
    common = [name for name in current if name in entered]
    count = select(func.count()).where(SubmittedNotebook.notebook_id == notebook.id)
    return CellChanges(
        assignment,
        db.scalar(count) or 0,
        added=tuple(name for name in current if name not in entered),
        removed=tuple(name for name in entered if name not in current),
        other_roles=tuple(name for name in common if not current[name].is_like(entered[name])),
        other_points=tuple(name for name in common if current[name].points != entered[name].points),
    )


@dataclass(frozen=True)
class _Role:
    """The role of a cell in nbgrader, and its points."""

    is_grade: bool = False
    is_solution: bool = False
    is_task: bool = False
    points: float = 0.0

    @classmethod
    def of(cls, cell: NotebookNode) -> "_Role":
        points = float(cell.metadata.nbgrader.get("points", 0)) if utils.is_grade(cell) else 0.0
        return cls(utils.is_grade(cell), utils.is_solution(cell), utils.is_task(cell), points)

    def is_like(self, role: "_Role") -> bool:
        """Whether both are equal apart from their points."""
        return replace(self, points=0.0) == replace(role, points=0.0)


def _named(cells: tuple[str, ...]) -> str:
    names = ", ".join(f"`{cell}`" for cell in cells[:MAX_NAMED])
    omitted = len(cells) - MAX_NAMED
    return f"{names} and {omitted} more" if omitted > 0 else names
