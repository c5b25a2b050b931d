"""Pictures wait for their exercise in one line, and so do those that need what they were to define."""

import pytest

from autograder.authoring.toolbox import steps as toolbox
from autograder.authoring.toolbox.exercises import EXERCISES, ExerciseHeading
from autograder.authoring.toolbox.steps import WAITING, is_open, try_it


class Unwritten:
    def __init__(self):
        raise NotImplementedError()


@pytest.fixture(autouse=True)
def said(monkeypatch) -> list[tuple[str, str]]:
    """State and title of what is shown below a cell; there is an exercise that defines `Unwritten`."""
    panels: list[tuple[str, str]] = []
    monkeypatch.setattr(
        toolbox, "panel", lambda state, title, text="": panels.append((state, title))
    )
    monkeypatch.setitem(EXERCISES, "one", ExerciseHeading("1", "Write it", 1, 1, ("Unwritten",)))
    WAITING.clear()
    return panels


def make() -> None:
    global made_by_picture
    made_by_picture = Unwritten()


def draw() -> None:
    print(made_by_picture)


def test_a_picture_waits_for_the_exercise_that_a_picture_above_waits_for(said):
    try_it(make)
    try_it(draw)
    assert said == [("open", "Exercise 1 is still open: no picture yet.")] * 2


def test_a_name_that_nothing_was_to_define_is_an_error(said):
    try_it(draw)
    assert said == [("failing", "No picture yet.")]


def test_what_is_drawn_waits_no_more(said, monkeypatch):
    try_it(make)
    monkeypatch.setattr(Unwritten, "__init__", lambda self: None)
    try_it(make)
    del globals()["made_by_picture"]
    try_it(draw)
    assert said[-1] == ("failing", "No picture yet.") and "made_by_picture" not in WAITING


def test_only_what_was_left_as_it_was_is_open():
    def wrong() -> None:
        raise NotImplementedError("not for odd sizes")

    assert is_open(Unwritten)
    assert not is_open(wrong) and not is_open(dict)
