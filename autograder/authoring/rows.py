"""What the graders are tried on: known mistakes, pairs of them, correct variants, the solution."""

from dataclasses import dataclass

from autograder.engine.assignment import Assignment
from autograder.engine.mistake import merge
from autograder.engine.mistake import Mistake, mistakes, pairs
from autograder.authoring.sample_class import variants


@dataclass(frozen=True)
class Row:
    """One submission that is graded, and what the verdict on it has to be."""

    id: str
    cells: dict[str, str]  # those that differ from the solution's
    mistakes: tuple[Mistake, ...] = ()

    @property
    def exercises(self) -> set[str]:
        """Where points have to be lost, and nowhere else."""
        return {mistake.exercise for mistake in self.mistakes}


def all_rows(assignment: Assignment, every_way: bool = False) -> list[Row]:
    """The catalogue (in its usual ways, or in all of them), pairs, variants, the solution."""
    rows = [Row("the solution", {})]
    rows += [Row(name, cells) for name, cells in variants(assignment)]
    for mistake in mistakes(assignment):
        for way in range(len(mistake.ways) if every_way else 1):
            rows.append(_row(assignment, (mistake,), (way,)))
    return rows + [_row(assignment, pair, (0, 0)) for pair in pairs(assignment)]


def _row(assignment: Assignment, made: tuple[Mistake, ...], ways: tuple[int, ...]) -> Row:
    cells: dict[str, str] = {}
    for mistake, way in zip(made, ways, strict=True):
        name, solution = mistake.exercise, assignment.solutions[mistake.exercise]
        cells[name] = merge(solution, cells.get(name, solution), mistake.make(solution, way))
    numbers = [f" ({way + 1})" if way else "" for way in ways]
    names = [f"{mistake.exercise}: {mistake.id}" for mistake in made]
    return Row(" + ".join(map("".join, zip(names, numbers, strict=True))), cells, made)
