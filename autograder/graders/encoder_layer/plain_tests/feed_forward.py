"""Two linear layers, and one ReLU between them."""

import torch
from torch import nn


def test_is_a_sequential_of_the_right_sizes(PositionWiseFeedForward):
    layer = PositionWiseFeedForward(6, 10)
    assert isinstance(layer, nn.Sequential), "The layer is no nn.Sequential."
    sizes = [tuple(linear.weight.shape) for linear in (layer.linear1, layer.linear2)]
    assert sizes == [(10, 6), (6, 10)], "The linear layers have other sizes."
    assert layer.linear1.bias is not None and layer.linear2.bias is not None, "A bias is missing."


def test_output_is_that_of_the_reference(PositionWiseFeedForward):
    layer, x = PositionWiseFeedForward(6, 10).eval(), 3 * torch.randn(2, 4, 6)
    hidden = (x @ layer.linear1.weight.T + layer.linear1.bias).clamp(min=0)
    expected = hidden @ layer.linear2.weight.T + layer.linear2.bias
    assert torch.allclose(layer(x), expected, atol=1e-5), "The output is not the reference's."


def test_positions_do_not_see_each_other(PositionWiseFeedForward):
    layer, x = PositionWiseFeedForward(6, 10).eval(), torch.randn(2, 4, 6)
    assert torch.allclose(layer(x)[:, 1:3], layer(x[:, 1:3]), atol=1e-6), "Positions are mixed."
