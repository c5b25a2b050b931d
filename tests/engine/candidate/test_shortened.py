"""What an exception makes the project do is bounded, however large or odd the exception is."""

import pytest
from submissions import exercise, lost

from autograder.engine.candidate.faults import describe_fault
from autograder.engine.candidate.shortened import (
    END_FRAMES,
    MAX_ARGUMENTS,
    MAX_CHAIN,
    MAX_GROUP,
    MAX_ITEMS,
    MAX_TEXT,
    message_of,
    shortened,
)
from autograder.engine.grading.grade import Grader
from autograder.engine.limits.process import Limits
from autograder.mistakes.exercises import diagnose_exercises


class Counted:
    """Counts how often its text is asked for."""

    asked = 0

    def __repr__(self) -> str:
        Counted.asked += 1
        return "x"


@pytest.fixture(autouse=True)
def _nothing_is_asked_yet() -> None:
    Counted.asked = 0


def chain_of(length: int, link: str) -> ValueError:
    error = ValueError("first")
    for number in range(length):
        later = ValueError(number)
        setattr(later, link, error)
        error = later
    return error


def chain_from(error: BaseException | None) -> list[BaseException]:
    found = []
    while error is not None and len(found) < 100:
        found.append(error)
        error = error.__cause__ or error.__context__
    return found


@pytest.mark.parametrize("link", ["__cause__", "__context__"])
def test_of_a_chain_of_causes_the_last_are_shown(link):
    shown = shortened(chain_of(5_000, link))
    assert [str(error) for error in chain_from(shown)] == ["4999", "4998", "4997", "4996", "4995"]
    assert len(chain_from(shown)) == MAX_CHAIN


def test_a_chain_that_never_ends_and_one_that_is_hidden():
    one, other = ValueError("one"), ValueError("other")
    one.__cause__, other.__cause__ = other, one
    assert shortened(one) is one and one.__cause__ is other  # which IPython shows once
    hidden = ValueError("shown")
    hidden.__context__, hidden.__suppress_context__ = ValueError("x" * 2 * MAX_TEXT), True
    assert shortened(hidden) is hidden and len(str(hidden.__context__)) == 2 * MAX_TEXT


def test_what_is_not_large_is_shown_as_it_is():
    error = ValueError("x" * MAX_TEXT, [1] * MAX_ITEMS)
    error.__cause__ = KeyError("y")
    error.add_note("note")
    group = ExceptionGroup("several", [ValueError(n) for n in range(MAX_GROUP - 1)])
    for one in (error, group, SyntaxError("x", ("<cell own>", 1, 1, "x = = 1"))):
        assert shortened(one) is one
    assert message_of(error) == str(error)[:MAX_TEXT] and message_of(error.__cause__) == "'y'"


LARGE = {
    "a text": lambda: ValueError("x" * (MAX_TEXT + 1)),
    "bytes": lambda: ValueError(b"x" * (MAX_TEXT + 1)),
    "a list": lambda: ValueError([Counted()] * (MAX_ITEMS + 1)),
    "a key": lambda: KeyError((Counted(),) * (MAX_ITEMS + 1)),
    "many arguments": lambda: ValueError(*[Counted()] * 1_000_000),
}


@pytest.mark.parametrize("make", LARGE.values(), ids=LARGE)
def test_of_a_large_exception_the_beginning_is_shown(make):
    error = make()
    shown = shortened(error)
    assert type(shown).__name__ == type(error).__name__ and len(str(shown)) <= MAX_TEXT
    assert len(describe_fault(error)["text"]) <= 500
    assert Counted.asked <= 2 * MAX_ARGUMENTS


def test_of_groups_and_notes_that_are_large_the_message_is_shown():
    nested: Exception = ValueError("x")
    for _ in range(40):  # as a tree, more than there are atoms in a gram
        nested = ExceptionGroup("tree", [nested, nested])
    wide = ExceptionGroup("wide", [ValueError(n) for n in range(100_000)])
    inside = ExceptionGroup("inside", [ValueError("x" * 2 * MAX_TEXT)])
    noted = ValueError("noted")
    noted.__notes__ = ["x"] * 100_000
    for error in (nested, wide, inside, noted):
        shown = shortened(error)
        assert not isinstance(shown, ExceptionGroup) and not hasattr(shown, "__notes__")
        assert str(shown).startswith(str(error)[:4])


def test_of_deep_recursion_both_ends_are_shown():
    def fall(depth: int) -> None:
        if depth:
            fall(depth - 1)
        raise ValueError("at the bottom")

    with pytest.raises(ValueError, match="at the bottom") as caught:
        fall(500)
    traceback, frames = shortened(caught.value).__traceback__, 0
    while traceback is not None:
        traceback, frames = traceback.tb_next, frames + 1
    assert frames == 2 * END_FRAMES


def test_a_message_that_a_cell_writes_is_not_asked_for_when_a_question_fails():
    names: dict = {"asked": []}
    own = "class Own(ValueError):\n    def __str__(self):\n        asked.append(1)\n        return 'x'\n"
    exec(compile(own, "<cell attention>", "exec"), names)
    fault = describe_fault(names["Own"]("text"))
    assert (fault["type"], fault["text"], names["asked"]) == ("ValueError", "", [])


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
