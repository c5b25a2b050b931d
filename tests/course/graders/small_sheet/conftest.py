"""Fixtures of this assignment's own."""

import pytest
import torch


@pytest.fixture
def norm(candidate):
    """A layer of the student's for vectors of four features, with a known scale."""
    layer = candidate.build("RMSNorm", 4).expect(lambda x: x.shape)
    layer.load_state_dict({"weight": torch.tensor([1.0, -2.0, 3.0, 0.5])})
    return layer.eval()
