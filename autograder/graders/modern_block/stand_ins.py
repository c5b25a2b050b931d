"""What stand-ins compute. The candidate's process gets this file as text, so nothing here is an answer.

The attention is the one that the notebook gives; the others are no part's own equation: their norm leaves
features apart, and their gate is an inverse hyperbolic sine.
"""

from types import SimpleNamespace

from torch.nn import functional as F

ANY = SimpleNamespace(built={}, place=0)  # the first of its kind


def norm(part, x, *, gain, changed):
    """x: (..., d_model), returned alike. The norm in the place `changed` has another gain."""
    return (-0.5 if part.place == changed else 1) * gain * x.asinh()


def multi_head_attention(part, query, key, value, attention_mask=None, *, heads, weights):
    """query: (batch, query_len, d_model); key, value: (batch, key_len, d_model).

    `weights` are the reference's, by name.
    """

    def projected(name, x):
        """(batch, seq, d_model) -> (batch, heads, seq, d_k)"""
        return (
            (x @ weights[f"{name}_transform.weight"].mT).unflatten(-1, (heads, -1)).transpose(1, 2)
        )

    inputs = projected("query", query), projected("key", key), projected("value", value)
    mask = None if attention_mask is None else attention_mask.bool()[:, None, None]
    attended = F.scaled_dot_product_attention(*inputs, mask)
    return attended.transpose(1, 2).flatten(-2) @ weights["output_transform.weight"].mT


def feed_forward(part, x, *, weights):
    """x: (..., d_model), returned alike. `weights` are the reference's, by name."""
    hidden = (x @ weights["gate.weight"].mT).asinh() * (x @ weights["up.weight"].mT)
    return hidden @ weights["down.weight"].mT


def block(part, x, attention_mask=None, *, layers):
    """x: (batch, seq, d_model), returned alike: no two blocks of so many do the same."""
    mask = None if attention_mask is None else attention_mask.bool()[:, None]
    return x + (part.place % layers + 1) * F.scaled_dot_product_attention(x, x, x, mask).asinh()
