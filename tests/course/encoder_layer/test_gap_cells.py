"""The end of `encoder-layer`: stored weights in a student's own encoder, which fill gaps in Python code."""

import nbformat
import pytest
import torch
from encoder_cells import MODEL, notebook_of
from safetensors.torch import save_file

from autograder.authoring.toolbox_file import import_text, toolbox_module
from autograder.authoring.variants import variants

COUNT = """
def count(words):
    counts = {}
    for word ___ words:
        if ___ not in counts:
            counts[___] = 0
        counts[word] ___ 1
    return counts
"""
NOT_SEEN = (  # variants whose heads call no `Attention` that can be listened to
    "self_attention_of_its_own vmap_over_heads inline_everything java jax_haiku".split()
)
HEADS = """
class Head(nn.Module):
    def __init__(self, d_model, d_k):
        super().__init__()
        self.q, self.k, self.v = (nn.Linear(d_model, d_k, bias=False) for _ in range(3))
        self.attention = Attention()

    def forward(self, query, key, value, mask):
        return self.attention(self.q(query), self.k(key), self.v(value), mask)


class MultiHeadAttention(nn.Module):
    def __init__(self, d_model, num_heads, mask_future=False):
        super().__init__()
        self.heads = nn.ModuleList(Head(d_model, d_model // num_heads) for _ in range(num_heads))
        self.out = nn.Linear(d_model, d_model, bias=False)

    def forward(self, query, key, value, attention_mask=None):
        each = [head(query, key, value, attention_mask) for head in self.heads]
        return self.out(torch.cat(each, -1))
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


def test_a_name_that_is_in_no_vocabulary_is_found_in_the_code(notebook, checks):
    code = COUNT.replace("word ", "gathered_apple ").replace("[word]", "[gathered_apple]")
    assert words(checks, code)[1] == "gathered_apple"


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


def test_any_right_encoder_shows_where_it_looks_or_that_it_cannot(cells, checks, right_notebooks):
    _, tokens = checks.with_gaps(COUNT)
    with notebook_of(cells):
        expected = checks.gap_filler().attention(tokens, 3)
    for place in right_notebooks:
        filler = checks.gap_filler()
        if any(name in place for name in NOT_SEEN):
            with pytest.raises(AssertionError, match="do without calls of `Attention`"):
                filler.attention(tokens, 3)
        else:
            assert torch.allclose(filler.attention(tokens, 3), expected, atol=1e-3), place


def test_an_encoder_with_a_short_max_len_of_its_own_takes_the_weights(cells, checks):
    own = cells["encoder"].replace("max_len: int = 512", "max_len: int = 50")
    with notebook_of(cells | {"encoder": own}):
        assert words(checks, "___ = 1\n" * 24)
        assert words(checks, COUNT, checks.without_positions)


def test_heads_may_keep_their_own_matrices(cells, checks):
    with notebook_of(cells | {"multi_head_attention": HEADS}):
        assert words(checks, COUNT) == ["in", "word", "word", "+="]


def test_numbers_that_find_no_place_are_said_so(cells, checks, said, monkeypatch):
    backwards = HEADS.replace("for head in self.heads]", "for head in self.heads][::-1]")
    monkeypatch.setattr(checks, "first_that_fails", lambda: "")
    with notebook_of(cells | {"multi_head_attention": backwards}):
        checks.fill_gaps(COUNT)
    assert said[0] == "The numbers do not fit how your layers keep theirs."


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


def test_of_a_right_encoder_nothing_is_said(notebook, checks, said):
    checks.fill_gaps(COUNT)
    assert all(isinstance(row, list) for row in said)


def test_an_encoder_that_answers_nan_is_said_to(cells, checks):
    nan = cells["attention"].replace("@ value", "@ value * float('nan')")
    with (
        notebook_of(cells | {"attention": nan}),
        pytest.raises(AssertionError, match="answers with inf or nan"),
    ):
        words(checks, COUNT)


def test_tokens_leave_comments_and_docstrings_out(checks):
    code = '"""Doc."""\nx = "a"  # c\ndef f():\n    """Doc\n    two."""\n    return f"b"\n'
    found = " ".join(token.word for token in checks.code_tokens(code))
    assert found == "x = <text> <line> def f ( ) : <line> <in> return <text> <line> <out>"


def test_an_f_string_is_one_text_in_every_version_of_python(checks):
    code = """x = f"{a['key']:{f'{width}'}} of {b!r}" + "c"\n"""
    text, plus, other, line = checks.code_tokens(code)[2:]
    assert [text.word, plus.word, other.word, line.word] == ["<text>", "+", "<text>", "<line>"]
    assert (text.start, text.end) == ((1, 4), (1, code.index(" +")))


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


def test_a_mask_that_hides_nothing_is_seen(cells, checks, said):
    wrong = cells["attention"].replace("if attention_mask is not None:", "if False:")
    with notebook_of(cells | {"attention": wrong}):
        checks.fill_gaps(COUNT)
        said.clear()
        checks.show_without()
    _, whole, unmasked, *_ = said
    assert whole[1:] == unmasked[1:]


def test_a_share_that_rounds_to_nothing_is_no_zero(checks):
    assert [checks.percent(share) for share in (0.004, 0.006, 1.0)] == ["< 1%", "1%", "100%"]


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


def test_what_one_gap_looks_at_adds_up_to_one(notebook, checks):
    _, tokens = checks.with_gaps(COUNT)
    looks = checks.gap_filler().attention(tokens, 3)
    assert looks.shape == (4, len(tokens), len(tokens))
    assert torch.allclose(looks.sum(-1), torch.ones(4, len(tokens)), atol=1e-5)


def test_lines_that_make_positions_stand_beside_their_equation(notebook, checks, monkeypatch):
    shown = {}
    monkeypatch.setattr(
        checks, "beside_equation", lambda title, equation, own: shown.update({title: own})
    )
    checks.lines_beside_equations()
    assert shown["Encoder, section 3.5"] is notebook["Encoder"].__init__


def test_a_wrong_encoder_fills_the_same_words_each_time(cells, checks):
    right, wrong = WRONG["encoder_layer"]
    with notebook_of(cells | {"encoder_layer": cells["encoder_layer"].replace(right, wrong)}):
        first, *others = (words(checks, COUNT) for _ in range(5))
        layer = checks.gap_filler().encoder.layers[0]
    assert all(other == first for other in others)
    stored, _ = checks.stored_numbers()
    assert torch.equal(layer.layer_norm_1.weight, stored["layers.0.layer_norm_1.weight"])


def test_training_begins_only_where_its_weights_could_be_read(assignment, cells, tmp_path, checks):
    file = assignment.source.with_name("train_python_gaps.py")
    program = import_text(file.stem, file.read_text(encoding="utf-8"), str(file))
    own = cells["encoder_layer"].replace("layer_norm_1", "norm")
    answers = [nbformat.v4.new_code_cell(cells[id]) for id in MODEL[1:]]
    for answer in answers:
        answer.metadata["nbgrader"] = {"solution": True}
    notebook = nbformat.v4.new_notebook(cells=answers)
    nbformat.write(notebook, tmp_path / "solution.ipynb")
    assert program.encoder_of(tmp_path / "solution.ipynb", 30).embedding.weight.shape == (30, 128)
    answers[3].source = own
    nbformat.write(notebook, tmp_path / "own.ipynb")
    with pytest.raises(SystemExit, match="a layer has no 'layer_norm_1.weight'"):
        program.encoder_of(tmp_path / "own.ipynb", 30)
