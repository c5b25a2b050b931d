"""Eight blocks with and without norms: what the text says of the plot is seen, whatever the seed."""

import pytest
import torch
from notebook_cells import OPEN, cells_of, checks_of, run

from autograder.authoring.edited import as_edited, find_source
from autograder.authoring.variants import variants

PARTS = "imports layer_norm add_and_norm"
ALL = f"{PARTS} capstone_guesses"
NORMS = ("no norm", "batch norm", "your AddAndNorm")
RATES = (0.005, 0.03, 0.1)
CLAIMS = ("variance", "balanced", "linear", "clean")
FIVE_POINTS = 0.05
OTHERS = range(100, 106)  # seeds that the notebook does not show


GUESS = '"no norm": [..., ..., ...]', '"no norm": ["learns", ..., ...]'


@pytest.fixture(scope="module")
def checks(course):
    return checks_of("layer-norm", course)


@pytest.fixture(scope="module")
def cells(course):
    return cells_of("layer-norm", course)


@pytest.fixture
def short(cells, checks, monkeypatch):
    """One seed and a few steps, and one guess: without any, nothing is run."""
    monkeypatch.setattr(checks, "STEPS", 40)
    monkeypatch.setattr(checks, "SEEDS", 1)
    return cells | {"capstone_guesses": cells["capstone_guesses"].replace(*GUESS)}


@pytest.fixture(scope="module")
def parts(checks, cells):
    """What makes the part after each sub-layer, by norm."""
    return {
        "no norm": checks.Add,
        "batch norm": checks.AddAndBatchNorm,
        "your AddAndNorm": run(cells, PARTS)["AddAndNorm"],
    }


def test_each_norm_is_run_at_each_rate_and_chance_stays_as_it_was(
    short, checks, parts, monkeypatch
):
    seen, draw = [], checks.draw_runs
    monkeypatch.setattr(checks, "draw_runs", lambda *all_: (seen.append(all_[0]), draw(*all_)))
    torch.manual_seed(5)
    before = torch.random.get_rng_state()
    space = run(short, ALL, checks)
    assert torch.equal(before, torch.random.get_rng_state())
    (runs,) = seen
    assert set(runs) == {(norm, rate) for norm in NORMS for rate in RATES}
    assert {len(seeds) for seeds in runs.values()} == {1}
    for norm in NORMS:
        assert space["alt"].count(f"{norm} at ") == 3
    for norm, new_part in parts.items():
        again = checks.train_thirds(new_part, RATES[0], 0)
        assert again.training == runs[norm, RATES[0]][0].training


def test_without_a_guess_one_is_asked_for(cells, checks):
    space = run(cells, ALL, checks)
    assert "Predict first" in space["said"] and "alt" not in space


@pytest.mark.parametrize("seed", [*range(3), *OTHERS])
def test_without_norm_the_loss_is_no_number_within_twenty_steps(checks, cells, seed):
    assert "within twenty" in cells["capstone_seen_norms"]
    for rate in RATES[1:]:
        assert checks.train_thirds(checks.Add, rate, seed).broke_at < 20


@pytest.mark.long
@pytest.mark.parametrize("seed", [0, 1, OTHERS[0]])
def test_what_is_seen_is_seen_with_every_seed(checks, parts, seed):
    train = checks.train_thirds
    runs = {
        (norm, rate): train(part, rate, seed)
        for norm, part in parts.items()
        for rate in RATES
        if norm != "no norm" or rate == RATES[0]
    }
    assert all(run.broke_at is None for run in runs.values())
    shares = {key: run.evaluation[200] for key, run in runs.items()}
    assert min(shares.values()) > 0.45  # a third is guessed
    small = {norm: shares[norm, RATES[0]] for norm in NORMS}
    assert max(small, key=small.__getitem__) == "no norm"
    for rate in RATES:
        yours = runs["your AddAndNorm", rate]
        assert yours.as_trained == yours.evaluation[200]
        assert shares["your AddAndNorm", rate] >= small["your AddAndNorm"]  # "slowly"
    for rate in RATES[1:]:
        batch = runs["batch norm", rate]
        for trained in (batch.as_trained, sum(batch.training[-40:]) / 40):
            assert trained - batch.evaluation[200] > FIVE_POINTS


@pytest.mark.parametrize("name", ["LayerNorm", "AddAndNorm"])
def test_nothing_is_measured_as_long_as_an_exercise_is_open(short, checks, name):
    id = {"LayerNorm": "layer_norm", "AddAndNorm": "add_and_norm"}[name]
    space = run(short | {id: OPEN.format(name=name)}, ALL, checks)
    assert "is still open" in space["said"] and "alt" not in space


@pytest.mark.slow
def test_right_solutions_of_others_can_be_trained_and_asked(course, cells, checks, monkeypatch):
    monkeypatch.setattr(checks, "STEPS", 2)
    written = variants(as_edited(find_source("layer-norm", course)))
    own = {
        one.name: one.cells for one in written if {"layer_norm", "add_and_norm"} & set(one.cells)
    }
    assert own
    claims = " ".join(f"claims_{claim}_code" for claim in CLAIMS)
    for name, cell in own.items():
        space = run(cells | cell, f"{PARTS} {claims}")
        trained = checks.train_thirds(space["AddAndNorm"], 0.1, 0)
        assert len(trained.training) == 2 and len(space["tables"]) == len(CLAIMS), name
