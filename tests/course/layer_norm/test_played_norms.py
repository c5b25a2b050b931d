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


def test_the_contract_says_what_is_played(course):
    contract = cells_of("layer-norm", course)["who_depends_contract"]
    assert f"at most {MAX_COMPUTED} times" in contract
    assert f"at most {BATCH * SEQ} tokens" in contract
    assert "Differences up to 1e-4 are rounding" in contract
    assert played.ROUNDING < 1e-4 < played.SMALL
