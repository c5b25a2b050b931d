"""Exercise 1: RMSNorm, a module with a lone vector as its weight."""

import pytest
import torch

from .reference import RMSNorm


@pytest.mark.points(1)
@pytest.mark.parametrize("shape", [(4,), (3, 4), (2, 3, 4)], ids=["one vector", "rows", "batch"])
def test_each_vector_is_divided_by_its_root_mean_square(norm, tensors_agree, shape):
    x = torch.randn(shape)
    reference = RMSNorm(4)
    reference.weight.data = torch.tensor([1.0, -2.0, 3.0, 0.5])
    assert tensors_agree(norm.strictly(x), reference(x)), (
        "What is the mean of the squares of the answer, before the scale?"
    )


@pytest.mark.points(1)
def test_scale_is_learned(candidate):
    layer = candidate.build("RMSNorm", 5)
    assert layer.learns(torch.randn(2, 5)), "Which parameter of your layer gets a gradient?"
