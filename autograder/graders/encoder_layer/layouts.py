"""How a student's own `MultiHeadAttention` hands query, key and value to an `Attention`."""

import torch

from .reference import attention, draw_sizes

WITH_HEADS = "with an axis for the heads"
EITHER = "without an axis for the heads", WITH_HEADS


def look_around(candidate):
    """Return the layouts in which an `Attention` may be asked: the one it is used in, if that is clear.

    Raises what the student's code raises.
    """
    sizes, handed = draw_sizes(), set()

    def attend(part, query, key, value, attention_mask=None):
        handed.add(tuple(query.shape))
        return attention(query, key, value, attention_mask)

    with candidate.stand_in(Attention=attend):
        layer = candidate.build("MultiHeadAttention", sizes.d_model, sizes.heads)
    x = torch.randn(sizes.batch, sizes.query_len, sizes.d_model)
    layer(x, x, x, torch.ones(x.shape[:2], dtype=torch.int64))
    together = (sizes.batch, sizes.heads, sizes.query_len, sizes.d_k)
    return (WITH_HEADS,) if handed == {together} else EITHER
