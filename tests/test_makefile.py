"""The Makefile's verbs, in a folder of several assignments or of one; nothing is run."""

import shutil
import subprocess
from pathlib import Path

import pytest

TOP = Path(__file__).parents[1]
ALL = "one-sheet two-sheet"


@pytest.fixture
def make(tmp_path):
    """Say what a verb would run, with these assignments in source/; return status and what was said."""
    for file in ("Makefile", "pyproject.toml"):
        shutil.copy(TOP / file, tmp_path)
    (tmp_path / ".venv").mkdir()
    (tmp_path / ".venv" / ".made").touch()

    def run(*words: str, there: str = ALL) -> tuple[int, str]:
        for id in there.split():
            (tmp_path / "source" / id).mkdir(parents=True, exist_ok=True)
        command = ["make", "--dry-run", "--no-print-directory", *words]
        done = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True)
        return done.returncode, done.stdout + done.stderr

    return run


@pytest.mark.parametrize(
    "verb",
    ["demo", "release", "solution", "matrix", "grade", "report", "feedback", "check", "test"],
)
def test_without_a_name_a_verb_takes_all(make, verb):
    status, said = make(verb)
    assert status == 0 and "sheet" not in said


@pytest.mark.parametrize(
    "verb", ["demo", "release", "solution", "matrix", "grade", "report", "feedback"]
)
def test_with_a_name_a_verb_takes_one(make, verb):
    status, said = make(verb, "ASSIGNMENT=two-sheet")
    assert status == 0 and said.count("two-sheet") == 1 and "one-sheet" not in said


@pytest.mark.parametrize("verb", ["bench-peers", "kills"])
def test_what_is_about_one_says_which_there_are(make, verb):
    status, said = make(verb)
    assert status == 2 and f"add ASSIGNMENT= and one of {ALL}." in said and said.count("\n") == 1
    assert make(verb, "ASSIGNMENT=two-sheet")[0] == 0


@pytest.mark.parametrize("verb", ["bench-peers", "kills"])
def test_where_there_is_one_it_is_meant(make, verb):
    status, said = make(verb, there="one-sheet")
    assert status == 0 and "--assignment one-sheet" in said


def test_each_is_measured(make):
    assert "for one in one-sheet two-sheet;" in make("bench")[1]


def test_what_is_begun_has_a_name_of_its_own(make):
    status, said = make("new")
    assert status == 2 and "make new ASSIGNMENT=my-sheet" in said
    assert "new my-sheet rms_norm" in make("new", "ASSIGNMENT=my-sheet", "EXERCISE=rms_norm")[1]
