"""A stand-in takes the place of a student's part, wherever their code holds it; and then it is theirs again."""

import copy
import inspect

import pytest
import torch

from autograder.engine.candidate.operations import Operations
from autograder.engine.candidate.stand_in import StandIn
from autograder.engine.examiner.in_process import run_cells

PART = """
import copy, functools
from torch import nn

class Part(nn.Module):
    def __init__(self, size, rate=0.1):
        super(Part, self).__init__()
        self.linear = nn.Linear(size, size)

    def forward(self, x, mask=None):
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
        return self.part(x)
"""
SPEC = {"name": "Part", "constructor": ["size", "rate"], "forward": ["x", "mask"]}


@pytest.fixture
def cells():
    """`cells(part, whole)`: the operations on what these cells define."""
    return lambda *sources: Operations(
        run_cells([compile(s, "cell", "exec") for s in sources]), None
    )


def with_a_stand_in(asked: Operations) -> Operations:
    asked.stand_in([SPEC], passes=True, returns={}, functions={})
    return asked


@pytest.mark.parametrize("held", HELD.values(), ids=HELD)
def test_a_class_makes_stand_ins_wherever_it_is_held(held, cells):
    asked = with_a_stand_in(cells(PART, WHOLE.replace("PART", held)))
    number, _, replaced = asked.build("Whole", [3], {})
    assert replaced and isinstance(asked.objects[number].part, StandIn)
    assert asked.objects[number].part.built["size"] == 3
    x = torch.ones(2, 3)
    assert torch.equal(asked.call(number, [[x]], echo=False)[0], x)
    asked.forget()
    assert asked.build("Whole", [3], {})[2] == []


def test_a_stand_in_passes_for_what_it_stands_in_for(cells):
    asked = with_a_stand_in(cells(PART, WHOLE.replace("PART", HELD["by its name"])))
    asked.build("Whole", [3], {})
    found = [one for one in asked.objects[-1].modules() if isinstance(one, asked.names["Part"])]
    (stand_in,) = found
    twin = copy.deepcopy(stand_in)
    assert isinstance(twin, StandIn) and twin.number != stand_in.number
    assert "Part" in repr(asked.objects[-1])


def test_the_own_part_can_be_built_while_a_stand_in_has_its_place(cells):
    """Its `super(Part, self)` finds the class that it names."""
    asked = with_a_stand_in(cells(PART))
    _, parameters, replaced = asked.build("Part", [3], {}, own=True)
    assert not replaced and len(parameters) == 2
    assert isinstance(asked.build("Part", [3], {}) and asked.objects[-1], StandIn)


def test_what_inherits_from_a_part_is_what_it_says(cells):
    heir = "class Heir(Part):\n    def forward(self, x):\n        return 2 * super().forward(x)"
    asked = with_a_stand_in(cells(PART, heir))
    assert asked.build("Heir", [3], {})[2] == []
    assert len(asked.objects[-1].state_dict()) == 2


def test_a_class_says_what_it_takes_as_before(cells):
    asked = cells(PART)
    before = inspect.signature(asked.names["Part"])
    assert inspect.signature(with_a_stand_in(asked).names["Part"]) == before
    asked.forget()
    part = asked.names["Part"]
    assert inspect.signature(part) == before
    assert isinstance(copy.deepcopy(part(3)), part)


OTHERS = {
    "a function": "def Part(size, rate=0.1):\n    return Real(size)\n\nclass Real(nn.Module): ...",
    "a class with a `__new__`": PART
    + "    def __new__(cls, *args, **kwargs):\n        return super().__new__(cls)\n",
    "nothing": "import torch",
}


@pytest.mark.parametrize("part", OTHERS.values(), ids=OTHERS)
def test_of_anything_else_the_name_stands_for_the_stand_in(part, cells):
    asked = cells("from torch import nn", part)
    before = asked.names.get("Part")
    with_a_stand_in(asked).build("Part", [3], {})
    assert isinstance(asked.objects[-1], StandIn)
    asked.forget()
    assert asked.names.get("Part") is before


def test_code_that_two_submissions_share_asks_the_stand_ins_of_its_own(cells):
    one = with_a_stand_in(cells(PART))
    other = Operations(dict(one.names), None)
    other.stand_ins.take_place()
    assert other.build("Part", [3], {})[2] == []
    one.stand_ins.take_place()
    assert one.build("Part", [3], {})[2] == ["Part"]
