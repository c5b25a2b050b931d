"""Without walls, somebody is asked before anything of a student runs, or anything is written."""

import re
from contextlib import nullcontext
from pathlib import Path
from types import SimpleNamespace

import pytest
from submissions import hand_in_comments
from typed_commands import typed

import autograder
from autograder import AutograderError
from autograder._commands import terminal
from autograder.engine.limits import LANDLOCK, NAMESPACES, PRACTICE
from autograder.gradebook.commands.without_walls import OPTION, sandbox_level

NO_WALLS = "user namespaces are forbidden"
NOTHING = "autograder: Nothing was graded: `--sandbox require` grades behind walls.\n"


@pytest.fixture
def graded(monkeypatch) -> list[str]:
    """Whose code would have run: nothing is started."""
    ran: list[str] = []

    def outcomes(pool, items, turn):
        for item in items:
            settings, _ = item.arguments
            ran.append(f"{item.student} {settings.sandbox}")
        return iter(())

    monkeypatch.setattr(
        "autograder.gradebook.commands.console_run.open_pool", lambda *_: nullcontext()
    )
    monkeypatch.setattr("autograder.gradebook.commands.console_run.outcomes", outcomes)
    return ran


@pytest.fixture
def grade(graded, small, tmp_path, monkeypatch):
    """Grade two with these words, where `auto` finds walls or none; return status and what was said."""
    hand_in_comments(small, tmp_path / "submitted", ["s001", "s002"])

    def run(*more: str, found: tuple[str, str] = (PRACTICE, NO_WALLS)) -> tuple[int, str]:
        monkeypatch.setattr("autograder.engine.grading.grade.best_walls", lambda course: found)
        words = [tmp_path / "submitted", "--results", tmp_path / "results", "--no-gradebook"]
        words += ["--assignment", small.id, "--course", small.course.root]
        return typed("grade", *words, *more)

    return run


@pytest.fixture
def somebody_says(monkeypatch):
    """Have somebody there who answers yes or no; return what was asked."""

    def sit(yes: bool) -> list[str]:
        asked: list[str] = []
        monkeypatch.setattr(terminal, "is_there_to_answer", lambda: True)
        monkeypatch.setattr(terminal, "ask", lambda question: asked.append(question) or yes)
        return asked

    return sit


@pytest.mark.parametrize(
    ("words", "why"),
    [
        (["--sandbox", "off"], "read, change and delete your files"),
        (["--sandbox", "auto"], NO_WALLS),
        (
            ["--sandbox", "off", "--scheduler", "tcp://a.example:8786"],
            "the rights of whoever started the workers",
        ),
    ],
    ids=["off", "auto", "on a cluster"],
)
def test_where_nobody_can_be_asked_nothing_is_graded(grade, graded, tmp_path, words, why):
    status, said = grade(*words)
    assert status == 2 and said.count("\n") == 1 and OPTION in said and why in said
    assert graded == [] and [path.name for path in tmp_path.iterdir()] == ["submitted"]


def test_whoever_says_no_gets_nothing_graded_and_who_says_yes_practice(
    grade, graded, somebody_says, tmp_path
):
    asked = somebody_says(False)
    status, said = grade("--sandbox", "auto")
    assert status == 2 and said.endswith(NOTHING)
    assert f"There are no walls here ({NO_WALLS})" in said
    assert "a student's code runs with your rights" in said
    assert asked == ["Grade 2 submissions without walls?"]
    assert graded == [] and [path.name for path in tmp_path.iterdir()] == ["submitted"]
    somebody_says(True)
    status, said = grade("--sandbox", "auto")
    assert status == 0 and "these verdicts are practice" in said
    assert graded == ["s001 practice", "s002 practice"]


@pytest.mark.parametrize(
    ("words", "found", "level"),
    [
        (["--sandbox", "off", OPTION], (PRACTICE, NO_WALLS), "practice"),
        ([OPTION], (NAMESPACES, ""), "require"),
        (["--sandbox", "namespaces"], (PRACTICE, NO_WALLS), "namespaces"),
        (["--sandbox", "auto"], (LANDLOCK, NO_WALLS), "require"),
        (["--sandbox", "auto"], (NAMESPACES, ""), "require"),
    ],
    ids=[
        "the option answers beforehand",
        "it takes no walls down",
        "insisted on",
        "behind Landlock",
        "behind walls",
    ],
)
def test_nobody_is_asked_where_that_is_not_needed(
    grade, graded, somebody_says, words, found, level
):
    asked = somebody_says(False)
    status, said = grade(*words, found=found)
    assert status == 0 and asked == [] and graded == [f"s001 {level}", f"s002 {level}"]
    assert ("these verdicts are practice" in said) == (level == "practice")


@pytest.mark.parametrize("count", [None, 1])
def test_whoever_is_asked_about_no_submission_need_not_answer(count, small):
    options = SimpleNamespace(sandbox="off", unprotected=False, scheduler=None)
    assert sandbox_level(options, small.course, 0) == (PRACTICE, "")
    with pytest.raises(AutograderError, match=OPTION):
        sandbox_level(options, small.course, count)


def test_no_other_command_starts_candidates_without_walls():
    """Practice is a choice of `grade`: nothing else has it, and nothing else asks for it."""
    top = Path(autograder.__file__).parent
    named = {
        file.relative_to(top).parts[:3]
        for file in top.rglob("*.py")
        if re.search(r"\bPRACTICE\b|\"practice\"|\"off\"", file.read_text(encoding="utf-8"))
    }
    assert {room for room, *_ in named} == {"classroom", "desk", "engine", "gradebook"}
    assert {parts[1] for parts in named if parts[0] == "classroom"} == {"apart.py", "blocks"}
    assert {parts[2] for parts in named if parts[1] == "commands"} == {
        *("class_table.py", "grade.py", "run_summary.py", "watch.py", "without_walls.py")
    }
    assert {file for room, file, *_ in named if room == "engine"} == {
        "grading",
        "limits",
        "sandbox",
        "verdicts",
    }
