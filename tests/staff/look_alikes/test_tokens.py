"""Code as tokens: what makes no difference, what does, and texts that would keep a reader busy."""

import time

import pytest
from planted_copies import reformatted, renamed, without_types

from autograder.authoring.variants import variants
from autograder.staff.look_alikes.tokens import LONGEST, MOST_TOKENS, read_code

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


def words(source: str) -> str:
    return " ".join(read_code(source, {"Layer", "forward", "__init__"}).words)


@pytest.mark.parametrize(
    "other",
    [
        CODE.replace("width", "w").replace("part", "piece").replace("inner", "lin"),
        CODE.replace(": int", "").replace(" -> None", "").replace(": nn.Module =", " ="),
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


def test_names_comments_texts_and_numbers_are_kept_beside_the_tokens():
    code = read_code(CODE, {"Layer", "forward"})
    assert {"width", "inner", "found", "extra", "named", "index"} <= code.names
    assert not {"relu", "inplace", "Layer", "nn", "Tensor"} & code.names
    assert code.comments == {"What it does.", "wider"}
    assert code.strings == {"all"} and code.numbers == {"0.1", "4"}


@pytest.mark.parametrize("disguise", [renamed, without_types])
def test_correct_solutions_keep_their_tokens_in_other_clothes(assignment, disguise):
    """But for two in a hundred: those that bind names in ways of their own."""
    cells = [cell for variant in variants(assignment) for cell in variant.cells.values()][::3]
    given = {"forward", "__init__"}
    changed = [
        cell
        for cell in cells
        if read_code(disguise(cell), given).words != read_code(reformatted(cell), given).words
    ]
    assert len(cells) > 60 and len(changed) <= len(cells) * 0.02


@pytest.mark.parametrize(
    "broken", ["def f(:\n  retur x +", "x = '''never closed", ")]}\n x = 1", "\\"]
)
def test_what_python_refuses_has_tokens_too(broken):
    read_code(broken)
    assert read_code(f"a = nn.Linear(1)\n{broken}").words[:4] == ["name", "=", "nn", "."]


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
    code = read_code(source)
    assert time.process_time() - start < 3
    assert len(code.words) <= MOST_TOKENS and max(map(len, code.words), default=0) <= LONGEST
