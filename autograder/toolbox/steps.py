"""Checks in steps, in the order in which one debugs, and pictures that wait for their exercise."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager

import torch

from autograder.toolbox.comparing import Differs, same
from autograder.toolbox.exercises import RESULTS, Result, title_of
from autograder.toolbox.pictures import beside_target
from autograder.toolbox.telling import in_words, is_stub, open_exercise, panel

Steps = Callable[[], Iterator[str]]
OURS = same.__code__.co_filename  # this cell, or in the repository another file of ours


def check(exercise: str, seed: int = 1) -> Callable[[Steps], Result]:
    """Run a check at once: a generator that yields each step's question, then asserts the answer.

    The first step that fails is shown. Nothing is raised, so the cells below run on. Random numbers
    are the same each time.
    """

    def run(steps: Steps) -> Result:
        RESULTS[exercise] = result = run_steps(exercise, steps, seed)
        return result

    return run


def run_steps(exercise: str, steps: Steps, seed: int = 1) -> Result:
    """Go through the steps up to the first that fails, show how it ended, and return that."""
    asked: list[str] = []
    with torch.random.fork_rng(devices=[]):
        torch.manual_seed(seed)
        try:
            for question in steps():
                asked.append(question)
        except Exception as error:
            return _ended_early(exercise, asked, error, steps.__code__.co_filename)
    panel("done", f"{title_of(exercise)}: all {len(asked)} steps of the check pass.")
    return Result("done", tuple(asked))


def try_it(picture: Callable[[], None]) -> None:
    """Draw a picture at once; where the exercise is still open or has an error, say so in a line."""
    try:
        picture()
    except Exception as error:
        if is_stub(error):
            panel("open", f"{title_of(open_exercise(error))} is still open: no picture yet.")
        else:
            panel("failing", "No picture yet.", in_words(error, (picture.__code__.co_filename,)))


@contextmanager
def replaced(**parts: object) -> Iterator[None]:
    """Let other classes or functions stand for the notebook's own, for a moment."""
    before = {name: globals()[name] for name in parts if name in globals()}
    globals().update(parts)
    try:
        yield
    finally:
        for name in parts:
            del globals()[name]
        globals().update(before)


def _ended_early(exercise: str, asked: list[str], error: Exception, file: str) -> Result:
    title = title_of(exercise)
    if is_stub(error):
        other = open_exercise(error)
        waits = f" It waits for {title_of(other)}." if other not in ("", exercise) else ""
        panel("open", f"{title} is still open.{waits}")
        return Result("open", tuple(asked))
    question, before = (asked[-1], asked[:-1]) if asked else ("", [])
    said = str(error) if isinstance(error, AssertionError) else ""
    message = said or in_words(error, (OURS, file))
    step = f"{title}, step {len(asked)} of the check: {question}"
    panel("failing", step, message)
    if isinstance(error, Differs) and error.yours is not None and error.target is not None:
        beside_target(error.yours, error.target)
    return Result("failing", tuple(before), question, message)
