"""What the graders are tried on: known mistakes, pairs of them, correct variants, the solution."""

from dataclasses import dataclass

from autograder.authoring.in_variants import read_in_variants
from autograder.authoring.variants import variants
from autograder.engine.course.assignment import Assignment, GraderError
from autograder.engine.course.mistake import Mistake, merge, mistakes, pairs


@dataclass(frozen=True)
class Row:
    """One submission that is graded, and what the verdict on it has to be."""

    id: str
    cells: dict[str, str]  # those that differ from the solution's
    mistakes: tuple[Mistake, ...] = ()
    path: str = ""  # of a variant, from the graders' folder on
    unnamed: str = ""  # the exercise of a mistake that the catalogue does not have
    kind: str = "right"  # or "mistake", "pair", "in a variant", "composed"

    @property
    def place(self) -> str:
        """Where to look when it is not graded as it has to be."""
        return self.path or self.id

    @property
    def exercises(self) -> set[str]:
        """Where points have to be lost, and nowhere else."""
        return {mistake.exercise for mistake in self.mistakes} | {self.unnamed} - {""}

    @property
    def is_right(self) -> bool:
        """Whether no point may be lost."""
        return not self.exercises


def all_rows(assignment: Assignment, every_way: bool = False) -> list[Row]:
    """Return the solution, the variants, the mistakes (in their first way, or in all), the pairs,
    and the mistakes in variants.
    """
    rows = [Row("the solution", {})]
    rows += [
        Row(variant.name, variant.cells, path=variant.path) for variant in variants(assignment)
    ]
    for mistake in mistakes(assignment):
        for way in range(len(mistake.cells) if every_way else 1):
            rows.append(_row(assignment, (mistake,), (way,)))
    rows += [_row(assignment, pair, (0, 0)) for pair in pairs(assignment)]
    return rows + mistakes_in_variants(assignment)


def mistakes_in_variants(assignment: Assignment) -> list[Row]:
    """Return the mistakes that are edits of a variant. Raises `GraderError` where one cannot be read."""
    found, errors = read_in_variants(assignment)
    for sentence in errors:
        raise GraderError(sentence)
    return [
        Row(one.id, one.cells, one.named, one.path, one.unnamed, "in a variant") for one in found
    ]


def _row(assignment: Assignment, made: tuple[Mistake, ...], ways: tuple[int, ...]) -> Row:
    cells: dict[str, str] = {}
    ids = []
    for mistake, way in zip(made, ways, strict=True):
        name, cell = mistake.exercise, mistake.cells[way]
        if name in cells:
            cell = merge(assignment.solutions[name], cells[name], cell)
        cells[name] = cell
        ids.append(f"{name}: {mistake.id}" + (f" ({way + 1})" if way else ""))
    return Row(" + ".join(ids), cells, made, kind="mistake" if len(made) == 1 else "pair")
