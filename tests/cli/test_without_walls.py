"""Without walls, somebody is asked before anything of a student runs, or anything is written."""

import os
import pty
import re
from contextlib import nullcontext
from pathlib import Path

import pytest

import autograder
from autograder.cli.main import main
from autograder.cli.without_walls import OPTION
from autograder.engine.process import NAMESPACES, PRACTICE

NO_WALLS = "user namespaces are forbidden"


@pytest.fixture
def files(hand_in, assignment, tmp_path):
    """What is there besides two submissions."""
    hand_in("s001", only=True)
    hand_in("s002", only=True, **{assignment.exercises[0].id: "pass"})
    return lambda: sorted(path.name for path in tmp_path.iterdir())


@pytest.fixture
def graded(monkeypatch) -> list[str]:
    """Whose code would have run: nothing is started."""
    ran: list[str] = []

    def outcomes(pool, calls, turn):
        for call in calls:
            settings, _ = call.arguments
            ran.append(f"{call.student} {settings.sandbox}")
        return iter(())

    monkeypatch.setattr("autograder.cli.console_run.open_pool", lambda *_: nullcontext())
    monkeypatch.setattr("autograder.cli.console_run.outcomes", outcomes)
    return ran


@pytest.fixture
def grade(files, graded, assignment, tmp_path, capfd):
    """Grade them with these words; return the exit status and what was said."""

    def run(*more: str) -> tuple[int, str]:
        words = ["grade", str(tmp_path / "submitted"), "--assignment", assignment.id]
        status = main([*words, "--results", str(tmp_path / "results"), "--no-gradebook", *more])
        return status, "".join(capfd.readouterr())

    return run


@pytest.fixture
def walls_here(monkeypatch):
    """Say what `auto` finds here."""

    def find(*found: str) -> None:
        monkeypatch.setattr("autograder.engine.grade.best_walls", lambda course: found)

    return find


@pytest.fixture
def at_terminal(monkeypatch):
    """Sit at a terminal, and type this beforehand; return what reads what is shown."""

    ours, theirs = pty.openpty()
    with (
        open(ours, "r+b", buffering=0) as person,
        open(theirs, encoding="utf-8") as stdin,
        open(os.dup(theirs), "w", encoding="utf-8") as stdout,
    ):

        def sit(typed: str):
            person.write(typed.encode())
            monkeypatch.setattr("sys.stdin", stdin)
            monkeypatch.setattr("sys.stdout", stdout)

            def shown(until: str) -> str:
                text = ""
                while until not in text:
                    text += person.read(100_000).decode()
                return text

            return shown

        yield sit
        monkeypatch.undo()


@pytest.mark.parametrize("words", [["--sandbox", "off"], ["--sandbox", "auto"]])
def test_where_nobody_can_be_asked_nothing_is_graded(grade, graded, files, walls_here, words):
    walls_here(PRACTICE, NO_WALLS)
    before = files()
    status, said = grade(*words)
    assert status == 2 and said.count("\n") == 1 and OPTION in said
    assert "read, change and delete your files" in said
    assert (NO_WALLS in said) == ("auto" in words)
    assert graded == [] and files() == before


@pytest.mark.parametrize("answer", ["n\n", "\n", "\x04"])
def test_whoever_does_not_say_yes_gets_nothing_graded(grade, graded, files, at_terminal, answer):
    shown, before = at_terminal(answer), files()
    status, said = grade("--sandbox", "off")
    assert status == 2 and said == (
        "autograder: Nothing was graded: `--sandbox require` grades behind walls.\n"
    )
    assert graded == [] and files() == before
    words = shown("Grade 2 submissions without walls? [y/N]")
    assert "a student's code runs with your rights" in words


def test_whoever_says_yes_gets_practice(grade, graded, at_terminal, walls_here):
    walls_here(PRACTICE, NO_WALLS)
    shown = at_terminal("y\n")
    assert grade("--sandbox", "auto")[0] == 0
    assert sorted(graded) == ["s001 practice", "s002 practice"]
    said = shown("these verdicts are practice")
    assert f"There are no walls here ({NO_WALLS})" in said


def test_the_option_answers_beforehand(grade, graded, at_terminal):
    shown = at_terminal("")
    assert grade("--sandbox", "off", OPTION)[0] == 0
    assert len(graded) == 2 and "[y/N]" not in shown("these verdicts are practice")


def test_behind_walls_nobody_is_asked(grade, graded, walls_here):
    walls_here(NAMESPACES, "")
    assert grade("--sandbox", "auto")[0] == grade("--sandbox", "require")[0] == 0
    assert graded == ["s001 namespaces", "s002 namespaces"] * 2


def test_the_option_takes_no_walls_down(grade, graded):
    assert grade(OPTION)[0] == 0
    assert graded == ["s001 namespaces", "s002 namespaces"]


def test_on_a_cluster_it_is_the_workers_whose_files_are_at_stake(grade, graded):
    status, said = grade("--sandbox", "off", "--scheduler", "tcp://a.example:8786")
    assert status == 2 and graded == [] and "the rights of whoever started the workers" in said


def test_no_other_command_starts_candidates_without_walls():
    """Practice is a choice of `grade`: nothing else has it, and nothing else asks for it."""
    top = Path(autograder.__file__).parent
    named = {
        str(file.relative_to(top))
        for file in top.rglob("*.py")
        if re.search(r"\bPRACTICE\b|\"practice\"|\"off\"", file.read_text(encoding="utf-8"))
    }
    assert named == {
        "cli/console_run.py",  # says that it was that
        "cli/grade.py",  # which asks
        "engine/grade.py",  # does as the settings of the run say
        "engine/process.py",
        "engine/sandbox/choose.py",
        "engine/sandbox/walls.py",
        "report/assignment_report.py",  # tells verdicts of practice apart
        "gradebook/pages/formgrader.py",  # a header of that value
        "gradebook/preprocessors.py",  # refuses it
        "platforms/grades.py",  # refuses it
    }
