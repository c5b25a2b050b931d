"""`visible-checks` on the command line."""

import pytest

from autograder.cli.main import main

pytestmark = pytest.mark.filterwarnings("ignore")  # mistakes may do what torch warns of


def test_ways_are_counted_and_the_words_for_each_are_printed(assignment, capsys):
    words = ["--exercise", "feed_forward", "--first-way", "--words"]
    assert main(["visible-checks", assignment.id, *words]) == 0
    said = capsys.readouterr().out
    assert "feed_forward: no_relu: Which three modules" in said and "false alarms" in said


def test_an_exercise_without_a_visible_check_is_refused(assignment, capsys):
    assert main(["visible-checks", assignment.id, "--exercise", "explain_feed_forward"]) == 2
    assert "No exercise `explain_feed_forward`" in capsys.readouterr().err
