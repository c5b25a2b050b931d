"""An exercise is graded in the state that its answer left, whatever later cells do to its names."""

import json
from collections.abc import Callable
from itertools import count
from pathlib import Path

import pytest
from submissions import UNDIAGNOSED, exercise, lost

from autograder.engine import Verdict
from autograder.engine.grading import Grader

pytestmark = pytest.mark.walls

SENTENCE = "another value: each answer was graded with what these names meant when"
WITH_F = """
from torch.nn import functional as F


class Attention(nn.Module):
    def __init__(self, mask_future=False):
        super().__init__()
        self.mask_future = mask_future

    def forward(self, query, key, value, attention_mask=None):
        scores = query @ key.transpose(-2, -1) / math.sqrt(key.size(-1))
        if self.mask_future:
            scores = scores + torch.full_like(scores, -torch.inf).triu(1)
        if attention_mask is not None:
            shape = (len(attention_mask), *[1] * (query.dim() - 2), -1)
            scores = scores.masked_fill(attention_mask.view(shape) == 0, -torch.inf)
        return F.softmax(scores, max(-1, -1)) @ value
"""
WITH_HELPER = WITH_F.replace("math.sqrt(", "root_of(")
WRONG = """
class Attention(nn.Module):
    def __init__(self, mask_future=False):
        super().__init__()

    def forward(self, query, key, value, attention_mask=None):
        return query
"""


@pytest.fixture
def grade(assignment, walls, hand_in) -> Callable[..., Verdict]:
    """Grade the solution with another answer to `attention` and more cells: pairs of the cell that
    each stands behind ("" for the end), and its code.
    """

    students = map("s{}".format, count())

    def graded(answer: str, *more: tuple[str, str]) -> Verdict:
        notebook: Path = hand_in(next(students), attention=answer)
        content = json.loads(notebook.read_text())
        for number, (behind, source) in enumerate(more):
            insert(content["cells"], behind, source, number)
        notebook.write_text(json.dumps(content))
        return Grader(assignment, walls, UNDIAGNOSED).grade("s001", notebook).verdict

    return graded


def insert(cells: list[dict], behind: str, source: str, number: int) -> None:
    """Insert a code cell of the student's own."""
    names = [cell["metadata"].get("nbgrader", {}).get("grade_id") for cell in cells]
    place = names.index(behind) + 1 if behind else len(cells)
    cell = json.loads(json.dumps(next(cell for cell in cells if cell["cell_type"] == "code")))
    cells.insert(place, cell | {"id": f"own-{number}", "metadata": {}, "source": source})


@pytest.mark.parametrize(
    ("later", "name"),
    [
        ("B, S, F = torch.zeros(2, 3, 4).shape", "F"),
        ("F = None\nmath = 3", "F"),
        ("max = 3", "max"),
        ("del F", "F"),
        ("for F in range(3):\n    pass", "F"),
        (WRONG, "Attention"),
        ("Attention = 3", "Attention"),
        ("from math import pi as F", "F"),
        ("exec('F = 3')", "F"),
        ("globals().update(F=3)", "F"),
    ],
)
def test_a_name_that_a_later_cell_gives_another_value_costs_nothing(later, name, grade):
    verdict = grade(WITH_F, ("", later))
    assert lost(verdict) == {}
    (sentence,) = (repair for repair in verdict.repairs if SENTENCE in repair)
    assert f"`{name}`" in sentence


@pytest.mark.parametrize(
    "below",
    [
        "Attention = Attention(mask_future=True)",
        "mine = Attention()\nAttention = mine",
        "# Attention = 3\nlayers = [Attention(), None]\nclass Attention:\n    pass",
    ],
)
def test_code_below_a_check_that_uses_the_answer_and_then_its_name_is_no_answer(below, grade):
    assert lost(grade(WITH_F, ("check_attention", below))) == {}


def test_an_answer_below_its_check_counts(grade):
    assert "attention" in lost(grade(WITH_F, ("check_attention", WRONG)))


@pytest.mark.parametrize(
    ("wrong", "right"),
    [
        ("def root_of(size):\n    return 1", "def root_of(size):\n    return size ** 0.5"),
        ("root_of = lambda size: 1", "root_of = lambda size: size ** 0.5"),
        ("root_of = abs", "if True:\n    from math import sqrt as root_of"),
        ("POWER = 1\ndef root_of(size):\n    return size ** POWER", "POWER = 0.5"),
    ],
)
def test_a_helper_that_is_mended_above_the_check_is_mended(wrong, right, grade):
    """In the notebook, the check saw the mended one."""
    verdict = grade(wrong + WITH_HELPER, ("attention", right))
    assert lost(verdict) == {} and verdict.repairs == []


@pytest.mark.parametrize("behind", ["attention", "check_attention", "check_encoder"])
def test_a_helper_that_is_spoilt_below_the_answer_costs_nothing(behind, grade):
    right, wrong = "def root_of(size):\n    return size ** 0.5", "def root_of(size):\n    return 1"
    verdict = grade(right + WITH_HELPER, (behind, wrong), ("check_encoder", "x = 3"))
    assert lost(verdict) == {} and SENTENCE in verdict.repairs[0]


def test_what_the_answer_needs_may_stand_between_it_and_its_check(grade):
    without = WITH_F.replace("from torch.nn import functional as F", "")
    needed = "from torch.nn import functional as F"
    assert lost(grade(without, ("attention", needed), ("", "F = 3"))) == {}


@pytest.mark.parametrize("behind", ["attention", "check_attention"])
def test_the_last_answer_above_or_directly_below_the_check_counts(behind, grade):
    assert lost(grade(WRONG, (behind, WITH_F))) == {}
    assert lost(grade(WITH_F, (behind, WRONG))).keys() == {"attention"}


def test_an_answer_further_below_counts_where_there_is_no_other(grade, assignment):
    (released,) = (cell.source for cell in assignment.cells if cell.id == "attention")
    verdict = grade(released, ("", WITH_F))
    assert lost(verdict) == {}
    assert "is graded as the answer to `attention`" in verdict.repairs[0]
    assert lost(grade(WRONG, ("check_encoder", "x = 3"), ("", WITH_F))).keys() == {"attention"}


def test_a_candidate_that_takes_the_place_of_a_lost_one_is_in_the_same_state(grade):
    """The check of the feed forward layer is lost, and another candidate answers from then on."""
    fatal = "\nPositionWiseFeedForward.forward = lambda self, x: __import__('os')._exit(0)"
    verdict = grade(WITH_F, ("feed_forward", fatal), ("", "F = 3"))
    assert exercise(verdict, "feed_forward").state == "crashed"
    assert lost(verdict).keys() == {"feed_forward"}
