"""Ways to make a mistake that no check can tell apart: one of them is enough."""

from collections.abc import Iterator
from concurrent.futures import ProcessPoolExecutor
from functools import partial
from multiprocessing import get_context

from autograder.authoring.parts import quiet
from autograder.authoring.without_walls import examine_without_walls
from autograder.engine.course.assignment import Assignment
from autograder.engine.course.mistake import Mistake, mistakes
from autograder.engine.examiner.checks import CheckRun
from autograder.engine.examiner.recording import compared
from autograder.engine.examiner.session import undisturbed

SEEDS = 1, 2, 3


def find_doubles(
    assignment: Assignment, jobs: int, exercise: str = "", mistake: str = ""
) -> Iterator[str]:
    """Yield a line for each mistake with ways that gave the same answers: of all, or of this exercise
    or this mistake only.
    """
    several = [one for one in mistakes(assignment) if len(one.cells) > 1]
    asked = [one for one in several if exercise in ("", one.exercise) and mistake in ("", one.id)]
    with ProcessPoolExecutor(jobs, mp_context=get_context("spawn")) as pool:
        groups = pool.map(partial(same_ways, assignment), asked)
        for one, same in zip(asked, groups, strict=True):
            if same:
                said = " and ".join(", ".join(map(str, group)) for group in same)
                yield f"{one.exercise}: {one.id}: the same answers in its ways {said}"


def same_ways(assignment: Assignment, mistake: Mistake) -> list[list[int]]:
    """Return the numbers, from 1 on, of ways that gave the same answers to all checks, with all seeds."""
    answers = [_answers(assignment, mistake.exercise, cell) for cell in mistake.cells]
    groups: list[list[int]] = []
    for number, own in enumerate(answers):
        group = next((one for one in groups if answers[one[0] - 1] == own), None)
        if group:
            group.append(number + 1)
        else:
            groups.append([number + 1])
    return [group for group in groups if len(group) > 1]


def _answers(assignment: Assignment, exercise: str, cell: str) -> list[object]:
    """What the exercise's checks were answered, and how they ended."""
    asked = [one for one in assignment.exercises if one.id == exercise]
    cells = assignment.solved_cells() | {exercise: cell}
    with quiet(), undisturbed():
        return [
            _answer(run)
            for seed in SEEDS
            for run in examine_without_walls(assignment, cells, seed, asked)
        ]


def _answer(run: CheckRun) -> object:
    recording = run.recording
    asked = recording and (recording.outcome, compared(recording.answers, strict=False))
    return run.id, run.kind, asked
