"""Eight blocks with and without norms: what the text says of the plot is seen, whatever the seed."""

import pytest
import torch
from notebook_cells import OPEN, cells_of, checks_of, run
from torch.nn import functional as F

from autograder.authoring.edited import as_edited, find_source
from autograder.authoring.variants import variants

PARTS = "imports layer_norm add_and_norm"
ALL = f"{PARTS} capstone_guesses"
NORMS = ("no norm", "batch norm", "your AddAndNorm")
RATES = (0.005, 0.03, 0.1)
CLAIMS = ("variance", "balanced", "linear", "clean")
FIVE_POINTS = 0.05
OTHERS = range(100, 106)  # seeds that the notebook does not show


SHOW = f"from layer_norm_checks import eight_blocks\neight_blocks(AddAndNorm, guesses, {RATES})"
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


def test_the_networks_share_everything_but_the_norm(checks, parts):
    weights = []
    for new_part in parts.values():
        torch.manual_seed(3)
        network = checks.Thirds(new_part)
        named = network.named_parameters()
        weights.append({name: one for name, one in named if "add_and_norm" not in name})
    assert len(weights[0]) == 2 + 8 * 4 + 2
    for others in weights[1:]:
        assert others.keys() == weights[0].keys()
        assert all(torch.equal(others[name], weights[0][name]) for name in others)


def test_the_networks_see_the_same_batches(checks, parts, monkeypatch):
    new, seen = checks.new_sentences, []

    def noted(length, count=4):
        letters, thirds = new(length, count)
        seen[-1].append(letters)
        return letters, thirds

    monkeypatch.setattr(checks, "new_sentences", noted)
    monkeypatch.setattr(checks, "STEPS", 5)
    for new_part in parts.values():
        seen.append([])
        checks.train_thirds(new_part, 0.005, 7)
    for batches in seen[1:]:
        assert len(batches) == len(seen[0]) == 17 + 5
        assert all(torch.equal(one, other) for one, other in zip(batches, seen[0], strict=True))


def test_batch_norm_normalises_each_feature_over_all_tokens(checks):
    x, added = 3 * torch.randn(2, 4, 5, 32) + 1
    out = checks.AddAndBatchNorm(32)(x, added)
    assert torch.allclose(out.mean((0, 1)), torch.zeros(32), atol=1e-5)
    assert torch.allclose(out.var((0, 1), unbiased=False), torch.ones(32), atol=1e-3)


def test_your_norm_answers_in_evaluation_as_in_training(checks, parts, monkeypatch):
    monkeypatch.setattr(checks, "STEPS", 40)
    run_ = checks.train_thirds(parts["your AddAndNorm"], 0.1, 50)
    assert run_.as_trained == run_.evaluation[40]


@pytest.mark.parametrize("seed", [*range(3), *OTHERS])
def test_without_norm_the_loss_is_no_number_within_twenty_steps(checks, cells, seed):
    assert "within twenty" in cells["capstone_seen_norms"]
    for rate in RATES[1:]:
        assert checks.train_thirds(checks.Add, rate, seed).broke_at < 20


def test_the_text_says_what_is_measured_below(cells):
    assert "at the smallest rate it gets further than both others" in cells["capstone_seen_norms"]
    assert "by more than five points in a hundred" in cells["capstone_seen_batch"]


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


class MixedLengths(torch.nn.Module):
    """The network with batch norm, for sentences of several lengths one after another."""

    def __init__(self, network):
        super().__init__()
        self.network = network

    def forward(self, sentences):
        net = self.network
        lengths = [len(letters) for letters in sentences]
        steps = torch.cat([torch.arange(length) for length in lengths])
        x = net.letters(torch.cat(sentences)) + net.positions(steps)  # (tokens, 32)
        for block in net.blocks:
            means = [own.mean(0).expand_as(own) for own in x.split(lengths)]
            added = block.feed_forward(torch.cat([x, torch.cat(means)], dim=-1))
            x = block.add_and_norm(x[None], added[None])[0]
        return net.scores(x)


@pytest.mark.long
@pytest.mark.parametrize("seed", range(3))
@pytest.mark.parametrize("mixed", [False, True], ids=["one length", "mixed lengths"])
def test_batch_norm_falls_behind_where_a_batch_has_one_length(checks, parts, seed, mixed):
    torch.manual_seed(seed)
    network = MixedLengths(checks.Thirds(parts["batch norm"]))
    optimizer = torch.optim.SGD(network.parameters(), lr=0.03)

    def ask(lengths) -> tuple[torch.Tensor, torch.Tensor]:
        new = [checks.new_sentences(int(length), 1) for length in lengths]
        letters, thirds = zip(*new, strict=True)
        return network([one[0] for one in letters]), torch.cat([one[0] for one in thirds])

    shares = []
    for _ in range(200):
        lengths = torch.randint(4, 21, (4,) if mixed else (1,)).expand(4)
        scores, thirds = ask(lengths)
        optimizer.zero_grad()
        F.cross_entropy(scores, thirds).backward()
        optimizer.step()
        shares.append(checks.accuracy(scores, thirds))
    network.eval()
    evaluated = sum(checks.accuracy(*ask([length] * 8)) for length in range(4, 21)) / 17
    behind = sum(shares[-40:]) / 40 - evaluated
    assert behind < FIVE_POINTS if mixed else behind > FIVE_POINTS


def test_the_rates_may_be_others(short, checks):
    other = short["capstone_guesses"].replace("[0.005, 0.03, 0.1]", "[0.005, 0.01, 0.03, 0.1]")
    space = run(short | {"capstone_guesses": other}, ALL, checks)
    assert len(space["figure"].axes) == 12 and "no norm at 0.01" in space["alt"]


@pytest.mark.parametrize(
    ("said", "shown"),
    [
        ('{"no norm": ["learns", "fails", "fails"]}', ["you said: learns", "you said: fails"]),
        ('{"no norm": ["learns"]}', ["you said: learns"]),
    ],
)
def test_the_plot_shows_what_was_guessed_in_whatever_form(short, checks, said, shown):
    space = run(short | {"capstone_guesses": f"guesses = {said}\n{SHOW}"}, ALL, checks)
    titles = {ax.get_title(loc="right") for ax in space["figure"].axes}
    assert titles - {""} == set(shown)


@pytest.mark.parametrize("said", ["None", "{}", '{"no norm": "learns"}', '{"no norm": ...}'])
def test_guesses_of_no_form_are_asked_for(short, checks, said):
    space = run(short | {"capstone_guesses": f"guesses = {said}\n{SHOW}"}, ALL, checks)
    assert "Predict first" in space["said"]


def test_the_cell_is_short(cells):
    assert len(cells["capstone_guesses"].splitlines()) <= 15


@pytest.mark.parametrize("name", ["LayerNorm", "AddAndNorm"])
def test_nothing_is_measured_as_long_as_an_exercise_is_open(short, checks, name):
    id = {"LayerNorm": "layer_norm", "AddAndNorm": "add_and_norm"}[name]
    space = run(short | {id: OPEN.format(name=name)}, ALL, checks)
    assert "is still open" in space["said"] and "alt" not in space


def test_a_norm_that_breaks_half_way_leaves_no_half_plot(short, checks):
    broken = short["add_and_norm"].replace(
        "return self.norm(", "assert abs(x).max() < 4\n        return self.norm("
    )
    assert broken != short["add_and_norm"]
    space = run(short | {"add_and_norm": broken}, ALL, checks)
    assert "No picture yet" in space["said"] and "alt" not in space


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
