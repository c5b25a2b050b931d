"""Students' answers, right and wrong ones, in many styles: `tests/course/strangers/` has those of two
people who knew the statements alone, `tests/course/samples/` wrong ones that had no name once.

They stand in `<assignment>/<exercise>.py`, each below `# %% <name>`. Above a wrong one stands its
mistake in the writer's words, and the names that it gets:

    # %% wrong_a018
    #: Queries are scaled by the root of d_k before they are handed to the attention.
    #: named: scaled_twice
"""

from dataclasses import dataclass
from pathlib import Path

from courses import ASSIGNMENTS

from autograder import Assignment
from autograder.authoring.variants import cells_of

COURSE = Path(__file__).parent / "course"
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


def answers_in(folder: str) -> list[Answer]:
    return [
        _answer(assignment, file.stem, name, cell)
        for assignment in ASSIGNMENTS
        for file in sorted((COURSE / folder / assignment.id).glob("*.py"))
        for name, cell in cells_of(file).items()
    ]


def _answer(assignment: Assignment, exercise: str, name: str, text: str) -> Answer:
    lines = text.splitlines(keepends=True)
    (names,) = [line.removeprefix(NAMED) for line in lines if line.startswith(NAMED)] or ["-"]
    cell = "".join(line for line in lines if not line.startswith("#: "))
    named = frozenset(names.split()) - {"-"} if name.startswith("wrong") else None
    return Answer(assignment, exercise, name, cell, named)
