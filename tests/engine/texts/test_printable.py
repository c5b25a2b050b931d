"""Text of others is shown: nothing in it acts on a terminal, misleads a reader or runs in a spreadsheet."""

import io
import logging
import re
import unicodedata

import pytest
from hypothesis import given
from hypothesis import strategies as st

from autograder.engine import printable
from autograder.engine.texts import (
    LONGEST_LINE,
    PrintableStream,
    escape_formulas,
    printable_lines,
    text_cell,
    unescape_formulas,
)
from autograder.engine.texts.printable import LONGEST_NAME, MOST_MARKS, PrintableLog

ANY = st.text(st.characters(codec=None), max_size=60)  # lone surrogates, too
ODD = st.text(
    st.sampled_from("a=\x1b[31m\r\n\t\x08\x7f\x9b\u200b\u200d\u202e\u2066\u2028\u0301\ud800\udcff")
)
FORMULAS = st.text(st.sampled_from("=+-@'; \t\r\n\x00ab,\"\u200b\uff1d\ufeff")) | st.text(
    max_size=30
)


@given(ANY | ODD)
def test_what_is_printable_has_no_character_that_acts_or_hides(text):
    shown = printable(text)
    assert {unicodedata.category(c)[0] for c in shown} <= {"L", "M", "N", "P", "S", "Z"}
    assert set(re.findall(r"\s", shown)) <= {" "}
    assert shown.encode() and printable(shown) == shown if text else shown == ""
    marks = re.sub(".", lambda c: "m" if unicodedata.category(c[0]) in ("Mn", "Me") else " ", shown)
    assert "m" * (MOST_MARKS + 1) not in marks


@given(ANY | ODD)
def test_lines_stay_lines_and_nothing_makes_new_ones(text):
    assert printable_lines(text).splitlines(keepends=True) == [
        printable(line, LONGEST_LINE) + "\n" * (number < text.count("\n"))
        for number, line in enumerate(text.split("\n"))
        if line or number < text.count("\n")
    ]


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("Zoë Čapek (2).ipynb", "Zoë Čapek (2).ipynb"),
        ("日本語.ipynb", "日本語.ipynb"),
        ("Nguye\u0302\u0303n", "Nguye\u0302\u0303n"),
        ("10.00.00\u202fPM", "10.00.00 PM"),  # as macOS names a screenshot
        ("a\x1b[2Jb", r"a\x1b[2Jb"),
        ("a\rb\x08\x07", r"a\x0db\x08\x07"),
        ("\x9b31m", r"\x9b31m"),
        ("gpj\u202e.exe", r"gpj\u202e.exe"),
        ("a\u200bb\u2060\ufeff", r"a\u200bb\u2060\ufeff"),
        ("a\u3164\u115f\u034f", r"a\u3164\u115f\u034f"),
        ("\U000e0041\ue000\uffff", r"\U000e0041\ue000\uffff"),
        (b"caf\xe9".decode(errors="surrogateescape"), r"caf\xe9"),
        ("\ud83d", r"\ud83d"),
        ("Z" + "\u0301" * 40 + "!", "Z" + "\u0301" * MOST_MARKS + "…!"),
    ],
)
def test_a_name_stays_readable_and_what_is_odd_in_it_is_seen(text, shown):
    assert printable(text) == shown


@pytest.mark.parametrize("character", ["a", "\u202e", "\U0010ffff", "\u0301"])
def test_a_long_name_is_cut_in_the_middle(character):
    shown = printable("begin " + character * 1_000_000 + " end")
    assert len(shown) <= LONGEST_NAME and shown.startswith("begin ") and shown.endswith(" end")
    assert " … " in shown


@pytest.mark.parametrize(
    "cell",
    [
        "=1+1",
        "+1",
        "-1",
        "@SUM(A1)",
        "\t=1",
        "\rx",
        " =1",
        "\u00a0-1",
        "\uff1dcmd",
        "\u200b=1",
        "fine;=1+1",
        "line\n=1+1",
        "'=1",
        "\ufeff=1",
        'fine;"=1&A1;',  # its quote is doubled in the file, and begins and ends a quotation there
    ],
)
def test_no_cell_begins_like_a_formula(cell):
    made = escape_formulas(cell)
    assert unescape_formulas(made) == cell
    for piece in made.replace("\r", "\n").replace(";", "\n").split("\n"):
        assert not piece.strip(' "\t\u00a0\u200b\ufeff').startswith(tuple("=+-@\uff1d")), made


@given(FORMULAS | ANY | ODD)
def test_a_cell_is_one_printable_line_and_no_formula(text):
    cell = text_cell(text)
    assert cell == printable(cell, LONGEST_LINE + 1000)
    assert not cell.lstrip().startswith(("=", "+", "-", "@", "＝", "＋", "－", "＠"))


def test_a_log_has_no_odd_character_in_a_message_its_arguments_or_its_traceback():
    written = io.StringIO()
    handler = logging.StreamHandler(written)
    handler.addFilter(PrintableLog())
    log = logging.Logger("test")
    log.addHandler(handler)
    try:
        raise ValueError("\x1b[2J \u202e")
    except ValueError:
        log.exception("copying %s\x1b[1m", "\x1b]0;title\x07")
    said = written.getvalue()
    assert r"copying \x1b]0;title\x07\x1b[1m" in said and r"ValueError: \x1b[2J \u202e" in said
    assert said == printable_lines(said) and said.count("\n") > 3


def test_a_guarded_stream_writes_printable_lines_only():
    written = io.StringIO()
    stream = PrintableStream(written)
    print("one\x1b[1m", "two\rthree", file=stream)
    stream.writelines(["\u202e\n", "b"])
    assert written.getvalue() == "one\\x1b[1m two\\x0dthree\n\\u202e\nb"
    assert not stream.isatty()
