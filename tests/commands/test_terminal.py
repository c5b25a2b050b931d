"""What a command prints can only be read, however it gets to the console, and a question needs a person."""

import ast
import io
import re
import unicodedata
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from rich.table import Table
from rich.text import Text

import autograder
from autograder._commands import terminal
from autograder._commands.terminal import Terminal

pytestmark = pytest.mark.slow

HOSTILE = "ada\x1b]8;;http://a.example\x07\x1b[8m\r[bold]x[/] [link=http://b.example]y[/] :x: \u202e\ud800"
SHOWN = (
    r"ada\x1b]8;;http://a.example\x07\x1b[8m\x0d[bold]x[/] [link=http://b.example]y[/] :x: "
    r"\u202e\ud800"
)
ANY = st.text(st.characters(codec=None) | st.sampled_from("\x1b[31m\r\x08\u202e\u200b:x]"))
OUR_COLOURS = re.compile(r"\x1b\[[0-9;]*m")


def everything(text: str) -> list:
    """A text in every place of what a command prints."""
    table = Table(title=text, caption=text)
    table.add_column(text)
    table.add_column("wrapped", max_width=7)
    table.add_row(text, text)
    table.add_row(Text(text), Text.assemble("a", (text, "red")))
    return [text, Text(text, "bold"), table]


def printed(text: str, *, terminal: bool = False) -> str:
    """What the console writes for it."""
    file = io.StringIO()
    console = Terminal(file, width=400)
    console._force_terminal = terminal
    for one in everything(text):
        console.print(one)
    console.print(text, markup=True, emoji=True, highlight=True, soft_wrap=True)
    console.log(text)
    console.out(text)
    return file.getvalue()


@given(ANY)
def test_nothing_that_is_printed_acts_or_hides(text):
    written = printed(text)
    for line in written.split("\n"):
        assert {unicodedata.category(c)[0] for c in line} <= {"L", "M", "N", "P", "S", "Z"}, line
    written.encode()


def test_markup_emoji_links_and_escapes_stay_what_they_are():
    lines = printed(HOSTILE).splitlines()
    assert lines.count(SHOWN) == 3 and SHOWN in lines[-2]  # behind the time
    assert OUR_COLOURS.sub("", printed(HOSTILE, terminal=True)).count("\x1b") == 0


def test_a_sentence_is_one_line_wherever_it_goes(capfd):
    terminal.say("a\n2 students: all graded", HOSTILE)
    terminal.complain("b\nc")
    out, err = capfd.readouterr()
    assert out == f"a\\x0a2 students: all graded\n{SHOWN}\n" and err == "b\\x0ac\n"


class Stream(io.StringIO):
    def __init__(self, text: str = "", at_a_terminal: bool = True):
        super().__init__(text)
        self.at_a_terminal = at_a_terminal

    def isatty(self) -> bool:
        return self.at_a_terminal


@pytest.mark.parametrize(
    ("answer", "yes"),
    [
        ("y\n", True),
        (" YES \n", True),
        ("n\n", False),
        ("\n", False),
        ("", False),
        ("yep\n", False),
    ],
)
def test_only_yes_is_yes(monkeypatch, answer, yes):
    monkeypatch.setattr("sys.stdin", Stream(answer))
    monkeypatch.setattr("sys.stdout", Stream())
    assert terminal.is_there_to_answer() and terminal.ask(f"Really? {HOSTILE}") is yes


@pytest.mark.parametrize("missing", ["stdin", "stdout"])
def test_nobody_is_there_without_a_terminal_at_both_ends(monkeypatch, missing):
    monkeypatch.setattr("sys.stdin", Stream())
    monkeypatch.setattr("sys.stdout", Stream())
    monkeypatch.setenv("FORCE_COLOR", "1")  # which rich takes for a terminal
    assert terminal.is_there_to_answer()
    monkeypatch.setattr(f"sys.{missing}", Stream(at_a_terminal=False))
    assert not terminal.is_there_to_answer()
    monkeypatch.setattr("sys.stdin", None)
    assert not terminal.is_there_to_answer()


def prints(tree: ast.AST) -> list[str]:
    """What in a module writes to the terminal by itself."""
    names = [node.id for node in ast.walk(tree) if isinstance(node, ast.Name)]
    names += [
        node.attr
        for node in ast.walk(tree)
        if isinstance(node, ast.Attribute) and not _is_of_a_process(node)
    ]
    names += [
        alias.name
        for node in ast.walk(tree)
        if isinstance(node, ast.ImportFrom | ast.Import)
        for alias in node.names
    ]
    known = {"echo", "secho", "echo_via_pager", "prompt", "confirm", "stdout", "stderr", "Console"}
    calls = [node.func for node in ast.walk(tree) if isinstance(node, ast.Call)]
    called = {call.id for call in calls if isinstance(call, ast.Name)} & {"print", "input"}
    return sorted((set(names) & known) | called)


def _is_of_a_process(node: ast.Attribute) -> bool:
    """What a program wrote that was run, as `done.stdout`; this process's streams are those of `sys`."""
    owner = node.value
    return node.attr in STREAMS and isinstance(owner, ast.Name) and owner.id != "sys"


STREAMS = {"stdout", "stderr"}
TOP = Path(autograder.__file__).parent
PAGES = TOP / "gradebook" / "pages"
PIPED = [PAGES / "render.py"]  # in a process of its own
SILENT = ["_commands", "classroom", "gradebook", "platforms", "authoring", "desk"]


@pytest.mark.parametrize("room", SILENT)
def test_no_command_prints_by_any_other_way(room):
    for file in (TOP / room).rglob("*.py"):
        if file in (Path(terminal.__file__), *PIPED) or {"templates", "toolbox"} & {*file.parts}:
            continue
        found = prints(ast.parse(file.read_text(encoding="utf-8")))
        assert not found, f"{file} has {found}: say it by `_commands.terminal`"


def test_each_other_way_is_seen():
    for line in (
        "print(1)",
        "import click; click.echo(1)",
        "from rich.console import Console",
        "import sys; sys.stderr.write('')",
        "input()",
    ):
        assert prints(ast.parse(line)), line


SENTENCE = "ada: " + "`layer-norm.ipynb` is no notebook " * 4


def paragraph(*, on_a_terminal: bool) -> list[str]:
    """What is written of the sentence at 40 columns."""
    file = io.StringIO()
    console = Terminal(file, 40)
    console._force_terminal = on_a_terminal
    console.print_paragraphs([SENTENCE])
    return [line.rstrip() for line in OUR_COLOURS.sub("", file.getvalue()).splitlines()]


def test_on_a_terminal_a_sentence_breaks_between_words_and_is_indented():
    first, *others = paragraph(on_a_terminal=True)
    assert first.startswith("ada: ") and others
    assert all(line.startswith("  ") and len(line) <= 40 for line in others)
    assert " ".join([first, *(line.strip() for line in others)]) == SENTENCE.strip()


def test_elsewhere_a_sentence_is_one_line():
    assert paragraph(on_a_terminal=False) == [SENTENCE.strip()]


def test_a_stream_of_this_process_is_found_and_what_another_one_wrote_is_not():
    assert prints(ast.parse("sys.stdout.write(x)")) == ["stdout"]
    assert prints(ast.parse("from sys import stderr")) == ["stderr"]
    assert prints(ast.parse("return_value = done.stdout.decode()")) == []
