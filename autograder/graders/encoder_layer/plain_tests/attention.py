"""Scaled dot-product attention, with heads and without, with both masks."""

import torch


def expected_attention(query, key, value, allowed=None):
    """allowed: True where a query may see a key, with the shape of the scores."""
    scores = torch.einsum("...qd,...kd->...qk", query, key) / query.shape[-1] ** 0.5
    if allowed is not None:
        scores = scores.masked_fill(~allowed, float("-inf"))
    return torch.einsum("...qk,...kd->...qd", torch.softmax(scores, -1), value)


def some_tensors(*leading):
    return tuple(torch.randn(*leading, *size) for size in ((4, 6), (5, 6), (5, 7)))


def test_without_masks(Attention):
    for tensors in (some_tensors(2), some_tensors(2, 3)):
        expected = expected_attention(*tensors)
        assert torch.allclose(Attention()(*tensors), expected, atol=1e-5), "The output is another."


def test_padding_is_hidden(Attention):
    mask = torch.tensor([[1, 1, 0, 1, 0], [1, 1, 1, 1, 0]])
    for given in (mask, mask.bool()):
        tensors = some_tensors(2, 3)
        expected = expected_attention(*tensors, given.bool()[:, None, None, :])
        assert torch.allclose(Attention()(*tensors, given), expected, atol=1e-5), (
            "A key that is padding is seen, or one that is none is not."
        )
    tensors = some_tensors(2)
    expected = expected_attention(*tensors, mask.bool()[:, None, :])
    assert torch.allclose(Attention()(*tensors, mask), expected, atol=1e-5), (
        "Without a dimension for heads, the mask acts otherwise."
    )


def test_the_future_is_hidden(Attention):
    past = torch.arange(5)[None, :] <= torch.arange(4)[:, None]
    mask = torch.tensor([[1, 1, 0, 1, 0], [1, 0, 1, 1, 1]])
    tensors = some_tensors(2, 3)
    layer = Attention(mask_future=True)
    assert torch.allclose(layer(*tensors), expected_attention(*tensors, past), atol=1e-5), (
        "A later key is seen, or an earlier one is not."
    )
    both = past & mask.bool()[:, None, None, :]
    assert torch.allclose(layer(*tensors, mask), expected_attention(*tensors, both), atol=1e-5), (
        "Both masks together do something else."
    )
