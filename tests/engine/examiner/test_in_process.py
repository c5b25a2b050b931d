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


def test_a_stand_in_computes_in_both(backends):
    spec = {"name": "Part", "constructor": ["size"], "forward": ["x"]}
    text = "def times(part, x, *, factor):\n    return x * factor\n"
    does = {"passes": False, "returns": {}, "functions": {"Part": (text, "times", {"factor": 100})}}
    for backend in backends:
        building = Question([("forget", {}), ("stand_in", {"specs": [spec]} | does), BUILD])
        backend.ask(building)
        (answer,), _, heard = backend.ask(Question([CALL]))
        assert answer.tolist() == [200, 200]
        (((name, _, place, built), kept),) = heard
        assert (name, place, built) == ("Part", 0, {"size": 5})
        assert kept is None


def test_a_fault_has_the_same_kind_in_both(backends):
    for backend in backends:
        with pytest.raises(CandidateFault) as error:
            ask(backend, ("function", {"name": "nothing", "calls": [[1]], "echo": False}))
        assert (error.value.fault.kind, error.value.fault.type) == ("raised", "ValueError")


def test_what_is_handed_over_stays_as_it_is(backends):
    _, in_process = backends
    x = torch.ones(3)
    ask(in_process, ("function", {"name": "halve", "calls": [[x]], "echo": False}))
    assert x.tolist() == [1, 1, 1]


def test_the_graders_random_numbers_are_not_touched(backends):
    _, in_process = backends
    torch.default_generator.manual_seed(5)
    state = torch.default_generator.get_state()
    ask(in_process, BUILD, CALL)
    assert torch.equal(torch.default_generator.get_state(), state)


@pytest.mark.parametrize(
    ("answer", "kind"), [("None", "returns_nothing"), ("'text'", "unsendable"), ("x", None)]
)
def test_gradients_of_no_tensor_are_a_fault_that_says_so(answer, kind):
    from autograder.engine.examiner.in_process import InProcessCandidate, run_cells

    forward = f"    def forward(self, x):\n        return {answer}\n"
    cell = f"from torch import nn\nclass Layer(nn.Module):\n{forward}"
    backend = InProcessCandidate(run_cells([compile(cell, "cell", "exec")]))
    build = ("build", {"name": "Layer", "args": [], "kwargs": {}})
    x = torch.ones(2)
    gradients = ("gradients", {"handle": 0, "args": [x], "upstream": x})
    try:
        ask(backend, build, gradients)
        raised = None
    except CandidateFault as error:
        raised = error.fault.kind
    assert raised == kind
