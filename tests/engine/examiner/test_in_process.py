"""Our own code, asked in this process, answers as it would behind the walls."""

import pytest
import torch

from autograder.engine import Submission
from autograder.engine.examiner import Clock, Supervisor
from autograder.engine.examiner.faults import CandidateFault
from autograder.engine.examiner.question import Question
from autograder.engine.limits import Limits
from autograder.engine.notebooks import Cell

OPERATIONS = """
import torch
from torch import nn

class Double(nn.Module):
    def __init__(self, part):
        super().__init__()
        self.weight = nn.Parameter(torch.ones(2))
        self.part = Part(part)

    def forward(self, x):
        return 2 * self.part(x) * self.weight

class Part(nn.Module):
    def __init__(self, size):
        super().__init__()

    def forward(self, x):
        return x + 1

def halve(x):
    x /= 2
    return x

def nothing(x):
    raise ValueError("no " + "word")

value = {"a": (1, 2.5), 3: [True, None, "text"], "t": torch.ones(2)}
"""


@pytest.fixture
def backends(walls):
    """Both ways to ask the same code."""
    from autograder.engine.examiner.in_process import InProcessCandidate, run_cells

    submission = Submission([Cell("cell", "code", OPERATIONS)])
    with Supervisor(walls, Clock(Limits()), submission) as supervisor:
        yield supervisor, InProcessCandidate(run_cells([compile(OPERATIONS, "cell", "exec")]))


def ask(backend, *steps):
    """Ask one after another; return the last answer."""
    for step in (("forget", {}), *steps):
        answer = backend.ask(Question([step]))
    if answer.fault:
        raise answer.fault
    return answer.value


BUILD = ("build", {"name": "Double", "args": [5], "kwargs": {}})
CALL = ("call", {"handle": 0, "calls": [[torch.ones(2)]], "echo": False})


@pytest.mark.parametrize(
    "steps",
    [
        (BUILD, CALL),
        (("value", {"name": "value"}),),
        (("function", {"name": "halve", "calls": [[torch.ones(3)]], "echo": True}),),
        (BUILD, ("gradients", {"handle": 0, "args": [torch.ones(2)], "upstream": torch.ones(2)})),
        (("refusals", {"name": "nothing", "calls": [[1], [2]]}),),
    ],
    ids=["call", "value", "function", "gradients", "refusals"],
)
def test_both_backends_answer_alike(backends, steps):
    behind_walls, in_process = (ask(backend, *steps) for backend in backends)
    assert repr(behind_walls) == repr(in_process)


def test_a_fault_has_the_same_kind_in_both(backends):
    for backend in backends:
        with pytest.raises(CandidateFault) as error:
            ask(backend, ("function", {"name": "nothing", "calls": [[1]], "echo": False}))
        assert (error.value.fault.kind, error.value.fault.type) == ("raised", "ValueError")
