"""What the graders are tried on: known mistakes, pairs of them, correct variants, the solution."""

from dataclasses import dataclass

from autograder.authoring.variants import variants
from autograder.engine.assignment import Assignment
from autograder.engine.mistake import Mistake, merge, mistakes, pairs


@dataclass(frozen=True)
class Row:
    """One submission that is graded, and what the verdict on it has to be."""

    id: str
    cells: dict[str, str]  # those that differ from the solution's
    mistakes: tuple[Mistake, ...] = ()
    path: str = ""  # of a variant, from the graders' folder on

    @property
    def place(self) -> str:
        """Where to look when it is not graded as it has to be."""
        return self.path or self.id

    @property
    def exercises(self) -> set[str]:
        """Where points have to be lost, and nowhere else."""
        return {mistake.exercise for mistake in self.mistakes}


def all_rows(assignment: Assignment, every_way: bool = False) -> list[Row]:
    """Return the solution, the variants, the mistakes (in their first way, or in all), the pairs."""
    rows = [Row("the solution", {})]
    rows += [
        Row(variant.name, variant.cells, path=variant.path) for variant in variants(assignment)
    ]
    for mistake in mistakes(assignment):
        for way in range(len(mistake.ways) if every_way else 1):
            rows.append(_row(assignment, (mistake,), (way,)))
    return rows + [_row(assignment, pair, (0, 0)) for pair in pairs(assignment)]


def _row(assignment: Assignment, made: tuple[Mistake, ...], ways: tuple[int, ...]) -> Row:
    cells: dict[str, str] = {}
    ids = []
    for mistake, way in zip(made, ways, strict=True):
        name, solution = mistake.exercise, assignment.solutions[mistake.exercise]
        cells[name] = merge(solution, cells.get(name, solution), mistake.make(solution, way))
        ids.append(f"{name}: {mistake.id}" + (f" ({way + 1})" if way else ""))
    return Row(" + ".join(ids), cells, made)
