"""Multi-head attention, against the one that comes with torch."""

import torch
from torch import nn


def theirs_and_torchs(MultiHeadAttention, mask_future=False):
    layer = MultiHeadAttention(12, 3, mask_future).eval()
    torchs = nn.MultiheadAttention(12, 3, bias=False, batch_first=True).eval()
    inputs = (layer.query_transform, layer.key_transform, layer.value_transform)
    with torch.no_grad():
        torchs.in_proj_weight.copy_(torch.cat([linear.weight for linear in inputs]))
        torchs.out_proj.weight.copy_(layer.output_transform.weight)
    return layer, torchs


def some_tensors():
    return torch.randn(2, 4, 12), torch.randn(2, 5, 12), torch.randn(2, 5, 12)


def test_sizes_and_biases(MultiHeadAttention):
    layer = MultiHeadAttention(12, 3)
    for name in ("query", "key", "value", "output"):
        linear = getattr(layer, f"{name}_transform")
        assert linear.weight.shape == (12, 12), f"The weight of {name}_transform has another size."
        assert linear.bias is None, f"{name}_transform has a bias."
    try:
        MultiHeadAttention(10, 3)
    except (ValueError, AssertionError):
        return
    raise AssertionError("10 features in 3 heads are not refused.")


def test_output_is_torchs(MultiHeadAttention):
    layer, torchs = theirs_and_torchs(MultiHeadAttention)
    tensors = some_tensors()
    expected, _ = torchs(*tensors)
    assert torch.allclose(layer(*tensors), expected, atol=1e-5), "The output is another."


def test_padding_is_hidden(MultiHeadAttention):
    layer, torchs = theirs_and_torchs(MultiHeadAttention)
    tensors, mask = some_tensors(), torch.tensor([[1, 1, 0, 1, 0], [1, 1, 1, 1, 0]])
    expected, _ = torchs(*tensors, key_padding_mask=mask == 0)
    assert torch.allclose(layer(*tensors, mask), expected, atol=1e-5), "The mask acts otherwise."


def test_the_future_is_hidden(MultiHeadAttention):
    layer, torchs = theirs_and_torchs(MultiHeadAttention, True)
    tensors, later = some_tensors(), torch.ones(4, 5).triu(1).bool()
    expected, _ = torchs(*tensors, attn_mask=later)
    assert torch.allclose(layer(*tensors), expected, atol=1e-5), "mask_future acts otherwise."
