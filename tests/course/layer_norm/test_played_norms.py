"""The norms that are played depend on what their names say, by their Jacobians."""

import pytest
import torch
from notebook_cells import cells_of
from torch import nn

from autograder.engine.candidate.known import MAX_COMPUTED
from autograder.graders.layer_norm import played, reference
from autograder.graders.layer_norm.played import BATCH, D_MODEL, SEQ, draw_norm_of_tokens, over

ALL = list(range(D_MODEL))
with torch.random.fork_rng(devices=[]):  # one in a hundred has a mean that is nearly nothing
    torch.manual_seed(1)
    OWN = draw_norm_of_tokens()


def depending(*which):
    """As in the grader, of one drawn norm of single tokens in this module."""
    return played.depending(*which, own=OWN)


NORMS = {
    "neither": [
        over(-1),
        played.rms_norm,
        OWN,
        played.constant,
        played.rounded(over(-1)),
        played.rounded(OWN),
    ],
    "batch": [
        over(0),
        depending(played.other_sentences),
        depending(lambda one, other: one[0] != other[0] and one[1] != other[1]),
        depending(played.others_on_the_first_sentence, played.small),
        *[depending(played.sentence(*pair)) for pair in ((2, 0), (0, 2), (1, 2), (2, 1))],
        depending(played.other_sentences, played.of_features([4], [1])),
    ],
    "positions": [
        over(1),
        depending(played.own_sentence),
        depending(lambda one, other: one[0] == other[0] and one[1] > other[1]),
        depending(lambda one, other: one.sentence == other.sentence == BATCH - 1),
        depending(played.position(0, 3)),
        depending(played.next_in_the_sentence, played.small),
        depending(played.next_in_the_sentence, played.small_sine),
        depending(played.own_sentence, played.of_features([4], ALL)),
    ],
    "both": [over(0, 1), depending(played.everybody), lambda x: over(0, 1)(over(-1)(x))],
}
CASES = [(word, number) for word, norms in NORMS.items() for number in range(len(norms))]


@pytest.fixture
def x(monkeypatch):
    torch.manual_seed(1)
    return torch.randn(BATCH, SEQ, D_MODEL, dtype=torch.float64)


@pytest.mark.parametrize(("word", "number"), CASES)
def test_a_norm_depends_on_what_its_name_says(x, word, number):
    assert reference.depends_on(NORMS[word][number], x) == word


@pytest.mark.parametrize(
    ("axes", "torchs"),
    [
        ((-1,), nn.LayerNorm(D_MODEL, eps=reference.EPS)),
        ((0, 1), nn.BatchNorm1d(D_MODEL, eps=reference.EPS)),
        ((1,), nn.InstanceNorm1d(D_MODEL, eps=reference.EPS)),
    ],
)
def test_they_are_torchs_norms(x, axes, torchs):
    torchs = torchs.double()
    expected = torchs(x) if axes == (-1,) else torchs(x.mT).mT
    assert torch.allclose(over(*axes)(x), expected)


def test_neither_shift_nor_scale_passes_layer_norm(x):
    norm, changed = NORMS["both"][-1], x.clone()
    changed[1:] = 10 * x[1:] + 7
    assert torch.allclose(norm(changed)[0], norm(x)[0], atol=1e-4)
    changed[1:] = x[1:].flip(-1)
    assert not torch.allclose(norm(changed)[0], norm(x)[0], atol=1e-2)


def test_what_is_small_is_more_than_rounding_and_less_than_a_lax_tolerance(x):
    """A neighbour that is drawn anew moves an output by more than 1e-3 somewhere, never by 1e-2."""
    norm = depending(played.next_in_the_sentence, played.small)
    for _ in range(200):
        changed = x.clone()
        changed[:, 1:] = torch.randn_like(x[:, 1:])
        moved = (norm(changed) - norm(x))[:, 0].abs().max()
        assert 1e-3 < moved < 1e-2
    noise = (played.rounded(over(-1))(x) - over(-1)(x)).abs().max()
    assert 0 < noise < 1e-5


def test_a_token_on_which_nothing_depends_is_not_touched(x):
    """NaN in a token reaches no output but those that depend on it."""
    x[2, 3] = torch.nan
    for norm in (over(-1), *NORMS["batch"][4:6], depending(played.position(0, 3))):
        assert not norm(x)[1].isnan().any()


def test_what_is_drawn_is_on_no_list_and_says_nothing_of_a_dependence(x):
    """Nobody recognises a norm: not by what it makes of zeros, nor of a multiple, nor a second time."""
    drawn = draw_norm_of_tokens(), draw_norm_of_tokens()
    one, other = (norm(x) for norm in drawn)
    assert not torch.allclose(one, other, atol=0.1)
    for norm in (*drawn, *NORMS["batch"][1:], played.rounded(OWN)):
        answer, zeros = norm(x), norm(torch.zeros_like(x))
        assert not zeros.any()
        for known in (x, over(-1)(x), played.rms_norm(x), norm(10 * x), norm(10 * x) / 10):
            assert not torch.allclose(answer, known, atol=0.01)
        assert answer.mean(-1).abs().min() > 1e-4 and answer.mean((0, 1)).abs().min() > 1e-4


def test_a_norm_is_handed_sentences_of_tokens(x):
    for norm in (over(0), played.rms_norm, played.constant, depending(played.everybody)):
        with pytest.raises(ValueError, match="is handed"):
            norm(x[0])


def test_the_contract_says_what_is_played(course):
    contract = cells_of("layer-norm", course)["who_depends_contract"]
    assert f"at most {MAX_COMPUTED} times" in contract
    assert f"at most {BATCH * SEQ} tokens" in contract
    assert "Differences up to 1e-4 are rounding" in contract
    assert played.ROUNDING < 1e-4 < played.SMALL
