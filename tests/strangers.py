"""Answers that two people wrote who knew the statements alone: right and wrong ones, in many styles.

They stand in `tests/course/strangers/<assignment>/<exercise>.py`, each below `# %% <name>`. Above a
wrong one stands its mistake in the writer's words, and the names that it gets:

    # %% wrong_a018
    #: Queries are scaled by the root of d_k before they are handed to the attention.
    #: named: scaled_twice
"""

from dataclasses import dataclass
from pathlib import Path

from courses import ASSIGNMENTS

from autograder.authoring.variants import cells_of
from autograder.engine.course.assignment import Assignment

FOLDER = Path(__file__).parent / "course" / "strangers"
NAMED = "#: named: "


@dataclass(frozen=True)
class Answer:
    """`named`: the ids of the mistakes that are named, which may be none; of a right answer None."""

    assignment: Assignment
    exercise: str
    name: str
    cell: str
    named: frozenset[str] | None

    def __str__(self) -> str:
        return f"{self.exercise}-{self.name}"


def strangers() -> list[Answer]:
    return [
        _answer(assignment, file.stem, name, cell)
        for assignment in ASSIGNMENTS
        for file in sorted((FOLDER / assignment.id).glob("*.py"))
        for name, cell in cells_of(file).items()
    ]


def _answer(assignment: Assignment, exercise: str, name: str, text: str) -> Answer:
    lines = text.splitlines(keepends=True)
    (said,) = [line.removeprefix(NAMED) for line in lines if line.startswith(NAMED)] or ["-"]
    cell = "".join(line for line in lines if not line.startswith("#: "))
    named = frozenset(said.split()) - {"-"} if name.startswith("wrong") else None
    return Answer(assignment, exercise, name, cell, named)
