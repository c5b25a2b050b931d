"""What an answer that does nothing earns: nothing, however well it does it."""

from functools import partial

import pytest
from sampling import every
from submissions import UNDIAGNOSED, exercise

from autograder.engine.assignment import find_assignment
from autograder.graders.layer_norm.reference import PRINTED

MODULE = "class {}(nn.Module):\n    def __init__(self, *sizes):\n        super().__init__()\n"
NORM = MODULE.format("LayerNorm") + "    def forward(self, x):\n        return {}\n"
BLOCK = MODULE.format("AddAndNorm") + "    def forward(self, x, y):\n        return {}\n"
TAIL = "def encoder_tail(x, w1, b1, w2, b2, gamma, beta):\n    return {}, {}, {}\n"
RECOVER = "def recover(residual, normalised):\n    return {}, {}\n"
CONVOLUTION = "def as_convolution(linear1, linear2):\n    return {}\n"
PAIR = "nn.Sequential(linear1, nn.ReLU(), linear2)"
ONES, ZEROS = "torch.ones_like(residual[0])", "torch.zeros_like(residual[0])"
COPIED = {name: {"first wrong step": "none", **steps} for name, steps in PRINTED.items()}
NONSENSE = {
    name: {step: 0 if type(value) is float else [0.0] * len(value) for step, value in steps.items()}
    | {"first wrong step": "none"}
    for name, steps in PRINTED.items()
}
HUGE, TINY = (
    {**NONSENSE, "add and norm": {**NONSENSE["add and norm"], "variance": size}}
    for size in (1e9, 1e-30)
)
IDLE = {
    "layer_norm": [
        NORM.format(x) for x in ("x", "-x", "torch.zeros_like(x)", "torch.ones_like(x)")
    ],
    "add_and_norm": [BLOCK.format(x) for x in ("x", "y", "torch.ones_like(x)")],
    "twelve_tokens": [TAIL.format(*[x] * 3) for x in ("x", "torch.zeros_like(x)", "0 * x + 5")],
    "recover": [RECOVER.format(ONES, ZEROS), RECOVER.format("residual[0]", "residual[1]")],
    "as_convolution": [
        CONVOLUTION.format(x) for x in ("nn.Sequential()", "nn.ReLU()", "linear1", PAIR)
    ],
    "find_the_slip": [f"slips = {one!r}" for one in (COPIED, NONSENSE, HUGE, TINY)],
    "who_depends": [
        f"def depends_on(norm, x):\n    return {word!r}\n" for word in ("neither", "both")
    ],
}
CASES = [(name, number) for name, answers in IDLE.items() for number in range(len(answers))]


@pytest.fixture(scope="session")
def assignment(course):
    return find_assignment("layer-norm", course)


@pytest.fixture(scope="session")
def solved(assignment):
    return assignment.solutions


@pytest.mark.walls
@pytest.mark.parametrize(("name", "number"), every(3, CASES))
def test_what_does_nothing_earns_nothing(grade_cells, name, number):
    verdict = partial(grade_cells, limits=UNDIAGNOSED)(**{name: IDLE[name][number]})
    assert exercise(verdict, name).points == 0
