"""Visible checks, in steps, in the order in which one debugs; and pictures that are drawn only when
their exercise is solved.
"""

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
PRINTED = 12  # lines that are shown of what is printed during a check
SEED = 1  # of the random numbers of a check
REPORT = "Your code has no part in it. Update that package, or report this to your course."
WAITING: dict[str, str] = {}  # names in pictures that wait, and the exercise that is still open


def steps(exercise: str) -> Callable[[Steps], Steps]:
    """Return a decorator that declares the visible check of an exercise.

    The decorated function is a generator: it yields the question of each step, and then asserts the
    answer. It gets from `student` what the notebook defines.
    """

    def declare(of_it: Steps) -> Steps:
        CHECKS[exercise] = of_it
        return of_it

    return declare


def check(exercise: str) -> None:
    """Run the visible check of an exercise and show the result: the first step that fails, or that
    all pass. The result is kept in RESULTS.

    Nothing is raised, so that the cells below are run. Random numbers are the same each time. If
    the exercise's own cell raised when it was last run, the check is not run and counts as failing;
    if no check is known, a message says what to do first. Under nbgrader's Validate, which takes
    silence for success, an exercise that is open or fails is reported as an error.
    """
    if exercise in STOPPED:
        RESULTS[exercise] = _old_answer(exercise, STOPPED[exercise])
    elif exercise in CHECKS:
        RESULTS[exercise] = run_steps(exercise, CHECKS[exercise], SEED)
    else:
        ask_for_set_up()
    if os.environ.get("NBGRADER_EXECUTION") == "validate":
        _report_to_nbgrader(exercise, RESULTS.get(exercise))


def _report_to_nbgrader(exercise: str, result: Result | None) -> None:
    """Write a sentence to standard error, where nbgrader looks for failures, unless the check passes
    or cannot be run with the packages that are there.
    """
    if result is None or result.state == "open":
        print(f"{title_of(exercise)} is still open.", file=sys.stderr)
    elif result.state == "failing":
        said = f"{result.question} {result.message}".strip()
        print(f"{title_of(exercise)}: {said}", file=sys.stderr)


def _old_answer(exercise: str, error: BaseException) -> Result:
    """Show that the cell of the exercise raised `error`, and that what it defines dates from an
    earlier run; return that as the check's result.
    """
    question = "Did the cell of this exercise run to its end?"
    said = f"It stopped, and what it may have defined before is still there.\n{in_words(error)}"
    panel("failing", f"{title_of(exercise)}, before the check: {question}", said)
    return Result("failing", (), question, said)


def run_steps(exercise: str, steps_of: Steps, seed: int) -> Result:
    """Run the steps of an exercise's check up to the first that fails; show and return how the
    check ended.

    `steps_of`: the generator that the check is; `seed`: of its random numbers.
    """
    asked: list[str] = []
    error, printed = _ask(steps_of, seed, asked)
    if printed:
        print(_beginning(printed))
    if error is not None:
        return _ended_early(exercise, asked, error)
    if exercise in EXERCISES and EXERCISES[exercise].form_only:
        panel("filled", f"{title_of(exercise)} is filled in. Grading says whether it is right.")
    else:
        panel("done", f"{title_of(exercise)}: all {len(asked)} steps of the check pass.")
    return Result("done", tuple(asked))


def _ask(steps_of: Steps, seed: int, asked: list[str]) -> tuple[BaseException | None, str]:
    """Run the steps, and append the question of each step that was begun to `asked`. Return the
    exception that ended them, None if all pass; and what was printed meanwhile.
    """
    printed = io.StringIO()
    with torch.random.fork_rng(devices=[]), redirect_stdout(printed):
        torch.manual_seed(seed)
        try:
            for question in steps_of():
                asked.append(question)
        except (Exception, SystemExit) as error:
            return error, printed.getvalue()
    return None, printed.getvalue()


def _beginning(printed: str) -> str:
    """Return the first PRINTED lines of a text, and a line that says how many more there are."""
    lines = printed.rstrip("\n").split("\n")
    more = len(lines) - PRINTED
    return "\n".join([*lines[:PRINTED], *([f"... and {more} lines more"] if more > 0 else [])])


def try_it(picture: Callable[..., None], *inputs: object) -> bool:
    """Call `picture` with these inputs to draw it; if its exercise is open, or if it raises, show a
    line that says so. Return whether the picture was drawn.
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
    """Return the open exercise that the picture needs, or that an earlier picture needed whose
    names this one uses; None if the exception has another cause. "" if it is an exercise that is
    not known.
    """
    if is_stub(error):
        exercise = open_exercise(error)
        WAITING.update(dict.fromkeys(picture.__code__.co_names, exercise))
        return exercise
    return WAITING.get(error.name or "") if isinstance(error, NameError) else None


def is_open(ask: Callable[[], object]) -> bool:
    """Whether calling `ask` shows that an exercise is still a stub; a stand-in may then take its
    place.

    `ask` uses what the exercise should define. An exception of another kind counts as not open.
    """
    try:
        ask()
    except Exception as error:  # an error of another kind shows itself where the part is used
        return is_stub(error)
    return False


def _ended_early(exercise: str, asked: list[str], error: BaseException) -> Result:
    """Show and return how a check ended that an exception stopped: open if a stub raised it,
    unchecked if the check misses a part of a library, else failing. `asked`: the questions of all steps that were
    begun.
    """
    title = title_of(exercise)
    if is_stub(error):
        other = open_exercise(error)
        waits = f" It waits for {title_of(other)}." if other not in ("", exercise) else ""
        said = _line_left(error, other)
        panel("open", f"{title} is still open.{waits}", said)
        return Result("open", tuple(asked), "", said)
    question, before = (asked[-1], asked[:-1]) if asked else ("", [])
    message = _said(error)
    step = f"{title}, step {len(asked)} of the check: {question}"
    if is_of_library(error):
        panel(
            "open",
            f"{title} is not checked: your version of a package lacks what the check uses.",
            f"{message}\n{REPORT}",
        )
        return Result("unchecked", tuple(before), question, message)
    panel("failing", step, message)
    if isinstance(error, Differs) and error.yours is not None and error.target is not None:
        beside_target(error.yours, error.target, error.corner)
    return Result("failing", tuple(before), question, message)


def _line_left(error: BaseException, exercise: str) -> str:
    """Return a sentence if the stub's line was left in the exercise's cell, which was changed
    otherwise; else "".
    """
    released = Begun.released.fingerprints.get(exercise)
    if not is_stub(error) or released in (None, fingerprint(cell_text(error))):
        return ""
    left = own_line(error)
    return f"This line is still there, {left}" if left else ""


def _said(error: BaseException, given: str = "") -> str:
    """Return what to show of an exception: the message alone of an assertion in our own code, else
    the exception in words.

    `given`: the file of a picture's cell, whose lines are not the student's.
    """
    if isinstance(error, AssertionError) and (is_ours(error) or raised_in(error) == given):
        return message_of(error)
    return in_words(error, given)
