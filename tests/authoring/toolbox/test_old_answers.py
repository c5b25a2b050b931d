"""Is it told when a cell stopped, so that what it defined before is still there?"""

from types import SimpleNamespace

import pytest

from autograder.authoring.toolbox import steps
from autograder.authoring.toolbox.begin import note_how_it_ended
from autograder.authoring.toolbox.exercises import EXERCISES, RESULTS, STOPPED, ExerciseHeading

CELL = "answers = {'a': true}"


@pytest.fixture(autouse=True)
def one_exercise(monkeypatch):
    """An exercise whose check finds nothing wrong."""
    monkeypatch.setitem(EXERCISES, "quiz", ExerciseHeading("9", "Quiz", 2, 10, ("answers",)))
    monkeypatch.setitem(steps.CHECKS, "quiz", lambda: iter(["Is it there?"]))
    yield
    STOPPED.clear()
    RESULTS.clear()


def ended(source, error=None):
    info = SimpleNamespace(raw_cell=source)
    note_how_it_ended(SimpleNamespace(info=info, error_before_exec=None, error_in_exec=error))


def test_old_answers_are_not_passed_as_new_ones(capsys):
    ended(CELL, NameError("name 'true' is not defined"))
    steps.check("quiz")
    assert RESULTS["quiz"].state == "failing"
    assert "name 'true' is not defined" in RESULTS["quiz"].message


def test_a_cell_that_ran_once_more_counts(capsys):
    ended(CELL, NameError("name 'true' is not defined"))
    ended(CELL.replace("true", "True"))
    steps.check("quiz")
    assert RESULTS["quiz"].state == "done"


def test_a_cell_of_something_else_matters_not(capsys):
    ended("1 / 0", ZeroDivisionError())
    steps.check("quiz")
    assert RESULTS["quiz"].state == "done"
