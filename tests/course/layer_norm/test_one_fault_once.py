"""A fault in one step costs that step: what follows from a student's own step before it is right."""

from functools import partial

import pytest
import torch
from sampling import every
from submissions import UNDIAGNOSED, exercise, lost

from autograder.graders.layer_norm.calculations import first_wrong_step, right_steps

ADD, FEED = "add and norm", "feed forward"
FAULTS = {  # by what is wrong: the calculation, and the step with another value
    "sum, a sign lost": (ADD, "sum", [1.5, 2.3, 3.2, 4.1]),
    "mean, of x": (ADD, "mean", 2.5),
    "variance, as printed": (ADD, "variance", 1.359),
    "variance, n - 1": (ADD, "variance", 1.5425),
    "variance, not divided": (ADD, "variance", 4.6275),
    "normalised, n - 1": (ADD, "normalised", [-0.906, -0.745, 0.463, 1.188]),
    "hidden, as printed": (FEED, "hidden", [0.47, 0.47, -0.09]),
    "hidden, no bias": (FEED, "hidden", [0.39, 0.07, 0.76]),
    "relu, negative": (FEED, "relu", [0.49, -0.03, 0.96]),
    "output, no relu": (FEED, "output", [-0.046, 0.182, 0.425, 0.537]),
}
ONE_EDIT = {  # by exercise and what stands there instead: the checks that fail
    ("twelve_tokens", "torch.relu(x @ w1 + b1)", "(x @ w1 + b1)"): ["feed_forward_acts"],
    ("twelve_tokens", "residual = x + ffn", "residual = ffn"): ["residual_adds"],
    ("twelve_tokens", "variance + 1e-6", "variance + 1e-5"): ["eps_stands"],
    ("twelve_tokens", "residual = x + ffn", "x += ffn; residual = x"): ["tables_are_not"],
    ("recover", "return gamma, beta", "return gamma, -beta"): ["beta_belongs"],
    ("recover", "return gamma, beta", "return gamma[None], beta[None]"): ["one_number"],
    ("recover", "centred.square().mean(dim=-1, keepdim=True)", "residual.var(-1, keepdim=True)"): [
        "gamma_of_exact",
        "fewer_tokens",
    ],
}


@pytest.fixture
def grade_cells(grade_cells):
    return partial(grade_cells, limits=UNDIAGNOSED)


def failed(verdict, name: str) -> list[str]:
    return [
        check.id.removeprefix("test_")
        for check in exercise(verdict, name).checks
        if not check.passed
    ]


def slips(calculation: str = ADD, **own: object) -> dict:
    """Right steps, or such as follow from those in `own`, to three decimals."""
    wrong = {name: torch.tensor(value) for name, value in own.items()}
    answer = {}
    for name in (ADD, FEED):
        steps = right_steps(name, **wrong) if name == calculation else right_steps(name)
        rounded = {
            step: value.double().mul(1000).round().div(1000) for step, value in steps.items()
        }
        values = {step: value.tolist() for step, value in rounded.items()}
        answer[name] = {"first wrong step": first_wrong_step(name), **values}
    return answer


@pytest.mark.walls
@pytest.mark.parametrize("fault", every(3, FAULTS))
def test_what_follows_from_a_wrong_step_is_right(grade_cells, fault):
    calculation, step, value = FAULTS[fault]
    answer = slips(calculation, **{step: value})
    verdict = grade_cells(find_the_slip=f"slips = {answer!r}")
    assert failed(verdict, "find_the_slip") == [step]
    assert lost(verdict) == {"find_the_slip": 0.5 if step == "variance" else 0.25}


@pytest.mark.walls
def test_right_steps_lose_nothing(grade_cells):
    assert lost(grade_cells(find_the_slip=f"slips = {slips()!r}")) == {}


@pytest.mark.walls
@pytest.mark.parametrize("edit", every(3, [(one,) for one in ONE_EDIT]), ids=" ".join)
def test_one_edit_fails_the_checks_that_ask_for_it(grade_cells, solved, edit):
    name, old, new = edit
    assert old in solved[name]
    verdict = grade_cells(**{name: solved[name].replace(old, new)})
    found = failed(verdict, name)
    assert len(found) == len(ONE_EDIT[edit])
    assert all(check.startswith(start) for check, start in zip(found, ONE_EDIT[edit], strict=True))
