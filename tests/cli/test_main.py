"""The command line as a whole: help, and what is said about wrong usage."""

import subprocess
import sys

import pytest

from autograder.cli.exit_status import FAILED, NOT_GRADED, OK, worst
from autograder.cli.main import main

SLOW = {"torch", "nbgrader", "sqlalchemy", "distributed", "IPython"}  # to import


def test_help_is_there(capfd):
    for words in (["--help"], ["grade", "--help"], ["sample-class", "--help"]):
        assert main(words) == 0
        assert "Usage: python -m autograder" in capfd.readouterr().out


def test_a_command_that_there_is_not_is_wrong_usage(capfd):
    assert main(["nothing"]) == 2
    said = capfd.readouterr().err
    assert "nothing" in said and said.count("\n") == 1


def test_a_command_starts_without_what_only_some_need():
    ask = f"import sys, autograder.cli.main; print(*{SLOW!r} & {{*sys.modules}})"
    assert subprocess.check_output([sys.executable, "-c", ask], text=True).split() == []


@pytest.mark.parametrize(
    ("statuses", "told"),
    [([], OK), ([OK, NOT_GRADED], NOT_GRADED), ([NOT_GRADED, FAILED, OK], FAILED)],
)
def test_what_could_not_be_written_is_not_hidden_by_what_is_to_be_graded_again(statuses, told):
    assert worst(statuses) == told
