"""Holes have names, and what fills them fits in."""

import pytest

from autograder.engine.courses.holes import read_marked_cell
from autograder.engine.courses.places import BadHole

SOURCE = '''class Layer(nn.Module):
    """One line."""

    def __init__(self, size: int, bias: bool = True):
        super().__init__()
        self.linear = nn.Linear(size, size)  #@ made = nn.Linear(size, size)

    def forward(self, x):
        y = self.linear(x) * 2               # twice  #@ y; twice = * 2; called = self.linear(x)
        for _ in range(2):  #@ loop; both +1
            y = y + x  #@ sum
        if self.training:  #@ asked
            y = drop(norm(y))  #@ dropped; inner = norm(y); outer = drop($inner)
        return y  #@ answer
'''
CELL = read_marked_cell(SOURCE)


@pytest.mark.parametrize(
    ("name", "stands"),
    [
        ("y", "self.linear(x) * 2"),
        ("line y", "y = self.linear(x) * 2               # twice"),
        ("twice", "* 2"),
        ("loop", "range(2)"),
        ("line loop", "for _ in range(2):"),
        ("both", "for _ in range(2):\n    y = y + x"),
        ("asked", "self.training"),
        ("outer", "drop(norm(y))"),
        ("answer", "y"),
        ("class", "class Layer(nn.Module):"),
        ("bases", "(nn.Module)"),
        ("def forward", "def forward(self, x):"),
        ("__init__(bias)", "bias: bool = True"),
        ("super", "super().__init__()"),
        ("self.linear", "nn.Linear(size, size)"),
        ("line self.linear", "self.linear = nn.Linear(size, size)"),
        ("methods", ""),
    ],
)
def test_what_stands_in_a_hole(name, stands):
    assert CELL.original(name) == stands


@pytest.mark.parametrize(
    ("texts", "line"),
    [
        ({"y": "x"}, "        y = x               # twice\n"),
        ({"line y": "y = x"}, "        y = x\n"),
        ({"twice": ""}, "        y = self.linear(x)                # twice\n"),
        ({"twice": "* 3", "called": "x"}, "        y = x * 3               # twice\n"),
        ({"sum": "$sum + $called"}, "            y = y + x + self.linear(x)\n"),
        ({"both": "y = ${line sum}"}, "        y = y = y + x\n"),
        ({"line sum": "if x:\n    ${line sum}"}, "            if x:\n                y = y + x\n"),
        ({"line sum": ""}, "range(2):\n        if self.training:\n"),
        (
            {"before sum": "x = 1\ny = 2"},
            "            x = 1\n            y = 2\n            y = y + x\n",
        ),
        ({"after y": "y = 2 * y"}, "# twice\n        y = 2 * y\n        for _"),
        ({"before y": "x = 1", "line y": "y = x"}, "        x = 1\n        y = x\n"),
        ({"after line answer": "return x"}, "        return y\n        return x\n"),
        ({"methods": "def more(self):\n    pass"}, "\n\n    def more(self):\n        pass\n"),
        (
            {"both": "if x:\n    $here"},
            "        if x:\n            for _ in range(2):\n                y = y + x\n",
        ),
        ({"class": "import os\n${class}"}, "import os\nclass Layer(nn.Module):\n"),
    ],
)
def test_what_fills_a_hole_is_indented_like_it(texts, line):
    assert line in CELL.fill(texts.items())


TWO_SUMS = read_marked_cell(
    "z = norm_1(x + f(x))  #@ z; norm = norm_1; part = f(x); sum = x + $part\n"
    "y = norm_2(z + g(z))  #@ norm = norm_2; part = g(z); sum = z + $part"
)


@pytest.mark.parametrize(
    ("texts", "lines"),
    [
        ({"part": "2 * $here"}, "z = norm_1(x + 2 * f(x))\ny = norm_2(z + 2 * g(z))"),
        ({"part 2": "$here[0]"}, "z = norm_1(x + f(x))\ny = norm_2(z + g(z)[0])"),
        ({"sum 2": "$norm($part)"}, "z = norm_1(x + f(x))\ny = norm_2(norm_2(g(z)))"),
        ({"norm": "${norm 2}"}, "z = norm_2(x + f(x))\ny = norm_2(z + g(z))"),
        ({"line z": ""}, "y = norm_2(z + g(z))"),
    ],
)
def test_one_of_several_places_has_a_number_and_what_is_beside_it_comes_first(texts, lines):
    assert TWO_SUMS.fill(texts.items()).strip("\n") == lines


def test_keys_of_the_answer_are_holes():
    text = "answer = {'a': ..., 'b': ...}\nanswer = {'a': {'n': 1, 'm': 2}, 'b': {'n': 3}}"
    cell = read_marked_cell(text)
    assert cell.fill([("b / n", "4"), ("m", "5")]).endswith(
        "{'a': {'n': 1, 'm': 5}, 'b': {'n': 4}}"
    )
    assert "n" not in cell.holes


def test_a_filled_cell_has_the_holes_of_its_texts_and_keeps_the_others():
    text = "def more(self):\n    return 1  #@ one\n"
    cell = CELL.filled([("methods", text), ("line sum", "y = x\ny = y + x")])
    assert cell.original("one") == "1" and cell.original("answer") == "y"
    assert cell.original("outer") == "drop(norm(y))" and "sum" not in cell.holes


@pytest.mark.parametrize(
    ("source", "texts", "said"),
    [
        (SOURCE, {"z": "1"}, "there is no hole `z`; there are: .*`?answer"),
        (SOURCE, {"y": "1", "twice": "2"}, "two of the holes y, twice overlap"),
        (SOURCE, {"y": "$z"}, "there is no hole `z`"),
        (SOURCE, {"y 1": "x"}, "there is no hole `y 1`"),
        (SOURCE, {"before z": "x = 1"}, "there is no hole `z`"),
        ("x = 1  #@ two = 2", {"two": "3"}, "`2` is not once in the line of the hole `two`"),
        (
            "if x:  #@ y\n    pass\nelse:  #@ z\n    pass",
            {"y": "1"},
            "of the hole `z`, no statement",
        ),
        ("x = (  #@ x", {"x": "1"}, "the solution is no Python: "),
        ("x = 1 + 1  #@ one = 1", {"one": "3"}, "`1` is not once in the line of the hole `one`"),
    ],
)
def test_a_hole_that_is_not_there_is_told(source, texts, said):
    with pytest.raises(BadHole, match=said):
        read_marked_cell(source).fill(texts.items())
