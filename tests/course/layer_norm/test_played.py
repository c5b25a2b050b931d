"""The norms that are played for a student's test, asked what no test needs."""

import pytest
import torch

from autograder import find_assignment


@pytest.mark.parametrize("shape", [(1, 201, 1), (20, 11, 2)])
def test_a_norm_is_handed_no_more_tokens_than_it_can_go_through(course, shape):
    """Each token may depend on each other one: of ten thousand they would be a hundred million."""
    played = find_assignment("layer-norm", course).module("played")
    own = played.draw_norm_of_tokens(shape[-1])
    of_features = played.depending(played.everybody, played.of_features([0], [0]), own)
    of_a_sine = played.depending(played.everybody, played.small_sine, own)
    others = of_features, of_a_sine, played.depending(played.everybody, own=own)
    norms = own, *others, played.rounded(own), played.over(0, 1), played.rms_norm, played.constant
    for norm in norms:
        with pytest.raises(ValueError, match="more tokens than any test needs"):
            norm(torch.zeros(shape))
        assert norm(torch.randn(10, 2, shape[-1])).isfinite().all()
