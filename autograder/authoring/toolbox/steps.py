"""Visible checks, in steps, in the order of debugging, and pictures of solved exercises."""

import io
import os
import sys
from collections.abc import Callable, Iterator
from contextlib import redirect_stdout

import torch

from autograder.authoring.toolbox.begin import Begun, ask_for_set_up
from autograder.authoring.toolbox.comparing import Differs
from autograder.authoring.toolbox.exercises import EXERCISES, RESULTS, STOPPED, Result, title_of
from autograder.authoring.toolbox.pictures import beside_target, close_figures
from autograder.authoring.toolbox.telling import (
    cell_text,
    in_words,
    is_of_library,
    is_ours,
    is_stub,
    message_of,
    open_exercise,
    own_line,
    panel,
    raised_in,
)
from autograder.engine.placing import fingerprint

Steps = Callable[[], Iterator[str]]
CHECKS: dict[str, Steps] = {}  # by exercise: the file of checks fills them in
PRINTED = 12  # lines that are shown of the output during a check
SEED = 1  # of the random numbers of a check
REPORT = "Your code has no part in it. Update that package, or report this to your course."
WAITING: dict[str, str] = {}  # names in waiting pictures, with the exercise that is still open


def steps(exercise: str) -> Callable[[Steps], Steps]:
    """Return a decorator that declares the visible check of an exercise.

    The decorated function is a generator. It yields the question of each step, and then asserts the
    answer. It gets the notebook's definitions from `student`.
    """

    def declare(steps_of: Steps) -> Steps:
        CHECKS[exercise] = steps_of
        return steps_of

    return declare


def check(exercise: str) -> None:
    """Run the visible check of an exercise, and show and record the result.

    Nothing is raised, so that the cells below are run. Random numbers are the same each time. If
    the exercise's own cell raised when it was last run, the check is not run and counts as failing.
    If no check is known, a message asks to run `set_up` first. Under nbgrader's Validate, an
    exercise that is open or fails is reported as an error.
    """
    if exercise in STOPPED:
        RESULTS[exercise] = _old_answer(exercise, STOPPED[exercise])
    elif exercise in CHECKS:
        RESULTS[exercise] = run_steps(exercise, CHECKS[exercise], SEED)
    else:
        ask_for_set_up()
    # nbgrader's Validate takes silence for success.
    if os.environ.get("NBGRADER_EXECUTION") == "validate":
        _report_to_nbgrader(exercise, RESULTS.get(exercise))


def _report_to_nbgrader(exercise: str, result: Result | None) -> None:
    """Write a sentence to standard error, where nbgrader looks for failures.

    A check that passes or cannot be run with the installed packages is not reported.
    """
    if result is None or result.state == "open":
        print(f"{title_of(exercise)} is still open.", file=sys.stderr)
    elif result.state == "failing":
        message = f"{result.question} {result.message}".strip()
        print(f"{title_of(exercise)}: {message}", file=sys.stderr)


def _old_answer(exercise: str, error: BaseException) -> Result:
    """Report that the exercise's cell raised, so that its definitions date from an earlier run."""
    question = "Did the cell of this exercise run to its end?"
    message = f"It stopped, and what it may have defined before is still there.\n{in_words(error)}"
    panel("failing", f"{title_of(exercise)}, before the check: {question}", message)
    return Result("failing", (), question, message)


def run_steps(exercise: str, steps_of: Steps, seed: int) -> Result:
    """Run an exercise's check up to its first failing step. Show and return the result.

    `steps_of`: the generator function of the check. `seed`: of its random numbers.
    """
    questions: list[str] = []
    error, printed = _ask(steps_of, seed, questions)
    if printed:
        print(_beginning(printed))
    if error is not None:
        return _ended_early(exercise, questions, error)
    if exercise in EXERCISES and EXERCISES[exercise].form_only:
        panel("filled", f"{title_of(exercise)} is filled in. Grading says whether it is right.")
    else:
        panel("done", f"{title_of(exercise)}: all {len(questions)} steps of the check pass.")
    return Result("done", tuple(questions))


def _ask(steps_of: Steps, seed: int, questions: list[str]) -> tuple[BaseException | None, str]:
    """Run the steps, and append the question of each begun step to `questions`.

    Return the exception that ended them, or None, and the printed output.
    """
    printed = io.StringIO()
    with torch.random.fork_rng(devices=[]), redirect_stdout(printed):
        torch.manual_seed(seed)
        try:
            for question in steps_of():
                questions.append(question)
        except (Exception, SystemExit) as error:
            return error, printed.getvalue()
    return None, printed.getvalue()


def _beginning(printed: str) -> str:
    """Return the first PRINTED lines of a text, and the number of further lines."""
    lines = printed.rstrip("\n").split("\n")
    remaining = len(lines) - PRINTED
    return "\n".join(
        [*lines[:PRINTED], *([f"... and {remaining} lines more"] if remaining > 0 else [])]
    )


def try_it(picture: Callable[..., None], *inputs: object) -> bool:
    """Call `picture` with these inputs to draw it, and return whether it was drawn.

    If its exercise is open, or if it raises, a line explains this.
    """
    try:
        picture(*inputs)
    except (Exception, SystemExit) as error:
        close_figures()
        exercise = _waits_for(error, picture)
        if isinstance(error, ImportError) and Begun.missing == f"{error.name}.py":
            ask_for_set_up()
        elif exercise is None:
            panel("failing", "No picture yet.", _said(error, picture.__code__.co_filename))
        else:
            title = title_of(exercise) or "An exercise"
            panel("open", f"{title} is still open: no picture yet.", _line_left(error, exercise))
        return False
    for name in picture.__code__.co_names:
        WAITING.pop(name, None)
    return True


def _waits_for(error: BaseException, picture: Callable[..., None]) -> str | None:
    """Return the open exercise that the picture needs, "" if it is not known.

    Return None if the exception has another cause. A picture also waits if it uses names of an
    earlier picture that waits.
    """
    if is_stub(error):
        exercise = open_exercise(error)
        WAITING.update(dict.fromkeys(picture.__code__.co_names, exercise))
        return exercise
    return WAITING.get(error.name or "") if isinstance(error, NameError) else None


def is_open(ask: Callable[[], object]) -> bool:
    """Whether calling `ask` shows that an exercise is a stub, which a stand-in may replace.

    An exception of another kind counts as not open.
    """
    try:
        ask()
    except Exception as error:  # other errors appear where the part is used
        return is_stub(error)
    return False


def _ended_early(exercise: str, questions: list[str], error: BaseException) -> Result:
    """Show and return the result of a check that an exception stopped.

    It is open if a stub raised it, unchecked if a part of a library is missing, else failing.
    `questions`: of all begun steps.
    """
    title = title_of(exercise)
    if is_stub(error):
        other = open_exercise(error)
        waits = f" It waits for {title_of(other)}." if other not in ("", exercise) else ""
        line = _line_left(error, other)
        panel("open", f"{title} is still open.{waits}", line)
        return Result("open", tuple(questions), "", line)
    question, passed = (questions[-1], questions[:-1]) if questions else ("", [])
    message = _said(error)
    step = f"{title}, step {len(questions)} of the check: {question}"
    if is_of_library(error):
        panel(
            "open",
            f"{title} is not checked: your version of a package lacks what the check uses.",
            f"{message}\n{REPORT}",
        )
        return Result("unchecked", tuple(passed), question, message)
    panel("failing", step, message)
    if isinstance(error, Differs) and error.yours is not None and error.target is not None:
        beside_target(error.yours, error.target, error.corner)
    return Result("failing", tuple(passed), question, message)


def _line_left(error: BaseException, exercise: str) -> str:
    """Return a sentence if the stub's line is left in a cell that was changed otherwise."""
    released = Begun.released.fingerprints.get(exercise)
    if not is_stub(error) or released in (None, fingerprint(cell_text(error))):
        return ""
    line = own_line(error)
    return f"This line is still there, {line}" if line else ""


def _said(error: BaseException, picture_file: str = "") -> str:
    """Return the text to show for an exception.

    An assertion of our own code has its message alone. `picture_file`: the file of a picture's
    cell, whose lines are not the student's.
    """
    if isinstance(error, AssertionError) and (is_ours(error) or raised_in(error) == picture_file):
        return message_of(error)
    return in_words(error, picture_file)
