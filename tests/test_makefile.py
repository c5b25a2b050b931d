"""The Makefile's verbs, in a folder of several assignments or of one; nothing but `demo` is run."""

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest
from nbgrader.api import Gradebook
from skeletons import SHEET
from submissions import verdicts
from typed_commands import typed

from autograder import find_assignment

TOP = Path(__file__).parents[1]
ALL = "one-sheet two-sheet"
SMALL = "small-sheet"


@pytest.fixture
def make(tmp_path):
    """Say what a verb would run, with these assignments in source/; return status and what was said."""
    for file in ("Makefile", "pyproject.toml", "requirements.lock"):
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
    ["release", "solution", "matrix", "grade", "report", "feedback", "check", "test"],
)
def test_without_a_name_a_verb_takes_all(make, verb):
    status, said = make(verb)
    assert status == 0 and "sheet" not in said


@pytest.mark.parametrize("verb", ["release", "solution", "matrix", "grade", "report", "feedback"])
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


@pytest.mark.parametrize("verb", ["bench", "demo"])
def test_what_takes_one_after_the_other_takes_all_or_the_one_that_is_named(make, verb):
    assert ALL in make(verb)[1]
    status, said = make(verb, "ASSIGNMENT=two-sheet")
    assert status == 0 and "two-sheet" in said and "one-sheet" not in said


def test_what_is_begun_has_a_name_of_its_own(make):
    status, said = make("new")
    assert status == 2 and "make new ASSIGNMENT=my-sheet" in said
    assert "new my-sheet rms_norm" in make("new", "ASSIGNMENT=my-sheet", "EXERCISE=rms_norm")[1]


def test_an_index_of_wheels_for_the_cpu_is_given_to_pip(make):
    address = "https://wheels.example/cpu"
    status, printed = make("--always-make", "test", f"TORCH_INDEX={address}")
    (line,) = (line for line in printed.splitlines() if "install.py" in line)
    assert status == 0 and f"--extra-index-url '{address}' --constraint requirements.lock" in line
    assert "--extra-index-url" not in make("--always-make", "test")[1]


@pytest.fixture
def demo(two, monkeypatch):
    """Run `make demo` in a course of two assignments, with three students; return status and what was said."""
    monkeypatch.chdir(two.root)
    for file in ("Makefile", "pyproject.toml", "requirements.lock"):
        shutil.copy(TOP / file, ".")
    shutil.copytree(TOP / ".make", ".make")
    words = [
        "make",
        f"BIN={Path(sys.executable).parent}",
        "STUDENTS=3",
        "-o",
        ".venv/.made",
        "demo",
    ]

    def run(*host: str) -> tuple[int, str]:
        environment = {**os.environ, "PYTHONPATH": str(TOP)}
        done = subprocess.run([*host, *words], env=environment, capture_output=True, text=True)
        return done.returncode, done.stdout + done.stderr

    return run


@pytest.mark.long
@pytest.mark.walls
@pytest.mark.database
@pytest.mark.timeout(900)  # all seven steps of two assignments
def test_the_demo_of_all_makes_what_it_says_and_keeps_assignments_apart(two, demo):
    shutil.rmtree(two.release)
    status, said = demo()
    assert status == 0, said
    assert all(f"{number}. " in said for number in range(1, 8))
    where = said.partition("Where to look:")[2].split()
    named = [word for word in where if word.startswith("demo/")]
    assert len(named) == 5 and all(Path(word).exists() for word in named)
    assert "\n6. Feedback pages, made by nbgrader ..." in said and "formgrader" in where
    assert said.count("\n") <= 40
    people = set()
    for id in (SHEET, SMALL):
        exercises = {each.id for each in find_assignment(id, two).exercises}
        results = Path("demo", "results", id)
        found = verdicts(Path("demo"), id)
        graded = [one for one in found.values() if one["state"] == "graded"]
        assert len(found) == 3 and {one["assignment"] for one in found.values()} == {id}
        assert all({each["id"] for each in one["exercises"]} == exercises for one in graded)
        assert (results / "grades.csv").is_file() and (results / "export" / "moodle.csv").is_file()
        pages = {page.parts[-3] for page in Path().glob(f"demo/feedback/*/{id}/{id}.html")}
        assert pages == {one["student"] for one in graded}
        people.add(frozenset(found))
    assert len(people) == 1, "the same students in both"
    with Gradebook("sqlite:///demo/gradebook.db") as book:
        entered = {one.name: one.num_submissions for one in book.assignments}
    assert entered == {SHEET: 3, SMALL: 3}
    status, said = typed("export", "demo/results", "--format", "csv", "--course", "demo")
    assert status == 0 and said.count("3 with what was marked by hand") == 2


@pytest.mark.long
@pytest.mark.database
@pytest.mark.namespaces  # such a host is made with one
@pytest.mark.timeout(900)
def test_the_demo_ends_as_practice_where_no_sandbox_works(two, demo):
    shutil.rmtree(two.release)
    host = TOP / "tests" / "machines" / "host.py"
    status, printed = demo(sys.executable, str(host), "--no-landlock")
    assert status == 0, printed
    log = Path("demo", "log.txt").read_text()
    assert log.count("No walls (") == log.count(" is not exported: ") == 2
    assert log.count("marked as practice, graded without a sandbox.") == 2
    assert "No sandbox works on this host, so this was practice." in printed
    assert "made by nbgrader" not in printed.partition("6. Feedback")[2]
    where = printed.partition("Where to look:")[2]
    named = [word for word in where.split() if word.startswith("demo/")]
    assert len(named) == 4 and all(Path(word).exists() for word in named)
    assert "formgrader" not in where and "Moodle" not in where
    states = {
        each["stamp"]["sandbox"]
        for id in (SHEET, SMALL)
        for each in verdicts(Path("demo"), id).values()
    }
    assert states == {"practice"}
    pages = [word for word in named if word.endswith(".html") and "feedback" in word]
    assert len(pages) == 1 and all("Practice: " in Path(page).read_text() for page in pages)


def test_a_folder_called_demo_that_is_none_is_kept(demo):
    Path("demo").mkdir()
    Path("demo", "mine.txt").write_text("mine")
    status, said = demo()
    assert status == 2 and "exists and is not a demo" in said
    assert Path("demo", "mine.txt").read_text() == "mine"
