"""The end of `encoder-layer`: stored weights in a student's own encoder, which fill gaps in Python code."""

import pytest
import torch
from encoder_cells import MODEL, notebook_of
from safetensors.torch import save_file

from autograder.authoring.toolbox_file import toolbox_module
from autograder.authoring.variants import variants

pytestmark = pytest.mark.slow

COUNT = """
def count(words):
    counts = {}
    for word ___ words:
        if ___ not in counts:
            counts[___] = 0
        counts[word] ___ 1
    return counts
"""
WRONG = {  # by exercise: what is replaced in its solution, and by what
    "attention": ("/ math.sqrt(query.size(-1))", "* 1"),
    "encoder_layer": ("self.layer_norm_1(x + ", "self.layer_norm_1("),
    "encoder": ("angles.cos()", "angles.sin()"),
}


def words(checks, code, change=None):
    """What the likeliest words for the gaps are."""
    _, tokens = checks.with_gaps(code)
    return [best[0].word for best in checks.gap_filler(change).best(tokens)]


@pytest.fixture
def said(checks, monkeypatch):
    """The titles of panels and the rows of tables that are shown from now on."""
    shown = []
    monkeypatch.setattr(checks, "panel", lambda state, title, text="": shown.append(title))
    monkeypatch.setattr(checks, "table", lambda header, rows: shown.extend(rows))
    return shown


def test_it_fills_gaps_that_a_person_would_fill(notebook, checks):
    assert words(checks, COUNT) == ["in", "word", "word", "+="]


@pytest.fixture(params=[6, pytest.param(1, marks=pytest.mark.long)], ids=["some", "all"])
def right_notebooks(cells, assignment, request):
    """Notebooks with correct variants, every sixth or all, one after the other, and where it stands."""

    def each():
        for variant in variants(assignment)[:: request.param]:
            with notebook_of(cells | variant.cells):
                yield f"{variant.path}: {variant.name}"

    return each()


def test_any_right_encoder_takes_the_weights_and_loses_its_parts(cells, checks, right_notebooks):
    """Whatever its members are called, and however it keeps its matrices."""
    changes = None, checks.without_positions, checks.first_layer_only
    with notebook_of(cells):
        whole, *less = expected = [words(checks, COUNT, change) for change in changes]
    assert whole not in less
    for place in right_notebooks:
        assert [words(checks, COUNT, change) for change in changes] == expected, place


def test_an_encoder_with_a_short_max_len_of_its_own_takes_the_weights(cells, checks):
    own = cells["encoder"].replace("max_len: int = 512", "max_len: int = 50")
    with notebook_of(cells | {"encoder": own}):
        assert words(checks, "___ = 1\n" * 24)
        assert words(checks, COUNT, checks.without_positions)


def test_matrices_of_other_shapes_are_named(cells, checks):
    three = cells["multi_head_attention"].replace("self.output_transform = ", "_ = ")
    with (
        notebook_of(cells | {"multi_head_attention": three}),
        pytest.raises(AssertionError, match=r"find no place .*: \(128, 128\), \(128, 128\), \(128"),
    ):
        checks.gap_filler()


@pytest.mark.parametrize("exercise", WRONG)
def test_what_a_wrong_encoder_makes_of_it_is_shown_and_said(exercise, cells, checks, said):
    right, wrong = WRONG[exercise]
    assert right in cells[exercise]
    with notebook_of(cells | {exercise: cells[exercise].replace(right, wrong)}):
        checks.fill_gaps(COUNT)
    title = checks.title_of(exercise)
    assert said[0] == f"The check of {title} does not pass yet."
    assert len(said) == 5


@pytest.mark.parametrize("exercise", MODEL[1:])
def test_an_open_exercise_is_called_open_in_all_cells(
    exercise, assignment, cells, checks, monkeypatch
):
    titles = []
    monkeypatch.setattr(checks, "FILLED", [])
    monkeypatch.setattr(toolbox_module(), "panel", lambda state, title, *_: titles.append(title))
    released = {cell.id: cell.source for cell in assignment.cells}
    with notebook_of(cells | {exercise: released[exercise]}):
        checks.fill_gaps(COUNT)
        checks.show_looks()
        checks.show_without()
    assert len(titles) == 3
    assert all(title.endswith("is still open: no picture yet.") for title in titles)


def test_an_encoder_that_answers_nan_is_said_to(cells, checks):
    nan = cells["attention"].replace("@ value", "@ value * float('nan')")
    with (
        notebook_of(cells | {"attention": nan}),
        pytest.raises(AssertionError, match="answers with inf or nan"),
    ):
        words(checks, COUNT)


@pytest.mark.parametrize(
    "code",
    ["___ = (", "for ___", "for x in\n ___ y", "else ___ else", "x = _____", "self.____ = 1"],
)
def test_code_that_is_not_python_yet_is_filled_too(code, notebook, checks):
    assert all(words(checks, code))


@pytest.mark.parametrize(
    ("code", "message"),
    [
        ("", "There is no gap: write ___"),
        ("x = __init__", "There is no gap: write ___"),
        (3, "The code is a text"),
        ("x = 1\n'''___", "Line 2, `'''___`: a gap is a whole word"),
        ("___ = 1  # ___", "Line 1, `___ = 1  # ___`: a gap is a whole word"),
        ("___ = 'a ___ b'", "Line 1, `___ = 'a ___ b'`: a gap is a whole word"),
        ("___ = 1\nself.___weight", "Line 2, `self.___weight`: a gap is a whole word"),
        ("\t x\n ___ y", "Line 2, `___ y`: a gap is a whole word"),
        (
            "___ = 1\n" * 100,
            "It reads 96 words, signs and ends of lines at once; your code has 400",
        ),
    ],
)
def test_gaps_that_cannot_be_filled_are_refused_in_words(code, message, checks):
    with pytest.raises(AssertionError) as refused:
        checks.with_gaps(code)
    assert str(refused.value).startswith(message)


def test_each_part_that_is_taken_away_costs_words(notebook, checks, said):
    checks.fill_gaps(COUNT)
    said.clear()
    checks.show_without()
    whole, *less = [int(row[1].rstrip("%")) for row in said]
    assert all(share < whole for share in less)


@pytest.mark.parametrize(
    ("numbers", "is_said"), [(None, "missing"), (b"<html>", "damaged"), ({}, "damaged")]
)
def test_weights_that_cannot_be_read_are_named(numbers, is_said, tmp_path, checks, monkeypatch):
    if isinstance(numbers, bytes):
        (tmp_path / checks.WEIGHTS).write_bytes(numbers)
    elif numbers is not None:
        save_file({"bias": torch.zeros(2)}, tmp_path / checks.WEIGHTS)  # without a vocabulary
    monkeypatch.setattr(checks, "__file__", str(tmp_path / "checks.py"))
    checks.stored_numbers.cache_clear()
    with pytest.raises(AssertionError, match=f"`{checks.WEIGHTS}` is {is_said}: take it from"):
        checks.stored_numbers()
    checks.stored_numbers.cache_clear()
