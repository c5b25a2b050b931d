"""Words of answers, what makes no difference to them, and fingerprints, of which two texts share one."""

import random
import time

import pytest
from hypothesis import given
from hypothesis import strategies as st
from planted_copies import reformatted, renamed, without_types

from autograder.authoring.variants import variants
from autograder.desk.look_alikes.tokens import (
    LONGEST,
    MOST_WORDS,
    Grain,
    fingerprints,
    grams,
    words_of_code,
    words_of_text,
)

pytestmark = pytest.mark.slow

CODE = '''
class Layer(nn.Module):
    """What it does."""

    def __init__(self, width: int, rate: float = 0.10) -> None:
        super().__init__()
        self.inner: nn.Module = nn.Linear(width, 4 * width)  # wider
        first, second = width, rate

    def forward(self, x: dict[str, Tensor], *more, **named):
        for index, part in enumerate(x["all"]):
            total = part if (found := index) else F.relu(part, inplace=False)
        return [torch.exp(one) for one in total], lambda extra: extra + found
'''


GIVEN = {"Layer", "forward", "__init__", "torch", "nn", "F"}


def words(source: str) -> str:
    return " ".join(words_of_code(source, GIVEN).texts)


@pytest.mark.parametrize(
    "other",
    [
        CODE.replace("width", "w").replace("part", "piece").replace("inner", "lin"),
        CODE.replace(": int", "").replace(": float", "").replace(" -> None", ""),
        CODE.replace("dict[str, Tensor]", "list[tuple[int, Tensor]] | None"),
        CODE.replace("  # wider", "").replace('    """What it does."""\n', "    # words\n"),
        CODE.replace("width, rate\n", "width, \\\n   rate;\n\n\n").replace('"all"', "'every'"),
        CODE.replace("(width, 4 * width)", "(\n            width,\n            4 * width,\n )"),
        CODE.replace("0.10", ".1").replace("4 *", "4.0 *"),
    ],
    ids=["names", "types", "long types", "comments", "lines", "last comma", "numbers"],
)
def test_what_makes_no_difference(other):
    assert other != CODE and words(other) == words(CODE)


@pytest.mark.parametrize(
    ("old", "new"),
    [("relu", "gelu"), ("4 *", "2 *"), ("+ found", "- found"), ("nn.Linear", "nn.Conv1d")],
)
def test_what_makes_one(old, new):
    assert words(CODE.replace(old, new)) != words(CODE)


def test_what_is_called_of_a_library_keeps_its_name():
    assert "F . relu ( name , name = False )" in words(CODE)
    assert "torch . exp" in words(CODE) and "Layer" in words(CODE)


@pytest.mark.parametrize("disguise", [renamed, without_types])
def test_correct_solutions_keep_their_tokens_in_other_clothes(assignment, disguise):
    """But for one in eight: where an attribute of a library has the name of one of their own."""
    cells = [cell for variant in variants(assignment) for cell in variant.cells.values()][::3]
    changed = [cell for cell in cells if words(disguise(cell)) != words(reformatted(cell))]
    assert len(cells) > 60 and len(changed) <= len(cells) / 8


@pytest.mark.parametrize(
    "broken", ["def f(:\n  retur x +", "x = '''never closed", ")]}\n x = 1", "\\"]
)
def test_what_python_refuses_has_tokens_too(broken):
    assert words(f"a = nn.Linear(1)\n{broken}").startswith("name = nn . Linear ( 1 )")


PATHOLOGICAL = {
    "quotes": '"' * 1_000_000,
    "triple quotes": "'''" * 300_000 + "x",
    "backslashes": '"' + "\\" * 1_000_000,
    "brackets": "(" * 1_000_000,
    "closing": ")" * 1_000_000,
    "digits": "1" * 1_000_000,
    "dots": "1." * 500_000,
    "one name": "a" * 1_000_000,
    "names": "a " * 500_000,
    "colons": "a:" * 500_000,
    "lambdas": "lambda " * 150_000,
    "defs": "def f(" * 150_000,
    "assignments": "a=" * 500_000,
    "comments": "#\n" * 500_000,
    "lines": "\n" * 1_000_000,
    "prefixes": "rb" * 500_000,
    "hexadecimal": "0x" * 500_000,
    "exponents": "1e" * 500_000,
    "unicode": "\u0661\ud800\u202e\x00" * 250_000,
}


@pytest.mark.parametrize("source", PATHOLOGICAL.values(), ids=PATHOLOGICAL.keys())
def test_a_cell_of_a_megabyte_is_read_at_once(source):
    start = time.process_time()
    found = words_of_code(source).texts
    assert time.process_time() - start < 3
    assert len(found) <= MOST_WORDS and max(map(len, found), default=0) <= LONGEST


def test_a_text_has_its_words_wherever_they_stand():
    text = "The two matrices are applied at each position alone, with a nonlinearity between."
    begin = time.process_time()
    one, other = (words_of_text(blanks + text) for blanks in ("", "\n" * 5_000_000))
    assert time.process_time() - begin < 1
    assert one.texts == other.texts and {*other.lines} == {5_000_000}


GRAIN = Grain(gram=5, window=4)
GUARANTEED = GRAIN.gram + GRAIN.window - 1  # words of a passage that is found, as the paper proves
PASSAGES = st.lists(st.sampled_from("a b c d e f".split()), max_size=30)


@given(
    PASSAGES,
    PASSAGES,
    PASSAGES,
    PASSAGES,
    st.lists(st.integers(0, 9), min_size=GUARANTEED, max_size=20),
)
def test_a_shared_passage_that_is_long_enough_is_found(before, after, other, more, passage):
    shared = [str(number) for number in passage]
    one = fingerprints([*before, *shared, *after], GRAIN)
    two = fingerprints([*other, *shared, *more], GRAIN)
    assert one & two


def test_few_are_kept():
    dice = random.Random(1)
    words = [str(dice.randrange(1_000)) for _ in range(5_000)]
    kept = len(fingerprints(words, GRAIN)) / 5_000
    assert kept == pytest.approx(2 / (GRAIN.window + 1), abs=0.03)  # the paper's density


def test_short_texts_have_one_and_empty_ones_none():
    assert fingerprints(["a", "b"], GRAIN) == {"a b"} and not fingerprints([], GRAIN)
    assert grams(list("abcdef"), 5) == ["a b c d e", "b c d e f"]


def test_every_run_chooses_the_same():
    words = "the order of a set must not change what is kept of this text".split()
    assert fingerprints(words, GRAIN) == {
        "of a set must not",
        "a set must not change",
        "change what is kept of",
        "what is kept of this",
    }
    assert len(fingerprints(words, Grain(5, 1))) == len(words) - 4


def test_where_a_line_ends_and_what_ends_a_list_makes_no_difference():
    broken = "size = Linear(\n    x.bias, x.width, bias=True,  # so wide\n)\ny = x.bias"
    assert words(broken) == words("size = Linear(x.bias, x.width, bias=True)\ny = x.bias")
