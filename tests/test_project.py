"""What the project says about itself is the same wherever it is said."""

import os
import re
import runpy
import subprocess
import sys
import tomllib
from importlib.metadata import version
from pathlib import Path

import pytest
import yaml

from autograder import SandboxError
from autograder._commands.main import installed_version, main
from autograder.engine.sandbox.walls import Walls

TOP = Path(__file__).parents[1]
PROJECT = tomllib.loads((TOP / "pyproject.toml").read_text())["project"]
CITATION = yaml.safe_load((TOP / ".github" / "CITATION.cff").read_text(encoding="utf-8"))
CI = yaml.safe_load((TOP / ".github" / "workflows" / "ci.yml").read_text(encoding="utf-8"))
ENTRY = re.compile(r"^## \[(\d+\.\d+\.\d+)\] - (\d{4}-\d{2}-\d{2})$", re.MULTILINE)
OF_PYTHON = "Programming Language :: Python :: "


def released() -> list[tuple[str, str]]:
    """Version and day of each entry of the changelog, the newest first."""
    return ENTRY.findall((TOP / "CHANGELOG.md").read_text(encoding="utf-8"))


def test_one_version_is_said_everywhere():
    number, day = released()[0]
    assert number == PROJECT["version"] == CITATION["version"]
    assert day == str(CITATION["date-released"])


def test_the_changelog_is_in_order():
    numbers = [tuple(map(int, number.split("."))) for number, _ in released()]
    days = [day for _, day in released()]
    assert numbers == sorted(set(numbers), reverse=True) and days == sorted(days, reverse=True)


def test_one_licence_is_said_everywhere():
    text = (TOP / "LICENSE").read_text(encoding="utf-8")
    assert PROJECT["license"] == CITATION["license"] == "BSD-3-Clause"
    assert text.startswith("BSD 3-Clause License") and "3. Neither the name" in text
    (author,), (cited,) = PROJECT["authors"], CITATION["authors"]
    assert author["name"] == cited["name"] and author["name"] in text


def test_the_citation_has_what_its_format_asks_for():
    assert CITATION["cff-version"] == "1.2.0"
    assert all(CITATION[key] for key in ("message", "title", "authors"))


def test_ci_runs_on_every_python_that_is_promised():
    promised = [
        one.removeprefix(OF_PYTHON) for one in PROJECT["classifiers"] if one.startswith(OF_PYTHON)
    ]
    assert CI["jobs"]["test"]["strategy"]["matrix"]["python"] == promised
    assert PROJECT["requires-python"] == f">={promised[0]}"
    assert promised == [f"3.{minor}" for minor in range(11, 11 + len(promised))]


def test_the_command_line_says_its_version(capfd):
    assert main(["--version"]) == 0
    said = capfd.readouterr().out.splitlines()
    assert said[0] == f"autograder {version('autograder')}"
    assert said[1].startswith("Python 3.") and said[2] == f"torch {version('torch')}"


def test_what_is_not_installed_has_no_version():
    assert installed_version("no-such-package") == "is not installed"


@pytest.mark.parametrize("file", [".container/Containerfile", ".dockerignore"])
def test_no_hidden_grader_comes_into_an_image(file):
    text = (TOP / file).read_text(encoding="utf-8")
    last = text.rpartition("\nFROM ")[2] if "FROM" in text else text
    assert "COPY autograder" not in last
    assert "FROM" in text or "\nautograder/graders\n" in text


def test_an_image_brings_what_its_build_copies():
    brought = (TOP / ".dockerignore").read_text().split()
    copied = re.findall(
        r"^COPY (?!--from)(.+) \S+$", (TOP / ".container" / "Containerfile").read_text(), re.M
    )
    for name in " ".join(copied).split():
        assert f"!{name.split('/')[0]}" in brought and (TOP / name).exists(), name


def test_a_container_runs_nothing_before_its_walls_hold(monkeypatch):
    started = []
    monkeypatch.setattr(os, "execv", lambda program, words: started.append(words[1:]))
    monkeypatch.setattr(sys, "argv", ["start.py", "grade", "submitted"])

    def start(walls, limits):
        started.append("walls")
        return walls

    monkeypatch.setattr(Walls, "start", start)
    monkeypatch.setattr(Walls, "end", lambda walls: None, raising=False)
    runpy.run_path(str(TOP / ".container" / "start.py"))
    assert started == ["walls", ["-m", "autograder", "grade", "submitted"]]


def test_a_container_whose_walls_do_not_hold_says_what_to_allow(monkeypatch, capsys):
    def start(walls, limits):
        raise SandboxError("no namespace can be made")

    monkeypatch.setattr(Walls, "start", start)
    with pytest.raises(SystemExit) as caught:
        runpy.run_path(str(TOP / ".container" / "start.py"))
    said = capsys.readouterr().err
    assert caught.value.code == 3 and "no namespace can be made." in said
    page = TOP / "docs" / "container.md"
    for option in ("seccomp=.container/seccomp.json", "unmask=/proc/*", "apparmor=unconfined"):
        assert option in said and option in page.read_text()


@pytest.mark.parametrize(
    "name",
    ["roster.csv", "late.csv", "extensions.csv", "choices.csv", "worksheet.csv", "moodle.zip"],
)
def test_what_says_who_students_are_is_not_committed(name):
    done = subprocess.run(["git", "check-ignore", "--quiet", name], cwd=TOP)
    assert done.returncode == 0
