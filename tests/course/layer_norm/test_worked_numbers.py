"""Every number of the two printed calculations and of the twelve tokens, computed again."""

import contextlib
import io
import re
from functools import partial
from xml.etree import ElementTree

import pytest
import torch
from notebook_cells import sources_of

from autograder import find_course
from autograder.graders.layer_norm import calculations, reference

COURSE = find_course()
SOURCE = COURSE.source / "layer-norm"
cells = partial(sources_of, "layer-norm", COURSE)
PRINTED_AS = {
    "ffn": 0,
    "residual": 1,
}  # of the twelve tokens; the place in what encoder_tail returns
ROUNDED = 6e-3  # two decimals


def run(*ids: str) -> dict:
    """What these cells define."""
    space: dict = {"torch": torch, "Tensor": torch.Tensor}
    with contextlib.redirect_stdout(io.StringIO()):
        for id in ids:
            exec(cells()[id], space)
    return space


def figure(name: str) -> ElementTree.Element:
    return ElementTree.parse(SOURCE / "figures" / f"{name}.svg").getroot()


def numbers_in(text: str) -> list[float]:
    return [float(n) for n in re.findall(r"-?\d+\.?\d*", text.replace("−", "-"))]


def flat(value: object) -> list[float]:
    return torch.tensor(value).flatten().tolist()


@pytest.fixture(scope="module")
def twelve() -> dict[str, torch.Tensor]:
    return run("twelve_tokens_numbers")["twelve"]


@pytest.fixture(scope="module")
def tail(twelve) -> reference.Tail:
    weights = {name: twelve[name] for name in ("w1", "b1", "w2", "b2")}
    x = twelve["residual"] - twelve["ffn"]
    return reference.Tail(x, **weights, gamma=torch.ones(3), beta=torch.zeros(3))


@pytest.mark.parametrize("calculation", calculations.PRINTED)
def test_the_notebook_gives_and_prints_what_the_reference_has(calculation):
    space = run("find_the_slip_numbers")
    given = {name: value.tolist() for name, value in space["given"][calculation].items()}
    for name, values in calculations.INPUTS[calculation].items():
        assert flat(given[name]) == pytest.approx(flat(values))
    assert given.keys() == calculations.INPUTS[calculation].keys()
    assert space["printed"][calculation] == calculations.PRINTED[calculation]


@pytest.mark.parametrize("calculation", calculations.PRINTED)
def test_the_figure_shows_what_the_reference_has(calculation):
    shown = {
        kind: {
            element.get(f"data-{kind}"): numbers_in("".join(element.itertext()))
            for element in figure("find_the_slip").iter()
            if (element.get(f"data-{kind}") or "").startswith(calculation)
        }
        for kind in ("given", "step")
    }
    wanted = {"given": calculations.INPUTS, "step": calculations.PRINTED}
    for kind, table in wanted.items():
        values = {f"{calculation}/{name}": flat(v) for name, v in table[calculation].items()}
        assert shown[kind].keys() == values.keys()
        for name, numbers in values.items():
            assert shown[kind][name] == pytest.approx(numbers, abs=1e-6), name


@pytest.mark.parametrize("calculation", calculations.PRINTED)
def test_whoever_cannot_see_the_figure_reads_the_same_numbers(calculation):
    text = cells()["find_the_slip_figure"]
    tables = [
        *calculations.INPUTS[calculation].values(),
        *calculations.PRINTED[calculation].values(),
    ]
    for table in tables:
        rows = table if isinstance(table, list) and isinstance(table[0], list) else [table]
        for row in rows:
            numbers = flat(row)
            there = numbers_in(text)
            runs = [there[i : i + len(numbers)] for i in range(len(there))]
            zeros = not any(numbers) and "b2 is zero" in text
            assert zeros or any(run == pytest.approx(numbers) for run in runs), row


@pytest.mark.parametrize("calculation", calculations.PRINTED)
def test_each_calculation_has_one_slip_and_the_rest_follows_from_it(calculation):
    printed = {
        name: torch.tensor(value) for name, value in calculations.PRINTED[calculation].items()
    }
    wrong = []
    for place, name in enumerate(printed):
        before = dict([*printed.items()][:place])
        follows = calculations.right_steps(calculation, **before)[name]
        if not torch.allclose(follows, printed[name], rtol=0, atol=ROUNDED):
            wrong.append(name)
    assert wrong == [calculations.first_wrong_step(calculation)]


def test_the_printed_tables_come_out(tail, twelve):
    outputs = reference.encoder_tail(*tail)
    for name, place in PRINTED_AS.items():
        assert torch.allclose(outputs[place], twelve[name], rtol=0, atol=5e-4), name
    gamma, beta = reference.recover(twelve["residual"], twelve["normalised"])
    recovered = gamma * reference.normalise(twelve["residual"]) + beta
    assert torch.allclose(recovered, twelve["normalised"], rtol=0, atol=4e-4)


def test_gamma_and_beta_are_printed_nowhere(twelve):
    """The release must not say what `recover` asks for."""
    hidden = [
        v for part in reference.recover(twelve["residual"], twelve["normalised"]) for v in part
    ]
    notebook = "\n".join(cells().values())
    assert not [v for v in hidden for digits in (3, 4) if f"{v:.{digits}f}" in notebook]
