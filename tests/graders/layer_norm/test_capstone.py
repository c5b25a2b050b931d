"""Eight blocks with and without norms: what the text says of the plot is seen, whatever the seed."""

import pytest
import torch
from notebook_cells import OPEN, cells_of, run
from torch.nn import functional as F

from autograder.authoring.edited import as_edited, find_source
from autograder.authoring.variants import variants

PARTS = "imports toolbox exercises layer_norm add_and_norm"
MODEL = "capstone_sentences capstone_block capstone_norms capstone_guesses capstone_training"
ALL = f"{PARTS} {MODEL} capstone_run capstone_plot"
NORMS = ("no norm", "batch norm", "your AddAndNorm")
RATES = (0.005, 0.03, 0.1)
CLAIMS = ("variance", "balanced", "linear", "clean")
FIVE_POINTS = 0.05
OTHERS = range(100, 106)  # seeds that the notebook does not show


@pytest.fixture(scope="module")
def cells(course):
    return cells_of("layer-norm", course)


@pytest.fixture(scope="module")
def short(cells):
    """The same with one seed and a few steps."""
    return cells | {
        "capstone_training": cells["capstone_training"].replace(
            "steps: int = 200", "steps: int = 40"
        ),
        "capstone_run": cells["capstone_run"].replace("range(3)", "range(1)"),
    }


@pytest.fixture(scope="module")
def notebook(cells):
    return run(cells, f"{PARTS} {MODEL}")


def parts(notebook):
    """What makes the part after each sub-layer, by norm."""
    return {
        "no norm": notebook["Add"],
        "batch norm": lambda: notebook["AddAndBatchNorm"](32),
        "your AddAndNorm": lambda: notebook["AddAndNorm"](32),
    }


def test_each_norm_is_run_at_each_rate_and_chance_stays_as_it_was(short):
    torch.manual_seed(5)
    before = torch.random.get_rng_state()
    space = run(short, ALL)
    assert torch.equal(before, torch.random.get_rng_state())
    assert set(space["runs"]) == {(norm, rate) for norm in NORMS for rate in RATES}
    assert {len(seeds) for seeds in space["runs"].values()} == {1}
    for norm in NORMS:
        assert space["alt"].count(f"{norm} at ") == 3
    for norm, new_part in parts(space).items():
        again = space["train_thirds"](new_part, RATES[0], 0)
        assert again.training == space["runs"][norm, RATES[0]][0].training


def test_the_networks_share_everything_but_the_norm(notebook):
    weights = []
    for new_part in parts(notebook).values():
        torch.manual_seed(3)
        network = notebook["Thirds"](new_part)
        named = network.named_parameters()
        weights.append({name: one for name, one in named if "add_and_norm" not in name})
    assert len(weights[0]) == 2 + 8 * 4 + 2
    for others in weights[1:]:
        assert others.keys() == weights[0].keys()
        assert all(torch.equal(others[name], weights[0][name]) for name in others)


def test_the_networks_see_the_same_batches(notebook, monkeypatch):
    new, seen = notebook["new_sentences"], []

    def noted(length, count=4):
        letters, thirds = new(length, count)
        seen[-1].append(letters)
        return letters, thirds

    monkeypatch.setitem(notebook["train_thirds"].__globals__, "new_sentences", noted)
    for new_part in parts(notebook).values():
        seen.append([])
        notebook["train_thirds"](new_part, 0.005, 7, steps=5)
    for batches in seen[1:]:
        assert len(batches) == len(seen[0]) == 17 + 5
        assert all(torch.equal(one, other) for one, other in zip(batches, seen[0], strict=True))


def test_batch_norm_normalises_each_feature_over_all_tokens(notebook):
    x, added = 3 * torch.randn(2, 4, 5, 32) + 1
    out = notebook["AddAndBatchNorm"](32)(x, added)
    assert torch.allclose(out.mean((0, 1)), torch.zeros(32), atol=1e-5)
    assert torch.allclose(out.var((0, 1), unbiased=False), torch.ones(32), atol=1e-3)


def test_your_norm_answers_in_evaluation_as_in_training(notebook):
    run_ = notebook["train_thirds"](parts(notebook)["your AddAndNorm"], 0.1, 50, steps=40)
    assert run_.as_trained == run_.evaluation[40]


@pytest.mark.parametrize("seed", [*range(3), *OTHERS])
def test_without_norm_the_loss_is_no_number_within_twenty_steps(notebook, cells, seed):
    assert "within twenty" in cells["capstone_seen_norms"]
    for rate in RATES[1:]:
        assert notebook["train_thirds"](notebook["Add"], rate, seed).broke_at < 20


def test_the_text_says_what_is_measured_below(cells):
    assert "at the smallest rate it gets further than both others" in cells["capstone_seen_norms"]
    assert "by more than five points in a hundred" in cells["capstone_seen_batch"]


@pytest.mark.long
@pytest.mark.parametrize("seed", [*range(3), *OTHERS])
def test_what_is_seen_is_seen_with_every_seed(notebook, seed):
    train = notebook["train_thirds"]
    runs = {
        (norm, rate): train(part, rate, seed)
        for norm, part in parts(notebook).items()
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
def test_batch_norm_falls_behind_where_a_batch_has_one_length(notebook, seed, mixed):
    torch.manual_seed(seed)
    network = MixedLengths(notebook["Thirds"](parts(notebook)["batch norm"]))
    optimizer = torch.optim.SGD(network.parameters(), lr=0.03)

    def ask(lengths) -> tuple[torch.Tensor, torch.Tensor]:
        new = [notebook["new_sentences"](int(length), 1) for length in lengths]
        letters, thirds = zip(*new, strict=True)
        return network([one[0] for one in letters]), torch.cat([one[0] for one in thirds])

    shares = []
    for _ in range(200):
        lengths = torch.randint(4, 21, (4,) if mixed else (1,)).expand(4)
        scores, thirds = ask(lengths)
        optimizer.zero_grad()
        F.cross_entropy(scores, thirds).backward()
        optimizer.step()
        shares.append(notebook["accuracy"](scores, thirds))
    network.eval()
    evaluated = sum(notebook["accuracy"](*ask([length] * 8)) for length in range(4, 21)) / 17
    behind = sum(shares[-40:]) / 40 - evaluated
    assert behind < FIVE_POINTS if mixed else behind > FIVE_POINTS


def test_the_rates_may_be_others(short):
    other = short["capstone_run"].replace("(0.005, 0.03, 0.1)", "(0.005, 0.01, 0.03, 0.1)")
    space = run(short | {"capstone_run": other}, ALL)
    assert len(space["figure"].axes) == 12 and "no norm at 0.01" in space["alt"]


@pytest.mark.parametrize(
    ("said", "shown"),
    [
        ('{"no norm": ["learns", "fails", "fails"]}', ["you said: learns", "you said: fails"]),
        ('{"no norm": ["learns"]}', ["you said: learns"]),
        ('{"no norm": "learns"}', []),
        ("None", []),
    ],
)
def test_the_plot_shows_what_was_guessed_in_whatever_form(short, said, shown):
    space = run(short | {"capstone_guesses": f"guesses = {said}"}, ALL)
    titles = {ax.get_title(loc="right") for ax in space["figure"].axes}
    assert titles - {""} == set(shown)


def test_cells_that_are_not_folded_are_short(cells):
    shown = (cells[id] for id in f"{MODEL} capstone_run".split() if id != "capstone_training")
    assert max(len(source.splitlines()) for source in shown) <= 15


@pytest.mark.parametrize("name", ["LayerNorm", "AddAndNorm"])
def test_nothing_is_measured_as_long_as_an_exercise_is_open(short, name):
    id = {"LayerNorm": "layer_norm", "AddAndNorm": "add_and_norm"}[name]
    space = run(short | {id: OPEN.format(name=name)}, ALL)
    assert space["runs"] == {} and "is still open" in space["said"] and "alt" not in space


def test_a_norm_that_breaks_half_way_leaves_no_half_plot(short):
    broken = short["add_and_norm"].replace(
        "return self.norm(", "assert abs(x).max() < 4\n        return self.norm("
    )
    assert broken != short["add_and_norm"]
    space = run(short | {"add_and_norm": broken}, ALL)
    assert space["runs"] == {} and "alt" not in space


@pytest.mark.slow
def test_right_solutions_of_others_can_be_trained_and_asked(course, cells):
    written = variants(as_edited(find_source("layer-norm", course)))
    own = {
        one.name: one.cells for one in written if {"layer_norm", "add_and_norm"} & set(one.cells)
    }
    assert own
    claims = " ".join(f"claims_{claim}_code" for claim in CLAIMS)
    for name, cell in own.items():
        space = run(cells | cell, f"{PARTS} {MODEL} {claims}")
        trained = space["train_thirds"](parts(space)["your AddAndNorm"], 0.1, 0, steps=2)
        assert len(trained.training) == 2 and len(space["tables"]) == len(CLAIMS), name
