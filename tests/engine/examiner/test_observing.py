"""A layer that lies about itself is seen, whatever points it got; one that does not is left alone."""

from types import SimpleNamespace

import pytest
import torch
from torch import nn

from autograder.authoring.variants import variants
from autograder.engine.diagnosis.in_process import InProcessCandidate, run_cells
from autograder.engine.examiner.checks import CheckRun
from autograder.engine.examiner.making import MadeLayer
from autograder.engine.examiner.observing import observe
from autograder.engine.examiner.proxy import Candidate
from autograder.engine.examiner.session import run_checks
from autograder.engine.memory import limited_memory
from autograder.engine.notes.find import Notes
from autograder.engine.submission import Cell, Submission

FEED_FORWARD = """
import torch
from torch import nn
import torch.nn.functional as F

class PositionWiseFeedForward(nn.Sequential):
    def __init__(self, d_model, d_ff):
        super().__init__()
        self.add_module("linear1", nn.Linear(d_model, d_ff))
        self.add_module("relu", nn.ReLU())
        self.add_module("linear2", nn.Linear(d_ff, d_model))
        BUILT
"""
CALL_OVERRIDE = (
    FEED_FORWARD.replace("BUILT", "pass")
    + """
    def __call__(self, x):
        return self[2](F.relu(self[0](x)))
    def forward(self, x):
        return x
"""
)
HOOK = (
    FEED_FORWARD.replace(
        "BUILT", "self.register_forward_hook(lambda m, a, out: self[2](F.relu(self[0](a[0]))))"
    ).replace("nn.ReLU()", "Other()")
    + """
class Other(nn.ReLU):
    def forward(self, x):
        return F.gelu(x)
"""
)
DETACHED_COPY = (
    FEED_FORWARD.replace("BUILT", "pass")
    + """
    def forward(self, x):
        right = super().forward(x).detach()
        other = sum(p.sum() for p in self.parameters()) + x.sum()
        return right + other - other.detach()
"""
)
FALSE_BACKWARD = (
    FEED_FORWARD.replace("BUILT", "pass")
    + """
    def forward(self, x):
        return False_.apply(x, *self.parameters())

class False_(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x, w1, b1, w2, b2):
        ctx.save_for_backward(x, w1, b1, w2, b2)
        return F.linear(F.relu(F.linear(x, w1, b1)), w2, b2)
    @staticmethod
    def backward(ctx, upstream):
        return tuple(torch.ones_like(tensor) for tensor in ctx.saved_tensors)
"""
)
CHILDREN = """
import torch
from torch import nn

class PositionWiseFeedForward(nn.Module):
    def __init__(self, d_model, d_ff):
        super().__init__()
        self.one, self.two = nn.Linear(d_model, d_ff), nn.Linear(d_ff, d_model)
    def forward(self, x):
        return self.two(self.one(x).relu())
    def named_modules(self, *args, **kwargs):
        told = {"": nn.Sequential(), "linear1": self.one, "relu": nn.ReLU(), "linear2": self.two}
        yield from told.items()
"""
NAMED_PARAMETERS = """
def _without_biases(self, *args, **kwargs):
    named = nn.Module.named_parameters(self, *args, **kwargs)
    return [(name, parameter) for name, parameter in named if not name.endswith("bias")]

def _built(self, *args, **kwargs):
    build(self, *args, **kwargs)
    for name, parameter in nn.Module.named_parameters(self):
        if name.endswith("bias"):
            nn.init.zeros_(parameter)

build = MultiHeadAttention.__init__
MultiHeadAttention.__init__ = _built
MultiHeadAttention.named_parameters = _without_biases
"""
STATE_DICT = "\nEncoderLayer.state_dict = lambda self, *args, **kwargs: {}\n"
LINEAR = (
    "\nnn.Linear.forward = lambda self, x: torch.nn.functional.linear(x, self.weight, self.bias)\n"
)
GRADIENTS, CHAIN = "reports gradients that do not fit", "answers otherwise than its members"
LIES = {
    "__call__": ("feed_forward", CALL_OVERRIDE, "(`__call__`)"),
    "forward hook": ("feed_forward", HOOK, CHAIN),
    "detached copy": ("feed_forward", DETACHED_COPY, GRADIENTS),
    "false backward": ("feed_forward", FALSE_BACKWARD, GRADIENTS),
    "children": ("feed_forward", CHILDREN, "(`named_modules`)"),
    "named_parameters": ("multi_head_attention", NAMED_PARAMETERS, "(`named_parameters`)"),
    "state_dict": ("encoder_layer", STATE_DICT, "(`state_dict`)"),
    "Linear.forward": ("multi_head_attention", LINEAR, "`nn.Linear` whose `forward` was replaced"),
}


@pytest.fixture
def look(assignment):
    """Put its checks to one exercise; return its points and the notes on what it is made of."""

    def run(cells: dict[str, str], names: set[str], everything: bool = False):
        written = assignment.solved_cells() | cells
        made = [Cell(p.id, p.kind, written.get(p.id, p.source), p) for p in assignment.cells]
        notes = Notes(assignment, Submission(made))
        defined = run_cells([compile(source, name, "exec") for name, source in written.items()])
        candidate = Candidate(InProcessCandidate(defined), assignment.aliases, assignment.signature)
        exercises = [one for one in assignment.exercises if one.id in names]
        runs = run_checks(exercises, candidate, 5, assignment.look_around)
        seen = observe(candidate, runs, 5, names if everything else notes.to_look_at)
        lost = sum(run.max_points - run.points for run in runs)
        return lost, [note for note in notes.found(seen) if ": its layer" in note], len(seen)

    return run


@pytest.mark.parametrize(("exercise", "cell", "told"), LIES.values(), ids=LIES)
def test_a_layer_that_lies_costs_no_point_and_is_noted(
    exercise, cell, told, look, solved, monkeypatch
):
    monkeypatch.setattr(nn.Linear, "forward", nn.Linear.forward)  # torch's own comes back
    cell = cell if cell.count("class ") else solved[exercise] + cell
    cell = cell.replace("bias=False", "bias=True") if cell.endswith(NAMED_PARAMETERS) else cell
    lost, notes, _ = look({exercise: cell}, {exercise})
    assert not lost
    assert any(note.startswith(f"`{exercise}`: its layer") and told in note for note in notes)


def test_what_hides_a_bias_learns_something_that_it_does_not_list(look, solved):
    cell = solved["multi_head_attention"].replace("bias=False", "bias=True") + NAMED_PARAMETERS
    _, notes, _ = look({"multi_head_attention": cell}, {"multi_head_attention"})
    assert any("learns something that is not among its parameters" in note for note in notes)


@pytest.mark.slow
def test_no_right_answer_is_noted_when_all_of_its_layers_are_looked_at(assignment, look, solved):
    looked = 0
    for variant in variants(assignment):
        _, notes, count = look(variant.cells, set(variant.cells), everything=True)
        assert notes == [], variant.name
        looked += count
    assert looked > len(variants(assignment))


def test_what_the_observation_breaks_on_is_no_note(look):
    """It answers as often as it is asked by checks, and no more."""
    counting = "if self.linear1.weight.requires_grad and torch.is_grad_enabled() and COUNT > 1: {}"
    for end in ("raise ValueError", "return None", "return 'x'"):
        cell = (
            FEED_FORWARD.replace("BUILT", "pass")
            + f"""
    def forward(self, x):
        global COUNT
        COUNT += torch.is_grad_enabled()
        {counting.format(end)}
        return super().forward(x)

COUNT = 0
"""
        )
        lost, notes, seen = look({"feed_forward": cell}, {"feed_forward"})
        assert not lost and notes == [] and not seen, end


class Answers:
    """A candidate that answers an observation with what the test wants it to."""

    alive = True

    def __init__(self, **answer):
        tensors = {"answer": torch.ones(1), "beside": torch.ones(1), "gradients": [], "chains": []}
        self.answer = (
            tensors | {"unlisted": 0, "describing": [], "replaced": [], "kinds": []} | answer
        )
        self.backend = self

    def observe(self, *_):
        return self.answer


COLUMN, ROW = torch.ones(3_000_000, 1, dtype=torch.int8), torch.ones(1, 3_000_000, dtype=torch.int8)
WIDE = {"beside": {"answer": COLUMN, "beside": ROW}, "chains": {"chains": [(COLUMN, ROW)]}}


@pytest.mark.parametrize("answer", WIDE.values(), ids=WIDE)
def test_tensors_that_make_each_other_wide_are_not_compared(answer):
    """Nine terabytes: to run out of memory would end the whole submission."""
    made = SimpleNamespace(called=MadeLayer([], [], 0, [torch.ones(1)]), looked=True)
    run = CheckRun("test_x", "softmax", 1.0, passed=True, kind="passed", made=made)
    with limited_memory():
        assert observe(Answers(**answer), [run], 1, {"softmax"}) == []


def test_an_observation_that_takes_too_much_memory_is_none():
    class Short(Answers):
        def observe(self, *_):
            raise MemoryError

    made = SimpleNamespace(called=MadeLayer([], [], 0, [torch.ones(1)]), looked=True)
    run = CheckRun("test_x", "softmax", 1.0, passed=True, kind="passed", made=made)
    assert observe(Short(), [run], 1, {"softmax"}) == []
