"""The end of `encoder-layer`: stored weights in a student's own encoder, which fill gaps in Python code."""

import re

import pytest
import torch
from encoder_cells import notebook_of

from autograder.authoring.rows import all_rows

COUNT = """
def count(words):
    counts = {}
    for word ___ words:
        if ___ not in counts:
            counts[___] = 0
        counts[word] ___ 1
    return counts
"""


def words(checks, code):
    """What the likeliest words for the gaps are."""
    _, tokens = checks.with_gaps(code)
    return [best[0].word for best in checks.gap_filler().best(tokens)]


def answer(checks, code):
    """What the likeliest words are, or how the sentence begins that says why there are none."""
    try:
        return words(checks, code)
    except AssertionError as error:
        return re.split(r"[:`]", str(error))[0].strip()


def test_it_fills_gaps_that_a_person_would_fill(notebook, checks):
    assert words(checks, COUNT) == ["in", "word", "word", "+="]


def test_a_name_that_is_in_no_vocabulary_is_found_in_the_code(notebook, checks):
    code = COUNT.replace("word ", "gathered_apple ").replace("[word]", "[gathered_apple]")
    assert words(checks, code)[1] == "gathered_apple"


def test_any_right_encoder_takes_the_weights(cells, checks, assignment):
    """Whatever the members of the feed forward layer are called; else it is said which name is missing."""
    with notebook_of(cells):
        expected = words(checks, COUNT)
    for row in all_rows(assignment):
        if row.is_right:
            with notebook_of(cells | row.cells):
                assert answer(checks, COUNT) in (
                    expected,
                    "The contracts name a parameter",
                    "The contracts name a member",
                ), row.place


def test_tokens_leave_comments_and_docstrings_out(checks):
    code = '"""Doc."""\nx = "a"  # c\ndef f():\n    """Doc\n    two."""\n    return f"b"\n'
    found = " ".join(token.word for token in checks.code_tokens(code))
    assert found == "x = <text> <line> def f ( ) : <line> <in> return <text> <line> <out>"


@pytest.mark.parametrize("code", ["___ = (", "for ___", "for x in\n ___ y", "else ___ else"])
def test_code_that_is_not_python_yet_is_filled_too(code, notebook, checks):
    assert all(words(checks, code))


@pytest.mark.parametrize(
    ("code", "said"),
    [
        ("", "There is no gap: write ___"),
        ("x = 1", "There is no gap: write ___"),
        ("'''___", "Python reads no ___ there"),
        ("# ___", "Python reads no ___ there"),
        ("\t x\n ___ y", "Python reads no ___ there"),
    ],
)
def test_code_without_a_gap_is_refused_in_words(code, said, notebook, checks):
    with pytest.raises(AssertionError, match=said):
        checks.fill_gaps(code)


def test_too_much_code_is_refused_in_words(notebook, checks):
    with pytest.raises(AssertionError, match="It reads 96 tokens at once; your code has 400"):
        checks.fill_gaps("___ = 1\n" * 100)


def test_each_part_that_is_taken_away_costs_words(notebook, checks, monkeypatch):
    shown = []
    monkeypatch.setattr(checks, "table", lambda header, rows: shown.extend(rows))
    checks.fill_gaps(COUNT)
    shown.clear()
    checks.show_without()
    whole, *less = [int(row[1].rstrip("%")) for row in shown]
    assert all(share < whole for share in less)


def test_weights_that_are_missing_are_named(notebook, checks, monkeypatch):
    monkeypatch.setattr(checks, "WEIGHTS", "other.safetensors")
    with pytest.raises(AssertionError, match="other.safetensors is not beside the notebook"):
        checks.gap_filler()


def test_what_one_gap_looks_at_adds_up_to_one(notebook, checks):
    _, tokens = checks.with_gaps(COUNT)
    looks = checks.gap_filler().attention(tokens, 3)
    assert looks.shape == (4, len(tokens), len(tokens))
    assert torch.allclose(looks.sum(-1), torch.ones(4, len(tokens)), atol=1e-5)
