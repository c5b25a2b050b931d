"""Eight blocks with and without norms: what the text says of the plot is seen, whatever the seed."""

import pytest
from notebook_cells import OPEN, cells_of, checks_of, run

pytestmark = pytest.mark.slow

PARTS = "imports layer_norm add_and_norm"
ALL = f"{PARTS} capstone_guesses"
NORMS = ("no norm", "batch norm", "your AddAndNorm")
RATES = (0.005, 0.03, 0.1)
FIVE_POINTS = 0.05
OTHERS = range(100, 102)  # seeds that the notebook does not show


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
