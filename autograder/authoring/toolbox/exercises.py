"""The exercises of this notebook, and the results of their visible checks."""

from typing import NamedTuple

from autograder.engine.placing import names_defined


class ExerciseHeading(NamedTuple):
    """One exercise: its number, title, points and minutes, and the names that its cell defines."""

    number: str
    title: str
    points: int
    minutes: int
    defines: tuple[str, ...] = ()  # classes and functions that its solution cell defines
    by_hand: bool = False  # a person reads the answer
    form_only: bool = (
        False  # its visible check sees whether it is filled in, and not whether it is right
    )


EXERCISES: dict[
    str, ExerciseHeading
] = {}  # of this notebook, by solution cell: `begin` fills them in


class Result(NamedTuple):
    """How a visible check ended: its state, the questions of the steps that passed, and the question
    and message of the step that did not.
    """

    state: str  # "done", "open", "failing", or "unchecked" if a package lacks what the check uses
    passed: tuple[str, ...] = ()  # the steps before
    question: str = ""  # of the step at which it ended
    message: str = ""


RESULTS: dict[str, Result] = {}  # of the checks that ran, by solution cell
STOPPED: dict[str, BaseException] = {}  # what solution cells raised that did not run to their end


def title_of(exercise: str) -> str:
    """Return "Exercise 3a" for the exercise with this name; if there is none, the name itself."""
    known = EXERCISES.get(exercise)
    return f"Exercise {known.number}" if known else exercise


def exercise_that_defines(name: str) -> str:
    """Return the id of the exercise whose cell has to define the class, function or variable
    `name`; "" if there is none.
    """
    found = (id for id, exercise in EXERCISES.items() if name in exercise.defines)
    return next(found, "")


def defines(source: str, exercise: ExerciseHeading) -> bool:
    """Whether this code defines, at its top level, one of the names that the exercise asks for."""
    return bool(names_defined(source) & set(exercise.defines))


def worth(exercise: ExerciseHeading) -> str:
    """Return the exercise's points and minutes as text, such as "4 points · 20 min"."""
    points = "1 point" if exercise.points == 1 else f"{exercise.points} points"
    return f"{points} · {exercise.minutes} min"
