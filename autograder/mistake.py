"""A mistake: a known wrong variant of an exercise's solution."""

from dataclasses import dataclass


@dataclass(frozen=True)
class Mistake:
    """An edit of the solution, with one sentence for the student: what happens, where to look."""

    id: str
    exercise: str
    sentence: str
    edits: tuple[tuple[str, str], ...]  # (piece of the solution cell, what stands there instead)

    def make(self, solution: str) -> str:
        """Return the solution cell with the mistake in it. Raises `ValueError` if it no longer fits."""
        for old, new in self.edits:
            if old not in solution:
                raise ValueError(f"{self.id}: {old!r} is not in the solution of {self.exercise}")
            solution = solution.replace(old, new)
        return solution
