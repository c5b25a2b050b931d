"""The encoder layer: what is added to what, normalised and dropped."""

import torch
from torch.nn import functional as F


def shaken(layer):
    """The layer with norms that scale and shift, so that it shows where they stand."""
    with torch.no_grad():
        for norm in (layer.layer_norm_1, layer.layer_norm_2):
            norm.weight.uniform_(0.5, 2)
            norm.bias.normal_()
    return layer


def expected_output(layer, x, *mask):
    for norm, part in (
        (layer.layer_norm_1, lambda x: layer.self_attention(x, x, x, *mask)),
        (layer.layer_norm_2, layer.feature_transformation),
    ):
        x = F.layer_norm(x + part(x), x.shape[-1:], norm.weight, norm.bias)
    return x


def test_output_is_that_of_the_reference(EncoderLayer):
    layer, x = shaken(EncoderLayer(12, 3, 20)).eval(), torch.randn(2, 5, 12)
    assert torch.allclose(layer(x), expected_output(layer, x), atol=1e-5), "The output is another."


def test_the_mask_is_handed_on(EncoderLayer):
    layer, x = shaken(EncoderLayer(12, 3, 20)).eval(), torch.randn(2, 5, 12)
    mask = torch.tensor([[1, 1, 0, 1, 0], [1, 1, 1, 1, 0]])
    expected = expected_output(layer, x, mask)
    assert torch.allclose(layer(x, mask), expected, atol=1e-5), "The mask does something else."


def test_dropout_acts_on_the_sub_layers_in_training_only(EncoderLayer):
    layer, x = shaken(EncoderLayer(12, 3, 20, 1.0)), torch.randn(2, 5, 12)
    assert torch.allclose(layer(x), layer.layer_norm_2(layer.layer_norm_1(x)), atol=1e-5), (
        "With everything dropped, something else than x is left."
    )
    layer = EncoderLayer(12, 3, 20, 0.5)
    assert not torch.equal(layer(x), layer(x)), "Nothing is dropped in training."
    layer.eval()
    assert torch.equal(layer(x), layer(x)), "Something is dropped in evaluation."


def test_gradient_reaches_every_parameter(EncoderLayer):
    layer, x = EncoderLayer(12, 3, 20, 0.0), torch.randn(2, 5, 12)
    (layer(x) * torch.randn(2, 5, 12)).sum().backward()
    assert all(p.grad is not None for p in layer.parameters()), "A parameter is not used."
