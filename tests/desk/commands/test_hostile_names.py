"""Names of folders, files and people, of which each would like to act on the terminal: none does."""

import os
import re
import runpy
import subprocess
import sys
import unicodedata
from pathlib import Path

import pytest
from downloads import BOOK, COURSE, DAMAGED, ID, collect_words, ours
from exports import ADA
from nbgrader.apps import AutogradeApp
from recorded import plant_people
from typed_commands import typed

from autograder import read_verdict
from autograder.classroom.roster import Person, read_roster
from autograder.engine.courses import read_config
from autograder.engine.verdicts import verdict_files

pytestmark = pytest.mark.slow

ODD = [
    "\x1b]0;a title\x07",
    "\x1b]8;;http://a.example\x1b\\link",
    "\x1b[2J\x1bc",
    "\x9b31m",
    "a\r\nb\x08\x7f\t",
    "gpj\u202e.exe\u2066",
    "a\u200b\u2028\u3164",
    os.fsdecode(b"\xff\xfe"),
    "Z" + "\u0301" * 40,
    "[bold]b[link=x]:x:",
    "=HYPERLINK(1)",
]
RICH = re.compile(r"\x1b\[(\?25[lh]|1A|2K|[0-9;]*m)")  # what a bar and a table in colour need


def assert_harmless(said: str) -> None:
    """Nothing of it does anything on a terminal but show itself."""
    lines = RICH.sub("", said).replace("\r", "").split("\n")
    for line in lines:
        assert {unicodedata.category(c)[0] for c in line} <= {"L", "M", "N", "P", "S", "Z"}, line
        assert not re.search("[\u0300-\u036f]{4}", line)


def make(top: Path, *parts: str, content: bytes = DAMAGED) -> None:
    path = top.joinpath(*parts)
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(content)


@pytest.mark.walls
def test_grade_shows_and_keeps_names_that_can_only_be_read(tmp_path, small):
    top = tmp_path / "submitted"
    for number, name in enumerate(ODD):  # none can be graded
        make(top, name, ID, BOOK)
        make(top, f"s{number:03}", ID, f"{name[:100]}.ipynb")
    words = [top, "--assignment", ID, "--course", COURSE]
    status, said = typed("grade", *words, "--results", tmp_path / "r", "--no-gradebook")
    assert status == 3
    assert_harmless(said)
    assert r"`\x1b[2J\x1bc` cannot be a student's id" in said and r"`\xff\xfe`" in said
    assert r"s002: `\x1b[2J\x1bc.ipynb` is no notebook" in said
    assert "[bold]b[link=x]:x:" in said
    reasons = [read_verdict(file).reason or "" for file in verdict_files(tmp_path / "r" / ID)]
    assert len(reasons) == len(ODD)
    for reason in reasons:
        assert_harmless(reason)


def at_a_terminal(*words: str) -> str:
    """Run a command in a terminal of its own; return what is shown there."""
    ours, theirs = os.openpty()
    command = [sys.executable, "-m", "autograder", *words]
    with subprocess.Popen(command, stdin=theirs, stdout=theirs, stderr=theirs):
        os.close(theirs)
        shown = b""
        while True:
            try:
                shown += os.read(ours, 100_000)
            except OSError:  # the last one has closed it
                break
    os.close(ours)
    return shown.decode()


def test_collect_on_a_terminal_shows_names_that_can_only_be_read(tmp_path):
    top = tmp_path / "download"
    for number, name in enumerate(ODD):
        make(top, name, BOOK, content=ours(number))
        make(top, f"ada{number}", f"{name[:100]}.ipynb", content=ours(number))
    words = [*collect_words(tmp_path / "submitted"), "--yes"]
    said = at_a_terminal("collect", str(top), *words)
    assert_harmless(said)
    assert "\x1b[" in said and "ada10" in said  # a table in colour, and a bar before it
    assert rf"`\x1b]0;a title\x07/{BOOK}`" in said and r"a\x0d\x0ab" in said


@pytest.mark.parametrize(
    "words",
    [
        ["\x1b[2J"],
        ["grade", "x", "--assignment", "\x1b[2J\u202e", "--course", COURSE],
        ["grade", "\x1b[2J", "--assignment", ID, "--course", COURSE],
        ["grade", "x", "--assignment", ID, "--\x1b[2J"],
        ["grade", "x", "--assignment", ID, "--sandbox", "\x1b[2J\udcff"],
        ["collect", "\x1b[2J", *collect_words(Path("\x1b[2J"))],
        ["export", "\x1b[2J", "--format", "csv", "--course", COURSE],
        ["release", "--check", "\x1b[2J", "--course", COURSE],
        ["new", "\x1b[2J", "--course", COURSE],
        ["release", "\x1b[2J", "--course", "\x1b[2J"],
    ],
)
def test_wrong_usage_quotes_an_argument_that_can_only_be_read(words, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    status, said = typed(*words)
    assert status in (1, 2) and r"\x1b[2J" in said
    assert_harmless(said)


def test_export_shows_no_reason_or_name_that_acts(class_folder):
    path = Path("results/sheet-3/cleo-mask.json")
    reason = read_verdict(path).reason
    odd = path.read_text().replace(reason, r"`\u001b[2J\u202e` is none.")
    path.write_text(odd)  # as an earlier version may have written it
    plant_people(Path("submitted"), "sheet-3", [Person(ADA, "".join(ODD[:6]))])
    assert "\x1b" in read_roster(Path("submitted"), "sheet-3")[ADA].name
    for kind in ("csv", "canvas", "gradescope"):
        status, said = typed("export", "results", "--format", kind)
        assert status == 0
        assert_harmless(said)
    for table in Path("results/sheet-3/export").glob("*.csv"):
        assert_harmless(table.read_text())


def test_what_libraries_print_and_what_ends_a_run_is_cleaned(monkeypatch, capfd):
    def crash() -> int:
        print("\x1b[2J \udcff", file=sys.stderr)
        raise ValueError("\x1b]0;a title\x07")

    monkeypatch.setattr("autograder._commands.main.main", crash)
    monkeypatch.setattr("sys.stdout", sys.stdout)  # to be put back
    monkeypatch.setattr("sys.stderr", sys.stderr)
    with pytest.raises(ValueError, match="a title") as caught:
        runpy.run_module("autograder", run_name="__main__")
    sys.__excepthook__(caught.type, caught.value, caught.tb)
    said = capfd.readouterr().err
    assert_harmless(said)
    assert r"\x1b[2J \xff" in said and r"ValueError: \x1b]0;a title\x07" in said


def test_nbgraders_own_log_quotes_names_that_can_only_be_read(course, capsys):
    app = AutogradeApp(config=read_config(course.root))
    app.log.error("copying %s", "".join(ODD))
    said = capsys.readouterr().err
    assert_harmless(said)
    assert r"copying \x1b]0;a title\x07" in said
