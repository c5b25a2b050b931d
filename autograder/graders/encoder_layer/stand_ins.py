"""What stand-ins compute. The candidate's process gets this file as text, so nothing here is an answer.

No part's own equation: where attention has scores and a feed forward layer max(0, x), these have their
inverse hyperbolic sine. It is the same about 0, so that roles of weights are found in the same way, and
grows too slowly to be taken for it. What is masked is as good as absent here, too.
"""

import math
from types import SimpleNamespace

ANY = SimpleNamespace(built={}, place=0)  # a part that was asked for nothing in particular


def attention(part, query, key, value, attention_mask=None):
    """query: (..., query_len, d_k); key, value: (..., key_len, d_k); returns (..., query_len, d_v)."""
    return attend(query, key, value, attention_mask, hides_the_future(part.built))


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
    attended = attend(*inputs, attention_mask, hides_the_future(part.built))
    return attended.transpose(1, 2).flatten(2) @ weights["output_transform.weight"].mT


def feed_forward(part, x, *, weights):
    """x: (..., d_model), returned alike. `weights` are the reference's, by name."""
    hidden = x @ weights["linear1.weight"].mT + weights["linear1.bias"]
    return hidden.asinh() @ weights["linear2.weight"].mT + weights["linear2.bias"]


def constant(part, x, *more, level):
    """Whatever x is, (batch, seq, d_model): `level` in every second feature but the first two."""
    answer = x.new_zeros(x.shape)
    answer[..., 2::2] = level
    return answer


def encoder_layer(part, x, attention_mask=None, *, d_model, layers):
    """x: (batch, seq, d_model), returned alike: no two layers of a stack do the same.

    One too many passes on what it is handed: another check counts them.
    """
    assert x.dim() == 3 and x.size(-1) == d_model
    return x + attend(x, x, x, attention_mask) / (part.place + 2) if part.place < layers else x * 1


def attend(query, key, value, attention_mask=None, mask_future=False):
    scores = query @ key.transpose(-2, -1) / math.sqrt(query.size(-1))  # (..., query_len, key_len)
    scores = scores.asinh()
    if attention_mask is not None:
        if attention_mask.dim() == 2:
            axes = [1] * (scores.dim() - 2)
            attention_mask = attention_mask.reshape(len(attention_mask), *axes, -1)
        scores = scores.masked_fill(~attention_mask.bool(), -math.inf)
    if mask_future:
        later = scores.new_ones(scores.shape[-2:]).triu(1).bool()
        scores = scores.masked_fill(later, -math.inf)
    return scores.softmax(-1) @ value


def hides_the_future(built):
    """Whether the student's code asked for it, perhaps without meaning to."""
    return any(
        value is True or (value and ("future" in name or "causal" in name))
        for name, value in built.items()
    )
