"""The exercises of this notebook, and the results of their visible checks."""

from typing import NamedTuple

from autograder.engine.placing import names_defined


class ExerciseHeading(NamedTuple):
    """One exercise of a notebook."""

    number: str
    title: str
    points: int
    minutes: int
    defines: tuple[str, ...] = ()  # classes and functions that its solution cell defines
    by_hand: bool = False  # a person reads the answer
    form_only: bool = False  # its visible check only tests whether it is filled in


# Of this notebook, by solution cell. `begin` fills them in.
EXERCISES: dict[str, ExerciseHeading] = {}


class Result(NamedTuple):
    """How a visible check ended."""

    state: str  # "done", "open", "failing", or "unchecked" if a package is too old for the check
    passed: tuple[str, ...] = ()  # questions of the steps that passed
    question: str = ""  # of the step at which it ended
    message: str = ""


RESULTS: dict[str, Result] = {}  # of the checks that ran, by solution cell
STOPPED: dict[str, BaseException] = {}  # exceptions of solution cells, by solution cell


def title_of(exercise: str) -> str:
    """Return "Exercise 3a" for the exercise with this name, or else the name itself."""
    heading = EXERCISES.get(exercise)
    return f"Exercise {heading.number}" if heading else exercise


def exercise_that_defines(name: str) -> str:
    """Return the id of the exercise that must define the class, function or variable, or ""."""
    ids = (id for id, exercise in EXERCISES.items() if name in exercise.defines)
    return next(ids, "")


def defines(source: str, exercise: ExerciseHeading) -> bool:
    """Whether this code defines, at its top level, a name that the exercise asks for."""
    return bool(names_defined(source) & set(exercise.defines))


def worth(exercise: ExerciseHeading) -> str:
    """Return the exercise's points and minutes as text, such as "4 points · 20 min"."""
    points = "1 point" if exercise.points == 1 else f"{exercise.points} points"
    return f"{points} · {exercise.minutes} min"
