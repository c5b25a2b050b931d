"""A layer that lies about itself is seen, whatever points it got, and so is a library that answers for it;
one that does neither is left alone.
"""

from dataclasses import dataclass
from functools import partial
from types import SimpleNamespace
from unittest.mock import patch

import pytest
import torch
from ready_made import ATTENTIONS, LAYER_NORMS
from torch import nn

from autograder.authoring.variants import variants
from autograder.engine.assignment import find_assignment
from autograder.engine.diagnosis.in_process import InProcessCandidate, run_cells
from autograder.engine.examiner.checks import CheckRun
from autograder.engine.examiner.making import MadeCall
from autograder.engine.examiner.observing import Observation, library_calls, observe
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


@dataclass
class Look:
    """What came of the checks of some exercises, and the notes on what runs in their answers."""

    lost: dict[str, float]  # points, by check
    notes: list[str]
    seen: list[Observation]

    def about(self, what: str) -> list[str]:
        return [note for note in self.notes if what in note]


def look_at(assignment, cells: dict[str, str], names: set[str], everything: bool = False) -> Look:
    """Put their checks to some exercises. With `everything`, no code is taken for plain."""
    written = assignment.solved_cells() | cells
    made = [Cell(p.id, p.kind, written.get(p.id, p.source), p) for p in assignment.cells]
    notes = Notes(assignment, Submission(made))
    defined = run_cells([compile(source, name, "exec") for name, source in written.items()])
    candidate = Candidate(InProcessCandidate(defined), assignment.aliases, assignment.signature)
    exercises = [one for one in assignment.exercises if one.id in names]
    runs = run_checks(exercises, candidate, 5, assignment.look_around)
    exercises_seen = names if everything else notes.to_look_at
    seen = observe(candidate, runs, 5, exercises_seen)
    called = library_calls(candidate, runs, exercises_seen)
    lost = {run.id: run.max_points - run.points for run in runs if run.points < run.max_points}
    return Look(lost, notes.found(seen, called), seen)


@pytest.fixture
def look(assignment):
    return partial(look_at, assignment)


@pytest.fixture
def layer_norm(course):
    return find_assignment("layer-norm", course)


@pytest.mark.parametrize(("exercise", "cell", "told"), LIES.values(), ids=LIES)
def test_a_layer_that_lies_costs_no_point_and_is_noted(
    exercise, cell, told, look, solved, monkeypatch
):
    monkeypatch.setattr(nn.Linear, "forward", nn.Linear.forward)  # torch's own comes back
    cell = cell if cell.count("class ") else solved[exercise] + cell
    cell = cell.replace("bias=False", "bias=True") if cell.endswith(NAMED_PARAMETERS) else cell
    found = look({exercise: cell}, {exercise})
    assert not found.lost
    assert [one for one in found.about(told) if one.startswith(f"`{exercise}`: its layer")]


def test_what_hides_a_bias_learns_something_that_it_does_not_list(look, solved):
    cell = solved["multi_head_attention"].replace("bias=False", "bias=True") + NAMED_PARAMETERS
    found = look({"multi_head_attention": cell}, {"multi_head_attention"})
    assert found.about("learns something that is not among its parameters")


HOOKED = {
    "forward hook": "self.register_forward_hook(lambda module, args, answer: 1 * answer)",
    "forward pre hook": "self.linear2.register_forward_pre_hook(lambda module, args: args)",
    "backward hook": "self.register_full_backward_hook(lambda module, gradients, upstream: None)",
    "global forward hook": "handles.append(register(lambda module, args, answer: None))",
}


@pytest.mark.parametrize(("kind", "built"), HOOKED.items())
def test_a_hook_that_may_answer_for_a_layer_is_noted(kind, built, look):
    handles = (
        "from torch.nn.modules.module import register_module_forward_hook as register\nhandles = []"
    )
    cell = handles + FEED_FORWARD.replace("BUILT", built)
    with patch.dict(nn.modules.module._global_forward_hooks):  # torch's own come back
        found = look({"feed_forward": cell}, {"feed_forward"})
    assert not found.lost and found.about(f"`feed_forward`: its layer has a {kind}.")


@pytest.mark.parametrize("cell", LAYER_NORMS.values(), ids=LAYER_NORMS)
def test_a_norm_of_torchs_is_noted_by_whatever_road_and_costs_a_quarter(cell, layer_norm):
    found = look_at(layer_norm, {"layer_norm": cell}, {"layer_norm"})
    assert found.lost == {"test_norm_is_your_own": 0.25}
    (note,) = found.about("was an own one asked for?")
    assert note.startswith("`layer_norm` uses `")


@pytest.mark.parametrize("cell", ATTENTIONS.values(), ids=ATTENTIONS)
def test_an_attention_of_torchs_is_noted_by_whatever_road_and_costs_nothing(cell, look):
    found = look({"attention": cell}, {"attention"})
    assert not found.lost
    assert found.about("`attention` uses `F.scaled_dot_product_attention`: was an own one")


def test_a_comparison_with_the_library_beside_an_answer_is_no_note(look, solved, layer_norm):
    compare = """
import torch.nn.functional as G
q, k, v = torch.randn(3, 2, 4, 8)
print(torch.allclose(Attention()(q, k, v), G.scaled_dot_product_attention(q, k, v)))
"""
    for behind in (
        compare,
        compare.replace("\nq", "\ndef compare():\n  q").replace("\nprint", "\n  print"),
    ):
        cells = {"attention": solved["attention"] + behind}
        assert not look(cells, {"attention"}, everything=True).notes
    own = (
        layer_norm.solutions["layer_norm"]
        + "\nassert F.layer_norm(torch.ones(2, 3), (3,)).sum() == 0"
    )
    found = look_at(layer_norm, {"layer_norm": own}, {"layer_norm"}, everything=True)
    assert not found.lost and not found.notes


def test_a_function_is_looked_at_as_layers_are(small):
    """It is made once more with what it was handed, and asked for what it calls."""
    parts = {"softmax": ("torch.nn.functional.softmax", "torch.exp")}
    cells = {"softmax": "import torch\n\ndef softmax(x, f=torch.softmax):\n    return f(x, -1)"}
    with patch.dict(small.library_parts, parts):
        assert look_at(small, cells, {"softmax"}).about("`softmax` uses `F.softmax`")
        assert look_at(small, {}, {"softmax"}).about("`softmax` uses `torch.exp`")
    assert not look_at(small, cells, {"softmax"}, everything=True).notes


TAKES = "scaled_dot_product_attention("  # what some right answers take of the library


@pytest.mark.slow
@pytest.mark.long
def test_right_answers_have_no_note_but_for_the_library_when_all_is_looked_at(
    assignment, layer_norm
):
    for one in (assignment, layer_norm):
        looked = 0
        for variant in variants(one):
            found = look_at(one, variant.cells, set(variant.cells), everything=True)
            taken = TAKES in "".join(variant.cells.values())
            assert bool(found.notes) == taken, (variant.name, found.notes)
            assert found.notes == found.about("uses `F.scaled_dot_product_attention`"), variant.name
            looked += len(found.seen)
        assert looked > len(variants(one)) / 3


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
        found = look({"feed_forward": cell}, {"feed_forward"})
        assert not found.lost and not found.notes and not found.seen, end


class Answers:
    """A candidate that answers an observation with what the test wants it to."""

    alive = True

    def __init__(self, **answer):
        tensors = {"answer": torch.ones(1), "beside": torch.ones(1), "gradients": [], "chains": []}
        self.answer = (
            tensors | {"unlisted": 0, "describing": [], "replaced": [], "hooks": []} | answer
        )
        self.backend = self

    def prepare_again(self, _):
        """There is nothing to make."""

    def ask(self, *_):
        return self.answer


LAYER = MadeCall([], [], {"handle": 0, "args": [torch.ones(1)]})


COLUMN, ROW = torch.ones(3_000_000, 1, dtype=torch.int8), torch.ones(1, 3_000_000, dtype=torch.int8)
WIDE = {"beside": {"answer": COLUMN, "beside": ROW}, "chains": {"chains": [(COLUMN, ROW)]}}


@pytest.mark.parametrize("answer", WIDE.values(), ids=WIDE)
def test_tensors_that_make_each_other_wide_are_not_compared(answer):
    """Nine terabytes: to run out of memory would end the whole submission."""
    made = SimpleNamespace(called=LAYER, looked=True)
    run = CheckRun("test_x", "softmax", 1.0, passed=True, kind="passed", made=made)
    with limited_memory():
        assert observe(Answers(**answer), [run], 1, {"softmax"}) == []


def test_an_observation_that_takes_too_much_memory_is_none():
    class Short(Answers):
        def ask(self, *_):
            raise MemoryError

    made = SimpleNamespace(called=LAYER, looked=True)
    run = CheckRun("test_x", "softmax", 1.0, passed=True, kind="passed", made=made)
    assert observe(Short(), [run], 1, {"softmax"}) == []
