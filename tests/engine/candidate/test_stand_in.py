"""A stand-in takes the place of a student's part, wherever their code holds it; and then it is theirs again."""

from typing import NamedTuple

import pytest
import torch
from engine.examiner import computed

from autograder.engine.examiner import Candidate, InProcessCandidate, run_cells

PART = """
import copy, functools
from torch import nn

class Part(nn.Module):
    def __init__(self, size, rate=0.1):
        super(Part, self).__init__()
        self.linear = nn.Linear(size, size)

    def forward(self, x):
        return self.linear(x)
"""
HELD = {
    "by its name": "part = Part(size)",
    "in a default": "part = kind(size)",
    "under another name": "part = Other(size)",
    "in a table": "part = TABLE['part'](size=size)",
    "in a partial": "part = make(size)",
    "in a copy of it": "part = copy.deepcopy(Part(size))",
}
WHOLE = """
Other, TABLE, make = Part, {"part": Part}, functools.partial(Part, rate=0.5)

class Whole(nn.Module):
    def __init__(self, size, kind=Part):
        super().__init__()
        PART
        self.part = part

    def forward(self, x):
        assert any(isinstance(one, Part) for one in self.modules())
        return self.part(x)
"""
X = torch.ones(2, 3)


class Signature(NamedTuple):
    """Of a part, as `Assignment.signature` returns it."""

    constructor: list[str]
    forward: list[str]
    function: bool = False


def candidate(*cells: str) -> Candidate:
    return of(run_cells([compile(source, "cell", "exec") for source in cells]))


def of(names: dict) -> Candidate:
    made = Candidate(InProcessCandidate(names), {}, lambda _: Signature(["size", "rate"], ["x"]))
    return made.for_check(double=False, own_parts=False)


@pytest.mark.parametrize("held", HELD.values(), ids=HELD)
def test_a_class_makes_stand_ins_wherever_it_is_held(held):
    asked = candidate(PART, WHOLE.replace("PART", held))
    with asked.stand_in("Part", passes=True):
        whole = asked.build("Whole", 3)
    assert whole.has_stand_in and torch.equal(whole(X), X)
    own = asked.for_check(double=False, own_parts=False).build("Whole", 3)
    assert not own.has_stand_in and len(own.parameters()) == 2


def test_the_own_part_can_be_built_while_a_stand_in_has_its_place():
    """Its `super(Part, self)` finds the class that it names."""
    asked = candidate(PART, WHOLE.replace("PART", HELD["by its name"]))
    with asked.stand_in(Part=computed.rectified):
        whole = asked.build("Whole", 3)
    whole(X)
    own = asked.build_own(asked.calls["Part"][0].part)
    assert not own.has_stand_in and len(own.parameters()) == 2


def test_what_inherits_from_a_part_is_what_it_says():
    heir = "class Heir(Part):\n    def forward(self, x):\n        return 2 * super().forward(x)"
    asked = candidate(PART, heir)
    with asked.stand_in("Part", passes=True):
        built = asked.build("Heir", 3)
    assert not built.has_stand_in and len(built.parameters()) == 2


OTHERS = {
    "a function": "def Part(size, rate=0.1):\n    return Real(size)\n\nclass Real(nn.Module): ...",
    "a class with a `__new__`": PART
    + "    def __new__(cls, *args, **kwargs):\n        return super().__new__(cls)\n",
    "nothing": "import torch",
}


@pytest.mark.parametrize("part", OTHERS.values(), ids=OTHERS)
def test_of_anything_else_the_name_stands_for_the_stand_in(part):
    asked = candidate("from torch import nn", part)
    with asked.stand_in("Part", passes=True):
        built = asked.build("Part", 3)
    assert built.has_stand_in and torch.equal(built(X), X)


def test_code_that_two_submissions_share_asks_the_stand_ins_of_its_own():
    names = run_cells([compile(PART, "cell", "exec")])
    one, other = of(names), of(dict(names))
    with one.stand_in("Part", passes=True):
        assert one.build("Part", 3).has_stand_in
        assert not other.build("Part", 3).has_stand_in
        assert one.build("Part", 3).has_stand_in
