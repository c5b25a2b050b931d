"""What an exception makes the project do is bounded, however large or odd the exception is."""

import pytest
from submissions import exercise, lost

from autograder.engine.candidate import shortened
from autograder.engine.grading import Grader
from autograder.engine.limits import Limits
from autograder.mistakes.exercises import diagnose_exercises


class Counted:
    """Counts how often its text is asked for."""

    asked = 0

    def __repr__(self) -> str:
        Counted.asked += 1
        return "x"


LARGE = {
    "a text": lambda: ValueError("x" * (shortened.MAX_TEXT + 1)),
    "bytes": lambda: ValueError(b"x" * (shortened.MAX_TEXT + 1)),
    "a list": lambda: ValueError([Counted()] * (shortened.MAX_ITEMS + 1)),
    "many arguments": lambda: ValueError(*[Counted()] * 1_000_000),
}


@pytest.mark.parametrize("make", LARGE.values(), ids=LARGE)
def test_of_a_large_exception_the_beginning_is_shown(make, monkeypatch):
    """Nobody sees it in a verdict, but for the time that it would take."""
    monkeypatch.setattr(Counted, "asked", 0)
    error = make()
    shown = shortened.shortened(error)
    assert shown is not error and len(str(shown)) <= shortened.MAX_TEXT
    assert Counted.asked <= 2 * shortened.MAX_ARGUMENTS


RAISING = {
    "a long message": "raise ValueError('x' * (20 << 20))",
    "a message of many lines": "raise ValueError('x\\n' * (10 << 20))",
    "many arguments": "raise ValueError(*range(10**5))",
    "a chain of causes": "raise chained(3_000)",
    "causes of long messages": "raise chained(20, 'x' * (10 << 20))",
    "a group of many": "raise ExceptionGroup('many', [ValueError(n) for n in range(100_000)])",
    "a tree of groups": "raise tree(40)",
    "many notes": "raise noted(100_000)",
    "deep recursion": "raise deep(900)",
    "a syntax error": "raise SyntaxError('x', ('y' * (9 << 20), 1, 1, 'z' * (9 << 20)))",
}
HELPERS = """
def chained(length, text="x"):
    error = ValueError(text)
    for number in range(length):
        try:
            raise ValueError(text) from error
        except ValueError as later:
            error = later
    return error

def tree(depth):
    error = ValueError("x")
    for _ in range(depth):
        error = ExceptionGroup("tree", [error, error])
    return error

def noted(count):
    error = ValueError("x")
    error.__notes__ = ["note"] * count
    return error

def deep(depth):
    return deep(depth - 1) if depth else chained(50)
"""


@pytest.mark.walls
@pytest.mark.parametrize("line", RAISING.values(), ids=RAISING)
def test_an_exception_takes_no_exercises_time(line, assignment, walls, hand_in, solved):
    """It is raised by the cell of one exercise and by each call of another."""
    first = "scores = query @"
    in_forward = solved["attention"].replace(first, f"{line}\n        {first}")
    cells = {
        "attention": HELPERS + in_forward,
        "encoder": f"{HELPERS}\n{line}",
    }
    graded = Grader(assignment, walls, Limits(), explain=diagnose_exercises).grade(
        "s001", hand_in(**cells)
    )
    assert lost(graded.verdict) == {"attention": 4, "encoder": 4}
    assert {exercise(graded.verdict, name).state for name in cells} == {"error"}
    assert len(str(graded.outputs["encoder"])) < 200_000
