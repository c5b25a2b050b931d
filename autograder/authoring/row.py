"""A row of a kill matrix: a submission made of the solution, a variant or mistakes.

Each row has the verdict that it must get. For example:

    MatrixRow("the solution", {})                                full marks
    MatrixRow("attention: einsum", {"attention": "..."})         a variant: full marks
    MatrixRow("attention: no_scaling", {"attention": "..."},     a mistake: points lost in `attention`
              (no_scaling,), kind="mistake")                     alone, and `no_scaling` named
"""

from dataclasses import dataclass

from autograder.authoring.variants import TOGETHER
from autograder.mistakes.mistake import Mistake


@dataclass(frozen=True)
class MatrixRow:
    """One submission to grade in a kill matrix, and the verdict that it must get."""

    id: str
    cells: dict[str, str]  # cells that differ from the solution's
    mistakes: tuple[Mistake, ...] = ()
    path: str = ""  # of a variant, from the graders' folder on
    unnamed: str = ""  # the exercise of a mistake that the catalogue does not have
    kind: str = "right"  # or "mistake", "pair", "in a variant", "composed"

    @property
    def place(self) -> str:
        """The row's name in messages: the variant's file, else the row's id."""
        return self.path or self.id

    @property
    def made(self) -> set[tuple[str, str]]:
        """The submission's mistakes from the catalogue, as pairs of exercise and mistake id."""
        return {(mistake.exercise, mistake.id) for mistake in self.mistakes}

    @property
    def exercises(self) -> set[str]:
        """The ids of the exercises in which the submission must lose points, and in no others."""
        return {mistake.exercise for mistake in self.mistakes} | {self.unnamed} - {""}

    @property
    def is_right(self) -> bool:
        """Whether the submission has no mistake, so that it must get full marks."""
        return not self.exercises

    @property
    def may_be_mixed(self) -> bool:
        """Whether each of its cells also works beside cells of other rows."""
        return f"/{TOGETHER}/" not in self.path

    def is_about(self, exercise: str) -> bool:
        """Whether the submission changes the cell of this exercise.

        The solution, which changes no cell, counts for every exercise.
        """
        return not self.cells or exercise in self.cells
