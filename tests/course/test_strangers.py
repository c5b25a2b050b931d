"""Answers of people who had not seen the graders: right ones earn everything, also under other names and
in another order; wrong ones have the names of their mistakes.

`strangers/` has answers of two people who knew the statements alone, `samples/` wrong ones that had no name
once. They stand in `<assignment>/<exercise>.py`, each below `# %% <name>`. Above a wrong one stands its
mistake in the writer's words, and the names that it gets:

    # %% wrong_a018
    #: Queries are scaled by the root of d_k before they are handed to the attention.
    #: named: scaled_twice
"""

from dataclasses import dataclass
from pathlib import Path

import pytest
from courses import ASSIGNMENTS
from restyled import restyle

from autograder import Assignment
from autograder.authoring.variants import cells_of
from autograder.authoring.without_walls import examine_without_walls, quiet
from autograder.mistakes.search import diagnose

pytestmark = pytest.mark.slow

COURSE = Path(__file__).parent
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


KEPT = {"rms_norm"}  # the statement asks for the name `gamma`
STRANGERS, SAMPLES = answers_in("strangers"), answers_in("samples")


def cases(short: int, answers: list[Answer]) -> list:
    """`short`: how many `make test` takes, at least; `make test-long` takes the others."""
    step = max(1, len(answers) // short)
    return [
        pytest.param(one, id=str(one), marks=[pytest.mark.long] * bool(place % step))
        for place, one in enumerate(answers)
    ]


def right(answers: list[Answer]) -> list[Answer]:
    return [one for one in answers if one.named is None]


def wrong(answers: list[Answer]) -> list[Answer]:
    return [one for one in answers if one.named is not None]


@pytest.mark.parametrize("answer", cases(10, right(STRANGERS + SAMPLES)))
def test_a_right_answer_earns_everything_and_is_done(answer, faults):
    assert faults(answer.assignment, {answer.exercise: answer.cell}) == []
    if answer.exercise not in KEPT and answer.cell.count("class ") < 2:  # of one class alone
        other = {answer.exercise: restyle(answer.cell, 1)}
        assert faults(answer.assignment, other, 1) == [], other


@pytest.mark.parametrize("answer", cases(24, wrong(STRANGERS + SAMPLES)))
def test_a_wrong_answer_has_the_names_of_its_mistake(answer):
    (exercise,) = (one for one in answer.assignment.exercises if one.id == answer.exercise)
    cells = answer.assignment.solved_cells() | {answer.exercise: answer.cell}
    with quiet():
        runs = examine_without_walls(answer.assignment, cells, 5, [exercise])
        named = diagnose(answer.assignment, runs)
    assert {mistake.id for mistake in named} == answer.named


def test_most_mistakes_of_strangers_have_a_name():
    assert len(right(STRANGERS)) == 50 and len(wrong(STRANGERS)) == 150
    assert sum(bool(one.named) for one in wrong(STRANGERS)) >= 0.85 * 150
